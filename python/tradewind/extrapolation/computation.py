"""The computation between the calls of a recording, beside that of the pattern at its ranks and size."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tradewind.inspection.calls import UNKNOWN_SITE, calls_of
from tradewind.trace_file import Trace
from tradewind.units import seconds_text

# Times are told to be off from this factor on; a remark on fits does so from an error of 25 % on, too.
MOST_FACTOR = 1.25
# Means before a call that differ by less are noise, as in fits of times.
_NOISE_S = 1e-5
# Call sites are named whose difference is such a share of all computation.
_LEAST_SHARE = 0.01
_MOST_NAMED = 3


@dataclass(frozen=True)
class SiteComputation:
    """The computation before the calls of one kind at one call site, summed over ranks.

    Args:
        call: The name in the trace.
        site: The call site, or "".
        predicted_s: The time by the pattern in s.
        recorded_s: The recorded processor time in s.
    """

    call: str
    site: str
    predicted_s: float
    recorded_s: float

    def words(self) -> str:
        """Returns the call with both times."""
        where = f" at {self.site}" if self.site else ""
        times = f"{seconds_text(self.predicted_s)}, recorded {seconds_text(self.recorded_s)}"
        return f"before {self.call}{where} {times}"


@dataclass(frozen=True)
class Computation:
    """The computation between all calls, summed over ranks.

    Args:
        predicted_s: The time by the pattern in s.
        recorded_s: The recorded processor time in s.
        furthest: The call sites where both differ by more than noise, the largest difference first.
        predicted_io_s: The time in calls on files by the pattern in s.
        recorded_io_s: The recorded one in s.
    """

    predicted_s: float
    recorded_s: float
    furthest: tuple[SiteComputation, ...]
    predicted_io_s: float = 0.0
    recorded_io_s: float = 0.0

    @property
    def is_off(self) -> bool:
        """Reports whether the pattern computes for too long or too short, by more than noise."""
        return bool(self.furthest) and _is_far(self.predicted_s, self.recorded_s)

    def words(self) -> str:
        """Returns how both compare, with the call sites where they differ most."""
        predicted, recorded = seconds_text(self.predicted_s), seconds_text(self.recorded_s)
        words = f"computation between calls: {predicted} by the pattern, {recorded} recorded"
        if self.recorded_s > 0:
            words += f" ({self.predicted_s / self.recorded_s:.0%})"
        if self.recorded_io_s > 0:
            ours, theirs = seconds_text(self.predicted_io_s), seconds_text(self.recorded_io_s)
            share = f"{self.predicted_io_s / self.recorded_io_s:.0%}"
            words += f"; in calls on files: {ours} by the pattern, {theirs} recorded ({share})"
        if self.furthest:
            return f"{words}; furthest off: {'; '.join(one.words() for one in self.furthest)}"
        if _is_far(self.predicted_s, self.recorded_s):
            return f"{words}; times so short are noise"
        return words

    def warning(self) -> str:
        """Returns that the pattern computes for too long or too short; empty if it does not."""
        if not self.is_off:
            return ""
        one, other = "the pattern", "the recording"
        less, more = self.recorded_s, self.predicted_s
        if less > more:
            one, other, less, more = other, one, more, less
        if less == 0:
            return f"{one} computes between calls, and {other} does not"
        return f"{one} computes {more / less:.2g} times as long as {other}"

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON can hold it."""
        ratio = self.predicted_s / self.recorded_s if self.recorded_s > 0 else None
        return asdict(self) | {"ratio": ratio, "is_off": self.is_off}


def compared_computation(predicted: Trace, recorded: Trace) -> Computation:
    """Compares the computation of two traces with the same calls.

    Processor time is compared, which a replay takes if no key says otherwise.

    Args:
        predicted: The trace of a pattern.
        recorded: A recording at the same rank count and problem size.

    Raises:
        TraceError: If a call names what does not exist.
    """
    ours, theirs = _by_site(predicted), _by_site(recorded)
    predicted_s, recorded_s = (float(sum(one for one, _ in it.values())) for it in (ours, theirs))
    least_s = _LEAST_SHARE * max(predicted_s, recorded_s)
    found = []
    for call, site in sorted(ours.keys() | theirs.keys()):
        (one_s, _), (other_s, count) = (it.get((call, site), (0.0, 0)) for it in (ours, theirs))
        if abs(one_s - other_s) > max(least_s, _NOISE_S * count) and _is_far(one_s, other_s):
            found.append(SiteComputation(call, site, one_s, other_s))
    found.sort(key=lambda one: -abs(one.predicted_s - one.recorded_s))
    named = tuple(found[:_MOST_NAMED])
    return Computation(predicted_s, recorded_s, named, _io_s(predicted), _io_s(recorded))


def _is_far(one_s: float, other_s: float) -> bool:
    less, more = sorted((one_s, other_s))
    return more > MOST_FACTOR * less


def _io_s(trace: Trace) -> float:
    """Returns the time in calls on files in s."""
    calls = calls_of(trace)
    is_io = calls.of_event("call") == trace.calls.index("file")
    return float(calls.seconds("inside")[is_io].sum())


def _by_site(trace: Trace) -> dict[tuple[str, str], tuple[float, int]]:
    """Returns the processor time before the calls of each kind at each site, in s, and their number."""
    calls = calls_of(trace)
    index, names = calls.sites
    sites = ["" if name == UNKNOWN_SITE else name for name in names]
    code = calls.of_event("call") * len(sites) + index
    keys, row = np.unique(code, return_inverse=True)
    seconds = np.bincount(row, calls.seconds("processor"), minlength=len(keys))
    counts = np.zeros(len(keys), np.int64)
    np.add.at(counts, row, calls.turns)
    return {
        (trace.calls[key // len(sites)], sites[key % len(sites)]): (time_s, count)
        for key, time_s, count in zip(keys.tolist(), seconds.tolist(), counts.tolist(), strict=True)
    }
