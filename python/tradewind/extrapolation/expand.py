"""A pattern carried out: the trace of a program at a number of ranks at which it never ran."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.errors import TraceError
from tradewind.extrapolation.along_graph import AlongGraph, EdgeValues, check_loop
from tradewind.extrapolation.counts import made_from
from tradewind.extrapolation.events import Tables, check_lengths, edges
from tradewind.extrapolation.formula import Formula, evaluate, whole
from tradewind.extrapolation.grids import GridError, GridRule, Vector, rank_at
from tradewind.extrapolation.groups import Communicators
from tradewind.extrapolation.pattern import (
    ALL,
    GRAPH_OF_RANKS,
    Pattern,
    PatternCall,
    PatternLoop,
    PatternNode,
    calls_in,
    has_graph,
)
from tradewind.extrapolation.rank_graph import RankGraph
from tradewind.extrapolation.samples import all_names
from tradewind.extrapolation.steps import OutsideError, check_bits, is_inside, names_of_peer
from tradewind.extrapolation.tree import (
    ACCESSES,
    EVERYBODY,
    GRAPHS,
    MESSAGES,
    SELF,
    WINDOW_CALLS,
    WINDOW_PEERS,
    WORLD,
)
from tradewind.trace_file import NO_PEER, NONBLOCKING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

_MOST_RANKS = 2**24
# Collectives in which the root alone passes a list of counts.
_AT_ROOT = ("gatherv", "scatterv")
_PICOSECONDS = 1e12
_TIMES = ("computed", "processor", "inside", "inside_min")
_LONGEST = 2**63 - 1
# Calls in all turns of loops that count them, and the values of their formulas on all ranks.
_MOST_CALLS, _MOST_VALUES = 2**18, 2**28
_NAME = re.compile(r"[A-Za-z_]\w*")


def expand(
    pattern: Pattern, ranks: int, extents: Vector = (), graph: RankGraph | None = None
) -> dict[str, Any]:
    """Makes the trace of a pattern.

    Args:
        pattern: The program.
        ranks: The number of ranks.
        extents: The process grid, x first; default: that of the pattern's rule.
        graph: The graph of that many ranks, for a pattern with calls that are made for all neighbours in it.

    Returns:
        The arrays of the trace by name, and its strings as bytes.

    Raises:
        TraceError: If the grid has no extents for that many ranks, a formula fails, a peer does not exist, the graph
            is missing, or the pattern has no use for it.
    """
    if not 1 <= ranks <= _MOST_RANKS:
        raise TraceError(f"ranks = {ranks} is not in 1..{_MOST_RANKS}")
    if extents:
        pattern = replace(pattern, grid=_given_grid(pattern, ranks, extents))
    if graph is not None and not has_graph(pattern):
        raise TraceError(
            "a graph of ranks is given, but the pattern has no calls that are made for all neighbours in one"
        )
    try:
        return _Expansion(pattern, ranks, graph).arrays()
    except OutsideError as error:
        raise OutsideError(error.fault, ranks, made_from(pattern.made_from)) from None


def _given_grid(pattern: Pattern, ranks: int, extents: Vector) -> GridRule:
    axes, words = pattern.grid.axes, " x ".join(map(str, extents))
    if axes != len(extents):
        raise GridError(f"process grid {words}: that of the pattern has {axes} extents", words)
    return GridRule(words)


# Turns of the loops around that count them, with the names that they have in formulas.
Turns = tuple[tuple[str, int], ...]


@dataclass
class _Values:
    """The values of a call or loop of the pattern on each rank, a column for each entry.

    Args:
        present: Whether the rank makes it.
        columns: Peers, numbers and tags of a call; the turns of a loop.
        exists: Whether each of the peers exists.
    """

    present: NDArray[np.bool_]
    columns: list[Numbers] = field(default_factory=list)
    exists: list[NDArray[np.bool_]] = field(default_factory=list)


class _Expansion:
    def __init__(self, pattern: Pattern, ranks: int, graph: RankGraph | None) -> None:
        self._pattern, self._ranks = pattern, ranks
        self._grids: dict[str, Vector] = {}
        self._names: dict[str, dict[str, Any]] = {}
        self._add_grid("", pattern.grid)
        calls = list(calls_in(pattern.body))
        for words in dict.fromkeys(call.grid for call in calls if call.grid):
            self._add_grid(words, GridRule(words))
        used = [call.group for call in calls] + [c.about_group for c in calls if c.about_group]
        self._comms = Communicators(list(dict.fromkeys([WORLD, SELF, *used])), pattern.grid, ranks)
        self._along = AlongGraph(graph, self._comms, ranks)
        self._edges: dict[tuple[int, Turns], list[EdgeValues]] = {}
        self._tables = Tables()
        self._values: dict[tuple[int, Turns], _Values] = {}
        self._seconds: dict[Formula, int] = {}
        self._places: dict[str, Numbers] = {}

    def _add_grid(self, words: str, rule: GridRule) -> None:
        self._grids[words] = rule.extents(self._ranks)
        names = all_names(self._ranks, self._grids[words])
        for name, value in self._pattern.sizes.items():
            names[name] = np.broadcast_to(np.asarray(evaluate(value, names)), (self._ranks,))
        self._names[words] = names

    def arrays(self) -> dict[str, Any]:
        self._evaluate(self._pattern.body, (), np.ones(self._ranks, bool))
        signature = np.stack(
            [column for one in self._values.values() for column in (one.present, *one.columns)]
            or [np.zeros(self._ranks, np.int64)],
            1,
        )
        first, inverse = _distinct_rows(signature)
        streams = [_Stream(self, rank) for rank in first]
        lengths = np.asarray([len(stream.items) for stream in streams], np.int64)
        result = {
            "stream_first": np.concatenate([[0], np.cumsum(lengths)]),
            "items": np.asarray([x for s in streams for item in s.items for x in item], np.int64),
            "stream": inverse.astype(np.int64),
            "time_first": np.concatenate([[0], np.cumsum(lengths[inverse])]),
        }
        for place, name in enumerate(_TIMES):
            times = [np.asarray([row[place] for row in s.times], np.int64) for s in streams]
            result[name] = np.concatenate([times[one] for one in inverse])
        result["inside_max"] = result["inside_min"]
        return result | self._comms.arrays() | self._tables.arrays()

    def _evaluate(
        self, body: Sequence[PatternNode], turns: Turns, running: NDArray[np.bool_]
    ) -> None:
        """Evaluates the formulas of calls and loops on the ranks that run them."""
        for node in body:
            grid = "" if isinstance(node, PatternLoop) else node.grid
            names = {**self._names[grid], **dict(turns)}
            if not isinstance(node, PatternLoop):
                self._values[id(node), turns] = self._call(node, names, running)
                if node.peers and node.call != "wait":
                    present = self._values[id(node), turns].present
                    edges = self._along.values(node, names, present, self._own(node.group))
                    self._edges[id(node), turns] = edges
                continue
            present = running & self._truth(node.when, names)
            if node.turns == GRAPH_OF_RANKS:
                check_loop(node)
                self._values[id(node), turns] = _Values(present, [np.arange(self._ranks)])
                self._evaluate(node.body, turns, present)
                continue
            own = whole(node.turns, names, self._ranks, present)
            self._values[id(node), turns] = _Values(present, [own])
            if not node.index:
                self._evaluate(node.body, turns, present & (own > 0))
                continue
            most = int(own.max(initial=0))
            self._check_turns(node, most * sum(1 for _ in calls_in(node.body)))
            for turn in range(most):
                self._evaluate(node.body, (*turns, (node.index, turn)), present & (own > turn))

    def _check_turns(self, loop: PatternLoop, calls: int) -> None:
        """Throws TraceError if a loop that counts its turns has too many calls."""
        allowed = min(_MOST_CALLS, _MOST_VALUES // self._ranks) - len(self._values)
        if calls > allowed:
            raise TraceError(
                f'the loop of {loop.turns} turns with the index "{loop.index}" has {calls} calls on '
                f"{self._ranks} ranks: allowed are {max(allowed, 0)}"
            )

    def _truth(self, condition: str, names: Mapping[str, Any]) -> Any:
        if not condition:
            return np.ones(self._ranks, bool)
        return np.broadcast_to(np.asarray(evaluate(condition, names), bool), (self._ranks,))

    def _call(
        self, call: PatternCall, names: Mapping[str, Any], running: NDArray[np.bool_]
    ) -> _Values:
        if call.peers:
            # No two ranks have the same neighbours.
            return _Values(running & self._truth(call.when, names), [np.arange(self._ranks)])
        extents = self._grids[call.grid]
        steps = [step or [0] * len(extents) for step in call.offsets]
        if any(len(step) != len(extents) for step in steps):
            raise TraceError(
                f"{call.call}: offsets {call.offsets} do not have {len(extents)} steps"
            )
        inside = [{**names, "inside": is_inside(step, names)} for step in steps]
        values = _Values(running & self._truth(call.when, inside[0] if inside else names))
        conditions = call.peers_when or [""] * len(steps)
        check_lengths(call, len(conditions))
        values.exists = [
            self._truth(condition, where)
            for condition, where in zip(conditions, inside, strict=True)
        ]
        own = self._own(call.group)
        for step, there in zip(steps, values.exists, strict=True):
            check_bits(call.named, step, names, there & values.present)
        places = [names_of_peer(step, names) for step in steps]
        others = []
        for place_of_peer, there in zip(places, values.exists, strict=True):
            others.append(rank_at(extents, list(place_of_peer.values())))
            peers = self._comms.index(call.group, others[-1], there & values.present)
            values.columns.append(np.where(there, peers - own, NO_PEER))
        for place, formula in enumerate(call.numbers):
            there, where = values.present, names
            if place < len(places):
                there, where = values.exists[place], {**names, **places[place]}
            known = whole(formula, where, self._ranks, there & values.present)
            values.columns.append(np.where(there, known, 0))
        for tag, other, there in zip(call.tags, others, values.exists, strict=False):
            known = whole(tag, {**names, "peer": other}, self._ranks, there & values.present)
            values.columns.append(known)
        if call.about == EVERYBODY:
            values.columns.append(own)
        for formula in call.counts:
            words = set(_NAME.findall(str(formula)))
            values.columns += [
                np.broadcast_to(names[name], (self._ranks,)) for name in sorted(words & set(names))
            ]
        if call.counts and call.call in _AT_ROOT:
            # The root alone has a list, which makes its calls others.
            values.columns.append(values.columns[0] == own)
        return values

    def _own(self, group: str) -> Numbers:
        """Returns the place of each rank in its communicator."""
        if group not in self._places:
            self._places[group] = self._comms.index(group, np.arange(self._ranks))
        return self._places[group]

    def calls(self, call: PatternCall, rank: int, turns: Turns) -> list[list[int]]:
        """Returns the arguments of each call that one of the pattern is on one rank, without their slots."""
        if call.peers:
            return AlongGraph.arguments(call, self._edges[id(call), turns], rank)
        return [self._arguments(call, rank, turns)]

    def _arguments(self, call: PatternCall, rank: int, turns: Turns) -> list[int]:
        values = self._values[id(call), turns]
        known = [int(column[rank]) for column in values.columns]
        count = len(call.offsets)
        peers, numbers, rest = known[:count], known[count:], count + len(call.numbers)
        if call.call in MESSAGES:
            tags = known[rest : rest + count]
            triples = zip(peers, tags, numbers, strict=False)
            return [number for triple in triples for number in triple]
        if call.call in GRAPHS:
            pairs = list(zip(peers, numbers, values.exists, strict=False))
            cut = count - call.sources
            return [x for part in (pairs[:cut], pairs[cut:]) for x in edges(call, part, rank)]
        if call.call in ACCESSES:
            return [call.window, peers[0], *numbers[: len(call.numbers)]]
        if call.call in WINDOW_PEERS:
            return [call.window, *self._window_peers(call, peers, values, rank)]
        if call.call in WINDOW_CALLS:
            return [call.window, *numbers[: len(call.numbers)]]
        if call.call in ("comm_create", "comm_free"):
            return [self._comms.number(call.about)]
        if call.call in ("region", "other"):
            return [self._tables.string(call.about)]
        return known[: len(call.numbers)] + self._counts(call, rank, turns)

    def _window_peers(
        self, call: PatternCall, peers: Sequence[int], values: _Values, rank: int
    ) -> list[int]:
        if call.about == EVERYBODY:
            own = int(self._own(call.group)[rank])
            return list(range(-own, self._comms.size(call.group) - own))
        return [
            peer
            for peer, there in zip(peers, values.exists, strict=True)
            if there[rank] or call.null_peers
        ]

    def _counts(self, call: PatternCall, rank: int, turns: Turns) -> list[int]:
        if not call.counts:
            return []
        size = self._comms.size(call.group)
        names = {name: values[rank] for name, values in self._names[call.grid].items()}
        names |= {"j": np.arange(size), "m": size, **dict(turns)}
        if call.call in _AT_ROOT and int(self._values[id(call), turns].columns[0][rank]) != int(
            self._own(call.group)[rank]
        ):
            return []
        return [int(count) for formula in call.counts for count in whole(formula, names, size)]

    def seconds(self, formula: Formula) -> int:
        """Returns a time in picoseconds."""
        if formula not in self._seconds:
            value = float(np.ravel(np.asarray(evaluate(formula, self._names[""]), float))[0])
            if not 0 <= value < 1e6:
                raise TraceError(f'"{formula}" is no time in seconds')
            self._seconds[formula] = round(value * _PICOSECONDS)
        return self._seconds[formula]

    def event(self, call: PatternCall, arguments: Sequence[int], slot: int) -> int:
        """Returns the number of the event of a call on one rank."""
        flags = call.flags | (NONBLOCKING if slot >= 0 else 0)
        comm = self._comms.number(call.group)
        return self._tables.event(call, comm, flags, [*arguments, *([slot] if slot >= 0 else [])])

    def is_present(self, node: PatternNode, rank: int, turns: Turns) -> bool:
        return bool(self._values[id(node), turns].present[rank])

    def peer(self, node: PatternNode, rank: int, turns: Turns) -> int:
        """Returns the step to the first peer of a call in its communicator."""
        return int(self._values[id(node), turns].columns[0][rank])

    def turns(self, loop: PatternLoop, rank: int, turns: Turns) -> int:
        return int(self._values[id(loop), turns].columns[0][rank])

    def body(self) -> list[PatternNode]:
        return self._pattern.body


def _distinct_rows(table: Numbers) -> tuple[list[int], Numbers]:
    """Returns where each distinct row is first, and for each row the number of its first one among these."""
    # By a hash of each row; `np.unique` sorts them, which takes ten times as long.
    rows = np.ascontiguousarray(table).view(f"V{table.itemsize * table.shape[1]}").ravel().tolist()
    first: dict[bytes, int] = {}
    for place, row in enumerate(rows):
        first.setdefault(row, place)
    numbers = {row: number for number, row in enumerate(first)}
    return list(first.values()), np.asarray([numbers[row] for row in rows], np.int64)


def _run_of(node: PatternNode) -> tuple[str | int, ...] | None:
    """Returns what the calls of a run have in common; None if a call is in none."""
    if isinstance(node, PatternLoop) or not node.order or node.call in GRAPHS:
        return None
    return node.call, node.flags, node.site, node.group, node.grid, node.about


class _Stream:
    """The items of one rank, which other ranks share, and the times of each."""

    def __init__(self, expansion: _Expansion, rank: int) -> None:
        self._expansion, self._rank = expansion, rank
        self.items: list[tuple[int, int]] = []
        # Times of each item: those of _TIMES.
        self.times: list[tuple[int, int, int, int]] = []
        self._open: dict[int, str] = {}
        self._add(expansion.body(), (), 1)

    def _add(self, body: Sequence[PatternNode], turns: Turns, times: int) -> None:
        """Adds calls and loops in turns of loops that count them, `times` times in all other loops around."""
        for node in self._in_order(body, turns):
            if not isinstance(node, PatternLoop):
                self._add_call(node, turns, times)
            elif node.index:
                for turn in range(self._expansion.turns(node, self._rank, turns)):
                    self._add(node.body, (*turns, (node.index, turn)), times)
            elif node.turns == GRAPH_OF_RANKS:
                self._add_for_neighbors(node, turns, times)
            else:
                self._add_loop(node, turns, times)

    def _in_order(self, body: Sequence[PatternNode], turns: Turns) -> Iterator[PatternNode]:
        """Yields the calls and loops of the rank; those of a run by the ranks of their peers."""
        present = (node for node in body if self._expansion.is_present(node, self._rank, turns))
        for run, some in itertools.groupby(present, _run_of):
            if run is None:
                yield from some
            else:
                yield from sorted(
                    some, key=lambda node: self._expansion.peer(node, self._rank, turns)
                )

    def _append(
        self, item: tuple[int, int], times: tuple[int, int, int, int] = (0, 0, 0, 0)
    ) -> None:
        if max(times) > _LONGEST:
            raise TraceError(
                f"rank {self._rank} computes for too long in loops: expected less than 2^63 ps "
                "(106 days) at one call"
            )
        self.items.append(item)
        self.times.append(times)

    def _add_call(self, call: PatternCall, turns: Turns, times: int) -> None:
        if call.call != "wait":
            for arguments in self._expansion.calls(call, self._rank, turns):
                self._add_one(call, arguments, times)
        elif call.peers:
            while oldest := self._oldest(call):
                self._add_one(call, oldest, times)
        else:
            self._add_one(call, self._completed(call), times)

    def _add_for_neighbors(self, loop: PatternLoop, turns: Turns, times: int) -> None:
        """Adds the calls in a loop for one neighbour after the other."""
        calls = [node for node in loop.body if isinstance(node, PatternCall)]
        present = [call for call in calls if self._expansion.is_present(call, self._rank, turns)]
        messages = {
            id(call): iter(self._expansion.calls(call, self._rank, turns))
            for call in present
            if call.call != "wait"
        }
        is_left = bool(present)
        while is_left:
            is_left = False
            for call in present:
                arguments = (
                    next(messages[id(call)], None) if id(call) in messages else self._oldest(call)
                )
                if arguments:
                    self._add_one(call, arguments, times)
                    is_left = True

    def _add_one(self, call: PatternCall, arguments: Sequence[int], times: int) -> None:
        slot = -1
        if call.label:
            slot = next(i for i in range(len(self._open) + 1) if i not in self._open)
            self._open[slot] = call.label
        event = self._expansion.event(call, arguments, slot)
        seconds = self._expansion.seconds
        computed, processor, io = seconds(call.computed), seconds(call.processor), seconds(call.io)
        self._append((event, 0), (times * computed, times * processor, times * io, io))

    def _oldest(self, wait: PatternCall) -> list[int]:
        """Returns the slot of the oldest request that a call completes, which is free then; none is open: nothing."""
        slot = next((slot for slot, label in self._open.items() if label in wait.waits), None)
        if slot is None:
            return []
        del self._open[slot]
        return [slot]

    def _completed(self, wait: PatternCall) -> list[int]:
        """Returns the slots of the requests that a call completes, which are free then.

        A wait with a peer is for one request, the oldest of its label.
        """
        if wait.offsets:
            return self._oldest(wait)
        done = [s for s in sorted(self._open) if ALL in wait.waits or self._open[s] in wait.waits]
        for slot in done:
            del self._open[slot]
        return done

    def _add_loop(self, loop: PatternLoop, turns: Turns, times: int) -> None:
        own = self._expansion.turns(loop, self._rank, turns)
        before = dict(self._open)
        for repeat in range(own):
            # A turn is written once if it leaves the requests open that it found.
            left = own - repeat
            here = len(self.items)
            self._append((-left, 0))
            self._add(loop.body, turns, left * times)
            length = len(self.items) - here - 1
            if set(self._open) != set(before) and left > 1:
                before = dict(self._open)
                self._unwind(here, left)
                continue
            if length:
                self.items[here] = (-left, length)
            else:
                del self.items[here], self.times[here]
            return

    def _unwind(self, here: int, left: int) -> None:
        """Turns the loop that was begun into one turn of it."""
        del self.items[here], self.times[here]
        self.times[here:] = [
            (computed // left, processor // left, inside // left, each)
            for computed, processor, inside, each in self.times[here:]
        ]
