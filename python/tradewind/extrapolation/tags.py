"""Tags that name the ranks of a message, such as that of the sender, as formulas of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import starmap

from tradewind.extrapolation.tree import CallNode, LoopNode, Node

# Formulas of tags but for a constant, and their values by the own rank, that of the peer, and the number of ranks.
_FORMS: Mapping[str, Callable[[int, int, int], int]] = {
    "rank": lambda rank, peer, ranks: rank,
    "peer": lambda rank, peer, ranks: peer,
    "rank + peer": lambda rank, peer, ranks: rank + peer,
    "rank * P + peer": lambda rank, peer, ranks: rank * ranks + peer,
    "peer * P + rank": lambda rank, peer, ranks: peer * ranks + rank,
    "(rank ^ peer)": lambda rank, peer, ranks: rank ^ peer,
    "(peer - rank) % P": lambda rank, peer, ranks: (peer - rank) % ranks,
    "(rank - peer) % P": lambda rank, peer, ranks: (rank - peer) % ranks,
}
# Ranks that tags are multiples of, each with another rank that is added.
_MULTIPLES = [("rank", ""), ("peer", ""), ("rank", "peer"), ("peer", "rank")]
# A message of a call, by the name and site of the call.
Place = tuple[str, str, int]
# A tag, with the own rank, that of the peer, and the number of ranks.
_Tag = tuple[int, int, int, int]


def tag_forms(trees: Iterable[Sequence[Node]]) -> dict[Place, str]:
    """Returns the formulas of tags that differ among the messages of a call, where one gives them all.

    Args:
        trees: The calls of ranks of all traces.
    """
    known: dict[Place, set[_Tag]] = {}
    for nodes in trees:
        for place, tag, rank, peer, ranks in _messages(nodes):
            known.setdefault(place, set()).add((tag, rank, peer, ranks))
    differ = {place: tags for place, tags in known.items() if len({one[0] for one in tags}) > 1}
    forms = {place: _form(tags) for place, tags in differ.items()}
    return {place: form for place, form in forms.items() if form is not None}


def _form(tags: Collection[_Tag]) -> str | None:
    """Returns the formula of some tags, if there is one."""
    for form, value in _FORMS.items():
        rests = {tag - value(rank, peer, ranks) for tag, rank, peer, ranks in tags}
        if len(rests) == 1:
            constant = rests.pop()
            return None if constant < 0 else f"{form} + {constant}" if constant else form
    return next((form for form in starmap(partial(_multiple, tags), _MULTIPLES) if form), None)


def _multiple(tags: Collection[_Tag], name: str, added: str) -> str | None:
    """Returns the formula of tags that are a multiple of one rank, plus a constant, and another rank if it has a name.

    A multiple of a rank needs three different ranks: two fit by chance.
    """
    ranks_of = {"rank": 1, "peer": 2}
    rests = {(one[ranks_of[name]], one[0] - (one[ranks_of[added]] if added else 0)) for one in tags}
    by_rank = dict(rests)
    if len(by_rank) != len(rests) or len(by_rank) <= 2:
        return None
    low, high = min(by_rank), max(by_rank)
    factor = (by_rank[high] - by_rank[low]) // (high - low)
    constant = by_rank[low] - factor * low
    if factor <= 0 or constant < 0:
        return None
    if any(rest != factor * rank + constant for rank, rest in rests):
        return None
    return " + ".join(
        [f"{name} * {factor}", *([added] if added else []), *([str(constant)] if constant else [])]
    )


def with_tags(nodes: Sequence[Node], forms: Mapping[Place, str]) -> list[Node]:
    """Returns the calls with these formulas in the place of their tags."""
    result: list[Node] = []
    for node in nodes:
        if isinstance(node, LoopNode):
            result.append(replace(node, body=with_tags(node.body, forms)))
            continue
        tags = tuple(
            forms.get((node.key.name, node.key.site, place), tag)
            for place, tag in enumerate(node.key.tags)
        )
        result.append(replace(node, key=replace(node.key, tags=tags)))
    return result


def _messages(nodes: Sequence[Node]) -> Iterator[tuple[Place, int, int, int, int]]:
    """Yields place, tag, own rank, rank of the peer, and number of ranks of each message."""
    for node in nodes:
        if isinstance(node, LoopNode):
            yield from _messages(node.body)
        elif isinstance(node, CallNode):
            for place, (peer, tag) in enumerate(zip(node.peers, node.key.tags, strict=False)):
                if peer is not None:
                    where = (node.key.name, node.key.site, place)
                    yield where, int(tag), peer.rank, peer.other, math.prod(peer.extents)
