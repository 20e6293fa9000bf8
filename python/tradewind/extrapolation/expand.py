"""A pattern carried out: the trace of a program at a number of ranks at which it never ran."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import core
from tradewind.errors import TraceError
from tradewind.extrapolation.formula import Formula, evaluate, whole
from tradewind.extrapolation.grids import AXES, Vector
from tradewind.extrapolation.groups import Communicators
from tradewind.extrapolation.pattern import (
    ALL,
    Pattern,
    PatternCall,
    PatternLoop,
    PatternNode,
    calls_in,
)
from tradewind.extrapolation.samples import all_names
from tradewind.extrapolation.tree import MESSAGES, SELF, WORLD
from tradewind.trace_file import NO_PEER, NONBLOCKING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

_MOST_RANKS = 2**24
_PICOSECONDS = 1e12
_LONGEST = 2**63 - 1
_NAME = re.compile(r"[A-Za-z_]\w*")


def expand(pattern: Pattern, ranks: int) -> dict[str, Any]:
    """Makes the trace of a pattern.

    Args:
        pattern: The program.
        ranks: The number of ranks.

    Returns:
        The arrays of the trace by name, and its strings as bytes.

    Raises:
        TraceError: If the grid has no extents for that many ranks, or a formula fails.
    """
    if not 1 <= ranks <= _MOST_RANKS:
        raise TraceError(f"ranks = {ranks} is not in 1..{_MOST_RANKS}")
    extents = pattern.grid.extents(ranks)
    names = all_names(ranks, extents)
    for name, value in pattern.sizes.items():
        names[name] = np.broadcast_to(np.asarray(evaluate(value, names)), (ranks,))
    return _Expansion(pattern, extents, names).arrays()


@dataclass
class _Values:
    """The values of a call or loop of the pattern on each rank, a column for each entry."""

    present: NDArray[np.bool_]
    columns: list[Numbers] = field(default_factory=list)


class _Tables:
    """The events and strings of a trace."""

    def __init__(self) -> None:
        self._calls = {name: number for number, (name, _) in enumerate(core.load().trace_calls())}
        self._events: dict[tuple[int, ...], int] = {}
        self._strings: dict[str, int] = {}

    def string(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings)) if text else -1

    def event(self, call: PatternCall, comm: int, flags: int, arguments: Sequence[int]) -> int:
        if call.call not in self._calls:
            raise TraceError(f'call "{call.call}" is unknown; known are: {", ".join(self._calls)}')
        key = (self._calls[call.call], comm, flags, self.string(call.site), *arguments)
        return self._events.setdefault(key, len(self._events))

    def arrays(self) -> dict[str, Any]:
        heads: list[int] = []
        arguments: list[int] = []
        for key in self._events:
            heads += [*key[:4], len(arguments), len(key) - 4]
            arguments += key[4:]
        texts = [text.encode() for text in self._strings]
        first = np.cumsum([0, *map(len, texts)])
        return {
            "events": np.asarray(heads, np.int64),
            "arguments": np.asarray(arguments, np.int64),
            "string_first": first.astype(np.int64),
            "strings": b"".join(texts),
        }


class _Expansion:
    def __init__(self, pattern: Pattern, extents: Vector, names: Mapping[str, Any]) -> None:
        self._pattern, self._extents, self._names = pattern, extents, names
        self._ranks = int(np.prod(extents))
        calls = list(calls_in(pattern.body))
        used = [call.group for call in calls] + [c.about_group for c in calls if c.about_group]
        groups = dict.fromkeys([WORLD, SELF, *used])
        self._comms = Communicators(list(groups), extents)
        self._tables = _Tables()
        self._values: dict[int, _Values] = {}

    def arrays(self) -> dict[str, Any]:
        self._evaluate(self._pattern.body)
        signature = np.stack(
            [column for one in self._values.values() for column in (one.present, *one.columns)]
            or [np.zeros(self._ranks, np.int64)],
            1,
        )
        _, first, inverse = np.unique(signature, axis=0, return_index=True, return_inverse=True)
        streams = [_Stream(self, int(rank)) for rank in first]
        inverse = inverse.reshape(-1)
        lengths = np.asarray([len(stream.items) for stream in streams], np.int64)
        result = {
            "stream_first": np.concatenate([[0], np.cumsum(lengths)]),
            "items": np.asarray([x for s in streams for item in s.items for x in item], np.int64),
            "stream": inverse.astype(np.int64),
            "time_first": np.concatenate([[0], np.cumsum(lengths[inverse])]),
        }
        for name in ("computed", "processor"):
            times = [np.asarray(getattr(stream, name), np.int64) for stream in streams]
            result[name] = np.concatenate([times[one] for one in inverse])
        nothing = np.zeros(int(result["time_first"][-1]), np.int64)
        result |= dict.fromkeys(("inside", "inside_min", "inside_max"), nothing)
        return result | self._comms.arrays() | self._tables.arrays()

    def _evaluate(self, body: Sequence[PatternNode]) -> None:
        for node in body:
            if isinstance(node, PatternLoop):
                turns = whole(node.turns, self._names, self._ranks)
                self._values[id(node)] = _Values(self._truth(node.when), [turns])
                self._evaluate(node.body)
            else:
                self._values[id(node)] = self._call(node)

    def _truth(self, condition: str, extra: Mapping[str, Any] | None = None) -> Any:
        if not condition:
            return np.ones(self._ranks, bool)
        known = evaluate(condition, {**self._names, **(extra or {})})
        return np.broadcast_to(np.asarray(known, bool), (self._ranks,))

    def _inside(self, offset: Sequence[int]) -> NDArray[np.bool_]:
        inside = np.ones(self._ranks, bool)
        for axis, step in zip(AXES, offset, strict=False):
            place = self._names[axis] + step
            inside &= (place >= 0) & (place < self._names[f"n{axis}"])
        return inside

    def _call(self, call: PatternCall) -> _Values:
        offsets = [step or [0] * len(self._extents) for step in call.offsets]
        if any(len(step) != len(self._extents) for step in offsets):
            raise TraceError(
                f"{call.call}: offsets {call.offsets} do not have {len(self._extents)} steps"
            )
        inside = [{"inside": self._inside(step)} for step in offsets]
        values = _Values(self._truth(call.when, inside[0] if inside else None))
        conditions = call.peers_when or [""] * len(offsets)
        numbers = len(call.numbers) if call.call in MESSAGES else len(offsets)
        if any(length != len(offsets) for length in (len(conditions), len(call.tags), numbers)):
            raise TraceError(
                f"{call.call}: offsets, peers_when, tags and numbers have different lengths"
            )
        if call.call in MESSAGES and len(offsets) != MESSAGES[call.call]:
            raise TraceError(
                f"{call.call}: has {len(offsets)} offsets, must have {MESSAGES[call.call]}"
            )
        exists = [
            self._truth(condition, where)
            for condition, where in zip(conditions, inside, strict=True)
        ]
        own = self._comms.index(call.group, [0] * len(self._extents))
        for step, there in zip(offsets, exists, strict=True):
            peers = self._comms.index(call.group, step) - own
            values.columns.append(np.where(there, peers, NO_PEER))
        for place, formula in enumerate(call.numbers):
            there = exists[place] if place < len(exists) else np.ones(self._ranks, bool)
            known = whole(formula, self._names, self._ranks, there)
            values.columns.append(np.where(there, known, 0))
        for formula in call.counts:
            words = set(_NAME.findall(str(formula)))
            values.columns += [self._names[name] for name in sorted(words & set(self._names))]
        return values

    def arguments(self, call: PatternCall, rank: int) -> list[int]:
        """Returns the arguments of a call on one rank, without its slot."""
        known = [int(column[rank]) for column in self._values[id(call)].columns]
        if call.call in MESSAGES:
            count = len(call.offsets)
            numbers = known[count : 2 * count]
            triples = zip(known[:count], call.tags, numbers, strict=True)
            return [number for triple in triples for number in triple]
        if call.call in ("comm_create", "comm_free"):
            return [self._comms.number(call.about)]
        if call.call in ("region", "other"):
            return [self._tables.string(call.about)]
        return known[: len(call.numbers)] + self._counts(call, rank)

    def _counts(self, call: PatternCall, rank: int) -> list[int]:
        if not call.counts:
            return []
        size = self._comms.size(call.group)
        names = {name: values[rank] for name, values in self._names.items()}
        names |= {"j": np.arange(size), "m": size}
        if call.call in ("gatherv", "scatterv") and int(
            self._values[id(call)].columns[0][rank]
        ) != int(self._comms.index(call.group, [0] * len(self._extents))[rank]):
            return []
        return [int(count) for formula in call.counts for count in whole(formula, names, size)]

    def seconds(self, formula: Formula) -> int:
        """Returns a time in picoseconds."""
        value = float(np.ravel(np.asarray(evaluate(formula, self._names), float))[0])
        if not 0 <= value < 1e6:
            raise TraceError(f'"{formula}" is no time in seconds')
        return round(value * _PICOSECONDS)

    def event(self, call: PatternCall, rank: int, slot: int, waits: Sequence[int]) -> int:
        arguments = list(waits) if call.call == "wait" else self.arguments(call, rank)
        flags = call.flags | (NONBLOCKING if slot >= 0 else 0)
        comm = self._comms.number(call.group)
        return self._tables.event(call, comm, flags, [*arguments, *([slot] if slot >= 0 else [])])

    def is_present(self, node: PatternNode, rank: int) -> bool:
        return bool(self._values[id(node)].present[rank])

    def turns(self, loop: PatternLoop, rank: int) -> int:
        return int(self._values[id(loop)].columns[0][rank])

    def body(self) -> list[PatternNode]:
        return self._pattern.body


class _Stream:
    """The items of one rank, which other ranks share, and the times of each."""

    def __init__(self, expansion: _Expansion, rank: int) -> None:
        self._expansion, self._rank = expansion, rank
        self.items: list[tuple[int, int]] = []
        self.computed: list[int] = []
        self.processor: list[int] = []
        self._open: dict[int, str] = {}
        self._add(expansion.body(), 1)

    def _add(self, body: Sequence[PatternNode], turns: int) -> None:
        for node in body:
            if not self._expansion.is_present(node, self._rank):
                continue
            if isinstance(node, PatternLoop):
                self._add_loop(node, turns)
            else:
                self._add_call(node, turns)

    def _append(self, item: tuple[int, int], computed: int, processor: int) -> None:
        if max(computed, processor) > _LONGEST:
            raise TraceError(
                f"rank {self._rank} computes for too long in loops: expected less than 2^63 ps "
                "(106 days) at one call"
            )
        self.items.append(item)
        self.computed.append(computed)
        self.processor.append(processor)

    def _add_call(self, call: PatternCall, turns: int) -> None:
        slot, waits = -1, []
        if call.label:
            slot = next(i for i in range(len(self._open) + 1) if i not in self._open)
            self._open[slot] = call.label
        elif call.call == "wait":
            waits = [
                s for s in sorted(self._open) if ALL in call.waits or self._open[s] in call.waits
            ]
            for done in waits:
                del self._open[done]
        event = self._expansion.event(call, self._rank, slot, waits)
        computed = turns * self._expansion.seconds(call.computed)
        self._append((event, 0), computed, turns * self._expansion.seconds(call.processor))

    def _add_loop(self, loop: PatternLoop, turns: int) -> None:
        own = self._expansion.turns(loop, self._rank)
        before = dict(self._open)
        for repeat in range(own):
            # A turn is written once if it leaves the requests open that it found.
            left = own - repeat
            here = len(self.items)
            self._append((-left, 0), 0, 0)
            self._add(loop.body, left * turns)
            length = len(self.items) - here - 1
            if set(self._open) != set(before) and left > 1:
                before = dict(self._open)
                self._unwind(here, left)
                continue
            if length:
                self.items[here] = (-left, length)
            else:
                del self.items[here], self.computed[here], self.processor[here]
            return

    def _unwind(self, here: int, left: int) -> None:
        """Turns the loop that was begun into one turn of it."""
        del self.items[here], self.computed[here], self.processor[here]
        for times in (self.computed, self.processor):
            times[here:] = [time // left for time in times[here:]]
