"""Calls that follow each other and are equal at some rank counts: a recording has a loop in their place there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tradewind.extrapolation.template import Member
from tradewind.extrapolation.tree import CallNode, LoopNode, Node

# A call of the program, without peers and tags.
Call = tuple[Any, ...]


def remarks_on_equal_calls(
    trees: Mapping[Member, Sequence[Node]], ranks: Sequence[int]
) -> Iterator[str]:
    """Yields the calls that follow each other and are equal at some rank counts, but not at all.

    Args:
        trees: The calls of all ranks of all traces.
        ranks: The number of ranks of each trace.
    """
    looped: dict[Call, set[int]] = {}
    apart: dict[Call, set[int]] = {}
    names: dict[Call, str] = {}
    for (trace, _), nodes in trees.items():
        for body in _bodies(nodes):
            if len(body) == 1 and isinstance(body[0], CallNode) and body is not nodes:
                looped.setdefault(body[0].key.without_tags, set()).add(ranks[trace])
            for one, other in itertools.pairwise(body):
                if isinstance(one, LoopNode) or isinstance(other, LoopNode):
                    continue
                if one.key.without_tags == other.key.without_tags and one.key.name != "wait":
                    apart.setdefault(one.key.without_tags, set()).add(ranks[trace])
                    site = f" at {one.key.site}" if one.key.site else ""
                    names[one.key.without_tags] = one.key.name + site
    told = set()
    for call, where in apart.items():
        equal = looped.get(call, set()) - where
        if equal and names[call] not in told:
            told.add(names[call])
            yield (
                f"{names[call]}: on {_listed(equal)} ranks such calls that follow each other are equal, and "
                f"the recordings have a loop of them; on {_listed(where)} ranks they differ, and so do the "
                f"loops; leave {_listed(equal)} out, or record larger counts in their place"
            )


def _bodies(nodes: Sequence[Node]) -> Iterator[Sequence[Node]]:
    """Yields calls and loops, and those in all loops."""
    yield nodes
    for node in nodes:
        if isinstance(node, LoopNode):
            yield from _bodies(node.body)


def _listed(counts: set[int]) -> str:
    return ", ".join(map(str, sorted(counts)))
