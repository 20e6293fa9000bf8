"""The calls of all ranks of all traces as one tree, in which each call knows who makes it with what numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from tradewind.errors import TraceError
from tradewind.extrapolation.alignment import aligned
from tradewind.extrapolation.steps import Peer, Steps, common_steps, simplest
from tradewind.extrapolation.tree import CallNode, Key, LoopNode, Neighbor, Node

# A rank of a trace: the number of the trace and the rank; in a loop that counts its turns also the turn.
Member = tuple[int, ...]
# Why a call on a communicator is refused that no grid has.
NO_GROUP_OF_GRID = "its communicator is none of rows, columns or planes"
# The most numbers that a refusal shows.
_MOST_VALUES = 6
# Scores of peers if the step leads around the grid, is equal by a formula only, or one of them does not exist.
_AROUND, _BY_FORMULA, _BY_PLACE = 0.9, 0.75, 0.5


@dataclass
class TemplateNeighbor:
    """A peer in the list of a call.

    Args:
        steps: What the step to it can be; None if it never exists.
        is_source: Whether the message comes from there.
        seen: The entry of each rank in whose list it is.
    """

    steps: Steps | None
    is_source: bool
    seen: dict[Member, Neighbor] = field(default_factory=dict)


@dataclass
class TemplateCall:
    """A call of the program.

    Args:
        key: What it is.
        steps: What the steps to the peers of its messages can be; None for a peer that does not exist.
        seen: What each rank that makes it passes.
        neighbors: The lists of peers of all ranks, merged.
    """

    key: Key
    steps: tuple[Steps | None, ...]
    seen: dict[Member, CallNode] = field(default_factory=dict)
    neighbors: list[TemplateNeighbor] = field(default_factory=list)

    @property
    def named(self) -> str:
        """The call and its call site, as messages have them."""
        return self.key.name + (f" at {self.key.site}" if self.key.site else "")

    def add(self, member: Member, node: CallNode) -> None:
        """Takes the call of a rank, and its peers and tags where the ranks before had none."""
        self.seen[member] = node
        if self.key.peers:
            return
        if None in self.steps or len(self.steps) != len(self.key.tags):
            pairs = zip(self.steps, self.key.tags, node.key.tags, strict=False)
            tags = tuple(tag if own is not None else other for own, tag, other in pairs)
            if tags != self.key.tags:
                self.key = replace(self.key, tags=tags)
        self.steps = tuple(
            _narrowed(own, peer) for own, peer in zip(self.steps, node.peers, strict=True)
        )
        if self.neighbors or node.neighbors:
            self._add_neighbors(member, node.neighbors)

    def _add_neighbors(self, member: Member, neighbors: Sequence[Neighbor]) -> None:
        merged: list[TemplateNeighbor] = []
        for one, neighbor in aligned(
            self.neighbors, neighbors, _same_neighbor, lambda one: one.is_source, 1.0
        ):
            if neighbor is not None:
                one = one or TemplateNeighbor(None, neighbor.is_source)
                one.steps = _narrowed(one.steps, neighbor.peer)
                one.seen[member] = neighbor
            assert one is not None
            merged.append(one)
        self.neighbors = merged


@dataclass
class TemplateLoop:
    """A loop of the program.

    Args:
        body: What is in it.
        seen: The turns of each rank that runs it.
        is_counted: Whether its calls depend on the turn.
        peers: `graph`, if each turn is for a neighbour in a graph of ranks; otherwise empty.
        family: The calls that it makes, if ranks may pause in it; otherwise empty.
    """

    body: list[Template] = field(default_factory=list)
    seen: dict[Member, int] = field(default_factory=dict)
    is_counted: bool = False
    peers: str = ""
    family: tuple[Any, ...] = ()


Template = TemplateCall | TemplateLoop
_Pairs = list[tuple[Template | None, Node | None]]


class Merger:
    """Merges the trees of ranks into a template."""

    def __init__(self) -> None:
        self.template: list[Template] = []
        # The alignments of bodies, by their identities, until one of them changes.
        self._known: dict[tuple[int, int], _Pairs] = {}

    def add(self, member: Member, tree: Sequence[Node]) -> None:
        """Merges the tree of one rank."""
        self._known.clear()
        self._merge(self.template, tree, member)

    def _merge(self, template: list[Template], nodes: Sequence[Node], member: Member) -> None:
        merged: list[Template] = []
        for one, node in self._aligned(template, nodes):
            if node is None:
                assert one is not None
                merged.append(one)
            elif isinstance(node, LoopNode):
                loop = one
                if not isinstance(loop, TemplateLoop):
                    loop = TemplateLoop(peers=node.peers, family=node.family)
                loop.seen[member] = node.turns
                loop.is_counted = bool(node.rounds)
                # Turns with most calls come first: they tell the order of the others.
                for turn, body in sorted(enumerate(node.rounds), key=lambda one: -len(one[1])):
                    self._known.clear()
                    self._merge(loop.body, body, (*member, turn))
                if not node.rounds:
                    self._merge(loop.body, node.body, member)
                merged.append(loop)
            else:
                call = one
                if not isinstance(call, TemplateCall):
                    call = TemplateCall(node.key, (None,) * len(node.peers))
                call.add(member, node)
                merged.append(call)
        template[:] = merged

    def _aligned(self, template: Sequence[Template], nodes: Sequence[Node]) -> _Pairs:
        known = id(template), id(nodes)
        if known not in self._known:
            self._known[known] = aligned(template, nodes, self._likeness, _kind)
        return self._known[known]

    def _likeness(self, one: Template, node: Node) -> float:
        """Returns how well two entries fit: 0 if they are different ones."""
        if isinstance(one, TemplateCall):
            if not isinstance(node, CallNode) or one.key.number != node.key.number:
                return 0.0
            return _same_peers(one.steps, node.peers) if _same_tags(one, node) else 0.0
        if not isinstance(node, LoopNode):
            return 0.0
        if one.is_counted != bool(node.rounds) or one.peers != node.peers:
            return 0.0
        if one.family or node.family:
            return float(one.family == node.family)
        families = _families(node.body)
        if families:
            return self._common(one.body, node.body) if _families(one.body) == families else 0.0
        common = self._common(one.body, node.body)
        return common if 2 * common >= len(node.body) else 0.0

    def _common(self, template: Sequence[Template], nodes: Sequence[Node]) -> int:
        """Counts the entries that two bodies have in common."""
        if len(template) == len(nodes) == 1:
            return int(
                _kind(template[0]) == _kind(nodes[0]) and self._likeness(template[0], nodes[0]) > 0
            )
        pairs = self._aligned(template, nodes)
        return sum(a is not None and b is not None for a, b in pairs)


def _kind(one: Template | Node) -> Hashable:
    """Returns what entries have in common if they fit at all."""
    return one.key.number if isinstance(one, TemplateCall | CallNode) else -1


def _families(nodes: Sequence[Template | Node]) -> list[tuple[Any, ...]]:
    """Returns what the loops in which ranks may pause are, which all ranks have."""
    return [one.family for one in nodes if isinstance(one, TemplateLoop | LoopNode) and one.family]


def _same_tags(call: TemplateCall, node: CallNode) -> bool:
    """Reports whether tags are the same; a message without a peer has any tag."""
    if call.key.tags == node.key.tags:
        return True
    if node.key.peers:
        return False
    return all(
        a == b or own is None or other is None
        for a, b, own, other in zip(
            call.key.tags, node.key.tags, call.steps, node.peers, strict=False
        )
    )


def _narrowed(known: Steps | None, peer: Peer | None) -> Steps | None:
    if known is None or peer is None:
        return known if peer is None else peer.steps
    return common_steps(known, peer)


@lru_cache(maxsize=2**16)
def _same_peers(known: tuple[Steps | None, ...], peers: tuple[Peer | None, ...]) -> float:
    """Returns 1 if the peers are the same, less if they are so by a formula only, 0 if they are not."""
    result = 1.0
    for steps, peer in zip(known, peers, strict=True):
        if steps is not None and peer is not None:
            result = min(result, _same_peer(steps, peer))
    return result


def _same_peer(steps: Steps, peer: Peer) -> float:
    common = common_steps(steps, peer)
    if common is None:
        return 0.0
    step = simplest(common)
    if not all(isinstance(one, int) for one in step):
        return _BY_FORMULA
    return 1.0 if peer.is_inside(step) else _AROUND


def _same_neighbor(one: TemplateNeighbor, neighbor: Neighbor) -> float:
    if one.is_source != neighbor.is_source:
        return 0.0
    if one.steps is None or neighbor.peer is None:
        return _BY_PLACE
    return _same_peer(one.steps, neighbor.peer)


def calls_of(template: Sequence[Template]) -> Iterator[TemplateCall]:
    """Goes over all calls."""
    for one in template:
        if isinstance(one, TemplateLoop):
            yield from calls_of(one.body)
        else:
            yield one


def loops_of(template: Sequence[Template]) -> Iterator[TemplateLoop]:
    """Goes over all loops."""
    for one in template:
        if isinstance(one, TemplateLoop):
            yield one
            yield from loops_of(one.body)


class NoFormulaError(TraceError):
    """A number of a call that no formula gives, whoever makes the call.

    Args:
        text: The message.
        call: The call.
    """

    def __init__(self, text: str, call: TemplateCall) -> None:
        super().__init__(text)
        self.call = call


def refuse(
    call: TemplateCall, why: str, members: Sequence[Member], ranks: Sequence[int]
) -> TraceError:
    """Makes the error for a call that no rule explains."""
    known = list(dict.fromkeys(member[:2] for member in members))
    few = ", ".join(f"rank {rank} of {ranks[trace]}" for trace, rank in known[:3])
    more = f" and {len(known) - 3} more" if len(known) > 3 else ""
    place = next(iter(call.seen.values())).place
    return TraceError(f"{call.named} (call {place}): {why} ({few}{more})")


def refuse_number(
    call: TemplateCall,
    what: str,
    values: Sequence[Any],
    members: Sequence[Member],
    ranks: Sequence[int],
) -> NoFormulaError:
    """Makes the error for a call with numbers that no formula gives."""
    some = sorted(set(values))[:_MOST_VALUES]
    said = refuse(call, f"no rule gives its {what}, {some}", members, ranks)
    return NoFormulaError(str(said), call)
