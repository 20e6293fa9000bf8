"""The grids of programs with more than one: of each communicator, and of the peers of each call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tradewind.extrapolation.grids import GridRule, group_axes
from tradewind.extrapolation.steps import Peer
from tradewind.extrapolation.tree import CallNode, LoopNode, Node, Reader, View
from tradewind.trace_file import Trace

# A call: its name, its site, the number of its communicator on a rank.
_Call = tuple[str, str, int]
# The steps of a call on a grid: a message or a peer in a list, and the step to it.
_Steps = set[tuple[int, tuple[int | str, ...]]]


def views_of_several_grids(
    traces: Sequence[Trace], main: Sequence[GridRule], others: Sequence[GridRule]
) -> list[View]:
    """Lists views in which communicators and calls have grids of their own.

    Args:
        traces: The traces.
        main: The rules that the grid of the pattern may have.
        others: The rules that other grids may have.

    Returns:
        A view for each grid of the pattern with which some others explain the calls by fewer steps.
    """
    steps = {rule: _steps_of_calls(traces, rule) for rule in dict.fromkeys([*main, *others])}
    own_grids = {rule: _comms_on_grid(traces, rule) for rule in steps}
    views = []
    for rule in main:
        of_comms: dict[int, GridRule] = {}
        for comm in set().union(*own_grids.values()) - own_grids[rule]:
            known = [other for other in others if comm in own_grids[other]]
            of_comms[comm] = min(known, key=lambda other: _count(steps[other], comm))
        of_calls: dict[_Call, GridRule] = {}
        for call, own in steps[rule].items():
            # Grids with as few steps differ in how well they suit the other calls on the communicator.
            best = min(
                others, key=lambda other: (len(steps[other][call]), _count(steps[other], call[2]))
            )
            is_better = call[2] not in of_comms and len(steps[best][call]) < len(own)
            if is_better and _is_whole(traces, call[2]):
                of_calls[call] = best
        if of_comms or of_calls:
            views.append(View(rule, of_comms, of_calls, with_formulas=True))
    return views


def _count(steps: dict[_Call, _Steps], comm: int) -> int:
    return sum(len(own) for call, own in steps.items() if call[2] == comm)


def _is_whole(traces: Sequence[Trace], comm: int) -> bool:
    """Reports whether a communicator has all ranks."""
    return all(len(trace.members(0, comm)) == trace.ranks for trace in traces)


def _comms_on_grid(traces: Sequence[Trace], rule: GridRule) -> set[int]:
    """Returns the communicators that are rows, columns or planes of a grid on all ranks."""
    first = traces[0].arrays["comm_first"]
    found = set(range(2, int(first[1] - first[0])))
    for trace in traces:
        extents = rule.extents(trace.ranks)
        places = trace.arrays["comm_first"].tolist()
        for rank in range(trace.ranks):
            found = {
                comm
                for comm in found
                if comm < places[rank + 1] - places[rank]
                and group_axes(extents, trace.members(rank, comm), rank)
            }
    return found


def _steps_of_calls(traces: Sequence[Trace], rule: GridRule) -> dict[_Call, _Steps]:
    """Returns the steps that the calls have on a grid; half an extent is one step at all rank counts."""
    found: dict[_Call, _Steps] = {}
    for trace in traces:
        reader = Reader(trace, View(rule))
        for rank in range(trace.ranks):
            for node in _calls(reader.tree(rank)):
                peers = [*node.peers, *(one.peer for one in node.neighbors)]
                call = (node.key.name, node.key.site, node.comm)
                for place, peer in enumerate(peers):
                    if peer is not None:
                        own = found.setdefault(call, set())
                        own.add((place if node.peers else 0, _step(peer)))
    return found


def _step(peer: Peer) -> tuple[int | str, ...]:
    return tuple(
        "half" if extent > 3 and abs(step) == extent // 2 else step
        for (step,), extent in zip(peer.steps, peer.extents, strict=True)
        if isinstance(step, int)
    )


def _calls(nodes: Sequence[Node]) -> Iterator[CallNode]:
    for node in nodes:
        if isinstance(node, LoopNode):
            yield from _calls(node.body)
        else:
            yield node
