"""Tags that name the ranks of a message, such as that of the sender, as formulas of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

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
# A message of a call, by the name and site of the call.
Place = tuple[str, str, int]


def tag_forms(trees: Iterable[Sequence[Node]]) -> dict[Place, str]:
    """Returns the formulas of tags that differ among the messages of a call, where one gives them all.

    Args:
        trees: The calls of ranks of all traces.
    """
    constants: dict[Place, dict[str, set[int]]] = {}
    tags: dict[Place, set[int]] = {}
    for nodes in trees:
        for place, rank, peer, ranks, tag in _messages(nodes):
            tags.setdefault(place, set()).add(tag)
            known = constants.setdefault(place, {form: set() for form in _FORMS})
            for form in [form for form, found in known.items() if len(found) > 1]:
                del known[form]
            for form, found in known.items():
                found.add(tag - _FORMS[form](rank, peer, ranks))
    result = {}
    for place, known in constants.items():
        fitting = [(form, min(found)) for form, found in known.items() if len(found) == 1]
        if len(tags[place]) > 1 and fitting and fitting[0][1] >= 0:
            form, constant = fitting[0]
            result[place] = f"{form} + {constant}" if constant else form
    return result


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
    """Yields place, own rank, rank of the peer, number of ranks and tag of each message."""
    for node in nodes:
        if isinstance(node, LoopNode):
            yield from _messages(node.body)
        elif isinstance(node, CallNode):
            for place, (peer, tag) in enumerate(zip(node.peers, node.key.tags, strict=False)):
                if peer is not None:
                    where = (node.key.name, node.key.site, place)
                    yield where, peer.rank, peer.other, math.prod(peer.extents), int(tag)
