"""Recorded times beside those of a replay, by call site."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.inspection.calls import Calls, calls_of, joined
from tradewind.inspection.names import NO_SITE
from tradewind.trace_file import NONBLOCKING, TIMING, WILDCARD

if TYPE_CHECKING:
    from tradewind.trace_file import Numbers, Trace

# The rules of choice of a library, by the beginning of the name that it gives itself.
_RULES = {"MPICH": "mpich", "Open MPI": "openmpi"}


@dataclass(frozen=True)
class Replayed:
    """The times of a replay with `computation = "wall"` and `phases = "sites"`.

    Args:
        name: The machine.
        time_s: The simulated time.
        phase_s: The mean duration of each phase in s, by its name.
    """

    name: str
    time_s: float
    phase_s: Mapping[str, float]


@dataclass(frozen=True)
class SiteTimes:
    """The time in the calls of one kind at one call site, recorded and replayed.

    Args:
        call: The name in the trace, with an i in front if the call is nonblocking.
        site: The call site, or "".
        count: The number of calls of all ranks.
        recorded_s: The recorded time in s, summed over ranks.
        replayed_s: The simulated time on each machine, summed over ranks.
        depends_on_timing: Some of the calls depend on timing, or received from any source.
    """

    call: str
    site: str
    count: int
    recorded_s: float
    replayed_s: tuple[float, ...]
    depends_on_timing: bool


@dataclass(frozen=True)
class Comparison:
    """A recording beside its replays.

    Args:
        machines: The names of the machines.
        recorded_s: The longest recorded time of a rank in s.
        replayed_s: The simulated time on each machine.
        sites: The times by call site, the longest first.
        library: The library whose rules chose the algorithms of collectives, as the key
            `library` of the replay names it, or "none".
    """

    machines: tuple[str, ...]
    recorded_s: float
    replayed_s: tuple[float, ...]
    sites: list[SiteTimes]
    library: str = "none"

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON can hold it."""
        return asdict(self)


def choice_rules(trace: Trace) -> str:
    """Returns the `library` of a replay that chooses algorithms as the library did that was recorded.

    It is "none" if the rules of that library are not known.
    """
    library = str(trace.facts.get("library", ""))
    return next((rules for name, rules in _RULES.items() if library.startswith(name)), "none")


def compare(
    trace: Trace, recorded_s: float, replays: Sequence[Replayed], library: str = "none"
) -> Comparison:
    """Returns the recorded times of a trace beside those of replays.

    Args:
        trace: The trace.
        recorded_s: The recorded time of the program in s.
        replays: Its replays.
        library: The library whose rules they followed.

    Raises:
        TraceError: If a call names what does not exist.
    """
    everything = calls_of(trace)
    calls = everything.only(everything.in_program() & ~everything.is_call("region"))
    row, kinds = _kinds(calls)
    count = np.zeros(len(kinds), np.int64)
    np.add.at(count, row, calls.turns)
    inside = np.bincount(row, calls.seconds("inside"), minlength=len(kinds))
    doubts = np.bincount(
        row, (calls.of_event("flags") & (TIMING | WILDCARD)) != 0, minlength=len(kinds)
    )
    sites = [
        SiteTimes(
            call,
            site,
            int(count[i]),
            float(inside[i]),
            tuple(count[i] * one.phase_s.get(f"{call} {site}".strip(), 0.0) for one in replays),
            bool(doubts[i]),
        )
        for i, (call, site) in enumerate(kinds)
    ]
    sites.sort(key=lambda one: (-max(one.recorded_s, *one.replayed_s), one.call, one.site))
    machines = tuple(one.name for one in replays)
    times_s = tuple(one.time_s for one in replays)
    return Comparison(machines, recorded_s, times_s, sites, library)


def _kinds(calls: Calls) -> tuple[Numbers, list[tuple[str, str]]]:
    """Returns for each row its kind, and call and site of each kind, as a replay names phases."""
    call, site = calls.of_event("call"), calls.of_event("site")
    is_nonblocking = (calls.of_event("flags") & NONBLOCKING) != 0
    _, first, row = np.unique(
        joined(call, is_nonblocking, np.maximum(site, NO_SITE)),
        return_index=True,
        return_inverse=True,
    )
    strings = calls.trace.strings
    kinds = [
        (
            ("i" if is_nonblocking[at] else "") + calls.trace.calls[call[at]],
            strings[site[at]] if site[at] > NO_SITE else "",
        )
        for at in first.tolist()
    ]
    return row, kinds
