"""The calls of all ranks of all traces as one tree, in which each call knows who makes it with what numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tradewind.errors import TraceError
from tradewind.extrapolation.grids import Vector, same_offset
from tradewind.extrapolation.tree import CallNode, Key, LoopNode, Node

# A rank of a trace: the number of the trace, and the rank.
Member = tuple[int, int]


@dataclass
class TemplateCall:
    """A call of the program.

    Args:
        key: What it is.
        offsets: The peers of its messages, on the grid of the largest trace.
        seen: What each rank that makes it passes.
    """

    key: Key
    offsets: tuple[Vector | None, ...]
    seen: dict[Member, CallNode] = field(default_factory=dict)

    def complete(self, node: CallNode) -> None:
        """Takes peers and tags from a rank, where the ranks before had no such peer."""
        pairs = list(zip(self.offsets, node.offsets, strict=True))
        tags = [
            tag if own is not None else other
            for (own, _), tag, other in zip(pairs, self.key.tags, node.key.tags, strict=True)
        ]
        self.key = replace(self.key, tags=tuple(tags))
        self.offsets = tuple(own if own is not None else other for own, other in pairs)


@dataclass
class TemplateLoop:
    """A loop of the program.

    Args:
        body: What is in it.
        seen: The turns of each rank that runs it.
    """

    body: list[Template] = field(default_factory=list)
    seen: dict[Member, int] = field(default_factory=dict)


Template = TemplateCall | TemplateLoop


class Merger:
    """Merges the trees of ranks into a template.

    Args:
        extents: The process grid of each trace.
    """

    def __init__(self, extents: Sequence[Vector]) -> None:
        self._extents = extents
        self.template: list[Template] = []

    def add(self, member: Member, tree: Sequence[Node]) -> None:
        """Merges the tree of one rank."""
        self._merge(self.template, tree, member)

    def _merge(self, template: list[Template], nodes: Sequence[Node], member: Member) -> None:
        extents = self._extents[member[0]]
        pairs = _alignment(template, nodes, lambda one, node: self._like(one, node, extents))
        merged: list[Template] = []
        for one, node in pairs:
            if node is None:
                assert one is not None
                merged.append(one)
            elif isinstance(node, LoopNode):
                loop = one if isinstance(one, TemplateLoop) else TemplateLoop()
                loop.seen[member] = node.turns
                self._merge(loop.body, node.body, member)
                merged.append(loop)
            else:
                call = (
                    one if isinstance(one, TemplateCall) else TemplateCall(node.key, node.offsets)
                )
                call.seen[member] = node
                call.complete(node)
                merged.append(call)
        template[:] = merged

    def _like(self, one: Template, node: Node, extents: Vector) -> float:
        """Returns how well two entries fit: 0 if they are different ones."""
        if isinstance(one, TemplateCall) and isinstance(node, CallNode):
            return float(_same_call(one, node) and _same_peers(one.offsets, node.offsets, extents))
        if isinstance(one, TemplateLoop) and isinstance(node, LoopNode):
            pairs = _alignment(one.body, node.body, lambda a, b: self._like(a, b, extents))
            common = sum(a is not None and b is not None for a, b in pairs)
            return common if 2 * common >= len(node.body) else 0.0
        return 0.0


def _same_call(call: TemplateCall, node: CallNode) -> bool:
    """Reports whether all but the peers is the same; a message without a peer has any tag."""
    if call.key.without_tags != node.key.without_tags:
        return False
    return all(
        a == b or own is None or other is None
        for a, b, own, other in zip(
            call.key.tags, node.key.tags, call.offsets, node.offsets, strict=True
        )
    )


def _same_peers(a: Sequence[Vector | None], b: Sequence[Vector | None], extents: Vector) -> bool:
    return all(
        one is None or other is None or same_offset(one, other, extents)
        for one, other in zip(a, b, strict=True)
    )


def _alignment(
    template: Sequence[Template],
    nodes: Sequence[Node],
    like: Callable[[Template, Node], float],
) -> Iterator[tuple[Template | None, Node | None]]:
    """Aligns two lists so that what is matched fits best, in order; yields pairs with None for gaps."""
    rows, columns = len(template), len(nodes)
    if rows == columns:
        direct = [like(one, node) for one, node in zip(template, nodes, strict=True)]
        if all(score > 0 for score in direct):
            yield from zip(template, nodes, strict=True)
            return
    scores = [[like(one, node) for node in nodes] for one in template]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            match = scores[i][j] + best[i + 1][j + 1] if scores[i][j] > 0 else -1.0
            best[i][j] = max(match, best[i + 1][j], best[i][j + 1])
    i = j = 0
    while i < rows or j < columns:
        if (
            i < rows
            and j < columns
            and scores[i][j] > 0
            and (best[i][j] == scores[i][j] + best[i + 1][j + 1])
        ):
            yield template[i], nodes[j]
            i, j = i + 1, j + 1
        elif i < rows and (j == columns or best[i][j] == best[i + 1][j]):
            yield template[i], None
            i += 1
        else:
            yield None, nodes[j]
            j += 1


def calls_of(template: Sequence[Template]) -> Iterator[TemplateCall]:
    """Goes over all calls."""
    for one in template:
        if isinstance(one, TemplateLoop):
            yield from calls_of(one.body)
        else:
            yield one


def refuse(
    call: TemplateCall, why: str, members: Sequence[Member], ranks: Sequence[int]
) -> TraceError:
    """Makes the error for a call that no rule explains."""
    where = f" at {call.key.site}" if call.key.site else ""
    few = ", ".join(f"rank {rank} of {ranks[trace]}" for trace, rank in list(members)[:3])
    more = f" and {len(members) - 3} more" if len(members) > 3 else ""
    place = next(iter(call.seen.values())).place
    return TraceError(f"{call.key.name}{where} (call {place}): {why} ({few}{more})")
