"""A search from coarse to fine: a few radices, radices around the best, protocols, transports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isqrt
from typing import Any

from tradewind import core
from tradewind.config import keys

# Number of best candidates that are refined.
_KEPT = 2
_FINE_STEPS = 8
_WINDOWS = (4, 16, 64)


@dataclass(frozen=True)
class Candidate:
    """An algorithm with its options; None leaves the default."""

    algorithm: str
    radix: int | None = None
    window: int | None = None
    protocol: str | None = None
    transport: str | None = None

    @property
    def options(self) -> dict[str, int | str]:
        """The options that are set, beside the transport."""
        given = {"radix": self.radix, "window": self.window, "protocol": self.protocol}
        return {key: value for key, value in given.items() if value is not None}

    @property
    def settings(self) -> dict[str, int | str]:
        """The settings for the table of a program."""
        by = {"transport": self.transport} if self.transport else {}
        return {"algorithm": self.algorithm, **self.options, **by}

    @property
    def text(self) -> str:
        """The text in one word, for the keys of models: NAME:KEY=VALUE,..."""
        given = {key: value for key, value in self.settings.items() if key != "algorithm"}
        options = ",".join(f"{key}={value}" for key, value in given.items())
        return f"{self.algorithm}:{options}" if options else self.algorithm

    @property
    def label(self) -> str:
        """The label in words."""
        by = [f"by {self.transport}"] if self.transport else []
        return ", ".join([self.algorithm, *(f"{k} {v}" for k, v in self.options.items()), *by])


Trial = Callable[[Candidate, float], float | None]


@dataclass
class Search:
    """The search for one operation.

    Args:
        operation: "alltoallv", "allreduce", "neighbor", or MODEL.KEY, a choice of a model.
        ranks: Ranks that take part: no radix is larger.
        trial: Time of a candidate in seconds; None if it does not work here, or takes longer than
            the given bound.
    """

    operation: str
    ranks: int
    trial: Trial
    times: dict[Candidate, float | None] = field(default_factory=dict)

    def run(self) -> Candidate | None:
        """Returns the best candidate; None if none of them works."""
        self._try([default_candidate(self.operation)])
        self._try(coarse_candidates(self.operation, self.ranks))
        for candidate in self._best():
            self._refine(candidate)
        for candidate in self._best():
            self._try(_with_protocols(self.operation, candidate))
            self._try(_by_puts(self.operation, candidate))
        return next(iter(self._best()), None)

    @property
    def best_time(self) -> float:
        """The best time of all tried candidates; infinite before the first."""
        return min((time for time in self.times.values() if time is not None), default=float("inf"))

    def _try(self, candidates: Sequence[Candidate]) -> None:
        for candidate in candidates:
            if candidate not in self.times:
                # Those that are not much slower must not be cut off: finer steps may make them win.
                self.times[candidate] = self.trial(candidate, 1.5 * self.best_time)

    def _best(self) -> list[Candidate]:
        """Returns the best few, one for each algorithm."""
        done = {c: time for c, time in self.times.items() if time is not None}
        found: dict[str, Candidate] = {}
        for candidate in sorted(done, key=lambda c: done[c]):
            found.setdefault(candidate.algorithm, candidate)
        return list(found.values())[:_KEPT]

    def _refine(self, best: Candidate) -> None:
        """Halves the steps around the best radix or window as long as there are numbers between."""
        name = "radix" if best.radix is not None else "window" if best.window is not None else None
        for _ in range(_FINE_STEPS if name else 0):
            tried = sorted(self._numbers(best.algorithm, str(name)))
            centre = min(tried, key=lambda n: self._numbers(best.algorithm, str(name))[n])
            at = tried.index(centre)
            steps = [isqrt(low * high) for low, high in _neighbours(tried, at)]
            new = [number for number in steps if number not in tried]
            if not new:
                return
            self._try([_with_number(best, str(name), number) for number in new])

    def _numbers(self, algorithm: str, name: str) -> dict[int, float]:
        """Returns the times of one algorithm by radix or window; those cut off are infinite."""
        return {
            getattr(candidate, name): float("inf") if time is None else time
            for candidate, time in self.times.items()
            if candidate.algorithm == algorithm
            and candidate.protocol is None
            and candidate.transport is None
            and getattr(candidate, name) is not None
        }


def _with_number(candidate: Candidate, name: str, number: int) -> Candidate:
    if name == "radix":
        return replace(candidate, radix=number)
    return replace(candidate, window=number)


def _neighbours(numbers: Sequence[int], at: int) -> Iterator[tuple[int, int]]:
    if at > 0:
        yield numbers[at - 1], numbers[at]
    if at + 1 < len(numbers):
        yield numbers[at], numbers[at + 1]


def default_candidate(operation: str) -> Candidate:
    """Returns the candidate of a program that names no algorithm."""
    name = keys.DEFAULT_ALGORITHMS[operation]
    facts = next(entry for entry in _algorithms(operation) if entry["name"] == name)
    return Candidate(name, radix=facts["default_radix"] or None)


def coarse_candidates(operation: str, ranks: int) -> list[Candidate]:
    """Returns every algorithm once, those with a number with a few numbers far apart."""
    found = []
    for entry in _algorithms(operation):
        name = str(entry["name"])
        if entry["same_as"] != name:
            continue
        if entry["smallest_radix"] > 0:
            found += [Candidate(name, radix=radix) for radix in _coarse_radices(entry, ranks)]
        elif "window" in keys.READS.get(name.rpartition(".")[2], ()):
            found += [Candidate(name, window=window) for window in _WINDOWS]
        else:
            found.append(Candidate(name))
    return found


def _coarse_radices(entry: Mapping[str, Any], ranks: int) -> list[int]:
    smallest, default = int(entry["smallest_radix"]), int(entry["default_radix"])
    powers = [4**step for step in range(1, 16)]
    largest = max(ranks, smallest)
    chosen = {smallest, default, largest, *powers}
    return sorted(radix for radix in chosen if smallest <= radix <= largest)


def _takes_protocols(operation: str, candidate: Candidate) -> bool:
    entry = next(e for e in _algorithms(operation) if e["name"] == candidate.algorithm)
    return bool(entry["has_protocols"]) and candidate.protocol is None


def _by_puts(operation: str, candidate: Candidate) -> list[Candidate]:
    """Returns the candidates by one-sided puts, by every protocol that differs; neighbours have none."""
    if operation == "neighbor" or not _takes_protocols(operation, candidate):
        return []
    protocols = (None, *core.load().put_protocols())
    return [replace(candidate, protocol=name, transport="puts") for name in protocols]


def _with_protocols(operation: str, candidate: Candidate) -> list[Candidate]:
    if not _takes_protocols(operation, candidate):
        return []
    return [
        Candidate(candidate.algorithm, candidate.radix, candidate.window, name)
        for name in core.names("protocols")
    ]


def _algorithms(operation: str) -> list[dict[str, Any]]:
    return [entry for entry in core.load().algorithms() if entry["operation"] == operation]
