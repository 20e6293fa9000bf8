"""The events of a trace that is made from a pattern, and the lists in the calls of patterns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import core
from tradewind.errors import TraceError
from tradewind.extrapolation.pattern import PatternCall
from tradewind.extrapolation.tree import ACCESSES, GRAPHS, MESSAGES, ON_WINDOW

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Tables:
    """The events and strings of a trace."""

    def __init__(self) -> None:
        self._calls = {name: number for number, (name, _) in enumerate(core.load().trace_calls())}
        self._events: dict[tuple[int, ...], int] = {}
        self._strings: dict[str, int] = {}

    def string(self, text: str) -> int:
        """Returns the number of a text; -1 if it is empty."""
        return self._strings.setdefault(text, len(self._strings)) if text else -1

    def event(self, call: PatternCall, comm: int, flags: int, arguments: Sequence[int]) -> int:
        """Returns the number of an event; equal ones have the same."""
        if call.call not in self._calls:
            raise TraceError(f'call "{call.call}" is unknown; known are: {", ".join(self._calls)}')
        key = (self._calls[call.call], comm, flags, self.string(call.site), *arguments)
        return self._events.setdefault(key, len(self._events))

    def arrays(self) -> dict[str, Any]:
        """Returns the arrays of the trace that hold events and texts."""
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


def edges(
    call: PatternCall, pairs: Sequence[tuple[int, int, NDArray[np.bool_]]], rank: int
) -> list[int]:
    """Returns the number of peers in one direction of a neighbourhood, then peer and bytes of each."""
    listed = [(peer, size) for peer, size, there in pairs if there[rank] or call.null_peers]
    if call.order:
        listed.sort()
    return [len(listed), *(number for pair in listed for number in pair)]


def check_lengths(call: PatternCall, conditions: int) -> None:
    """Throws TraceError if the lists of a call do not fit each other."""
    offsets, tags, numbers = len(call.offsets), len(call.tags), len(call.numbers)
    expected = MESSAGES.get(call.call, 1 if call.call in ACCESSES else offsets)
    if offsets != expected:
        raise TraceError(f"{call.call}: has {offsets} offsets, must have {expected}")
    if call.call in (*MESSAGES, *GRAPHS) and numbers != offsets:
        raise TraceError(f"{call.call}: offsets and numbers have different lengths")
    wanted = ACCESSES.get(call.call, numbers)
    if numbers != wanted:
        raise TraceError(f"{call.call}: has {numbers} numbers, must have {wanted}")
    if conditions != offsets or (call.call in MESSAGES and tags != offsets):
        raise TraceError(f"{call.call}: offsets, peers_when and tags have different lengths")
    if call.sources > offsets:
        raise TraceError(f"{call.call}: sources = {call.sources}, but it has {offsets} offsets")
    is_single_wait = call.call == "wait" and offsets == 1
    if (
        call.order
        and not is_single_wait
        and MESSAGES.get(call.call) != 1
        and call.call not in GRAPHS
    ):
        raise TraceError(f"{call.call}: order = {call.order} is for messages and neighbourhoods")
    if call.call in ON_WINDOW and call.window < 0:
        raise TraceError(f"{call.call}: window is missing")
    if call.call == "win_create" and numbers != 1:
        raise TraceError(f"{call.call}: has {numbers} numbers, must have 1")
