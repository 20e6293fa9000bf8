"""A search from coarse to fine: a few radices, radices around the best, protocols, transports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isqrt

from tradewind import core
from tradewind.config import keys
from tradewind.config.schema import Key, Table

# Number of best candidates that are refined.
_KEPT = 2
_FINE_STEPS = 8
# Numbers with which a search begins where the ranks do not bound them.
_FAR_APART = (4, 16, 64)


@dataclass(frozen=True, init=False)
class Candidate:
    """An algorithm with its options; one that is left out, or None, has its default."""

    algorithm: str
    given: tuple[tuple[str, int | str], ...]

    def __init__(self, algorithm: str, **options: int | str | None) -> None:
        object.__setattr__(self, "algorithm", algorithm)
        present = ((key, options[key]) for key in keys.options() if key in options)
        given = tuple((key, value) for key, value in present if value is not None)
        object.__setattr__(self, "given", given)

    def changed(self, **options: int | str) -> Candidate:
        """Returns the candidate with other values for some options."""
        return Candidate(self.algorithm, **{**dict(self.given), **options})

    @property
    def transport(self) -> str | None:
        """The transport of its messages, if it is set."""
        return next((str(value) for key, value in self.given if key == "transport"), None)

    @property
    def options(self) -> dict[str, int | str]:
        """The options that are set, beside the transport."""
        return {key: value for key, value in self.given if key != "transport"}

    @property
    def settings(self) -> dict[str, int | str]:
        """The settings for the table of a program."""
        return {"algorithm": self.algorithm, **dict(self.given)}

    @property
    def text(self) -> str:
        """The text in one word, for the keys of models: NAME:KEY=VALUE,..."""
        options = ",".join(f"{key}={value}" for key, value in self.given)
        return f"{self.algorithm}:{options}" if options else self.algorithm

    @property
    def label(self) -> str:
        """The label in words."""
        by = [f"by {self.transport}"] if self.transport else []
        return ", ".join([self.algorithm, *(f"{k} {v}" for k, v in self.options.items()), *by])


Trial = Callable[[Candidate, float], float | None]
ProgramKey = Callable[[Candidate], str | None]


@dataclass
class Search:
    """The search for one operation.

    Args:
        operation: "alltoallv", "allreduce", "neighbor", or MODEL.KEY, a choice of a model.
        ranks: Ranks that take part: no radix is larger.
        trial: Time of a candidate in seconds; None if it does not work here, or takes longer than
            the given bound.
        program_key: Key that candidates share which are the same program; None if that is not
            known. Only the first one of them is tried.
    """

    operation: str
    ranks: int
    trial: Trial
    program_key: ProgramKey = lambda candidate: None
    times: dict[Candidate, float | None] = field(default_factory=dict)
    _first: dict[str, Candidate] = field(default_factory=dict)
    _same: dict[Candidate, Candidate] = field(default_factory=dict)

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

    @property
    def programs(self) -> int:
        """The number of different programs among the tried candidates."""
        return len(self.times) - len(self._same)

    def same(self, one: Candidate, other: Candidate) -> bool:
        """Returns whether two tried candidates are the same program."""
        return self._same.get(one, one) == self._same.get(other, other)

    def _try(self, candidates: Sequence[Candidate]) -> None:
        for candidate in candidates:
            if candidate in self.times:
                continue
            earlier = self._earlier(candidate)
            if earlier is not None:
                self._same[candidate] = earlier
                self.times[candidate] = self.times[earlier]
                continue
            # Those that are not much slower must not be cut off: finer steps may make them win.
            self.times[candidate] = self.trial(candidate, 1.5 * self.best_time)

    def _earlier(self, candidate: Candidate) -> Candidate | None:
        """Returns the tried candidate that is the same program."""
        key = self.program_key(candidate)
        if key is None:
            return None
        first = self._first.setdefault(key, candidate)
        return None if first == candidate else first

    def _best(self) -> list[Candidate]:
        """Returns the best few, one for each algorithm."""
        done = {c: time for c, time in self.times.items() if time is not None}
        found: dict[str, Candidate] = {}
        for candidate in sorted(done, key=lambda c: done[c]):
            found.setdefault(candidate.algorithm, candidate)
        return list(found.values())[:_KEPT]

    def _refine(self, best: Candidate) -> None:
        """Halves the steps around the best number as long as there are numbers between."""
        name = next((key for key, value in best.given if isinstance(value, int)), None)
        for _ in range(_FINE_STEPS if name else 0):
            numbers = self._numbers(best.algorithm, str(name))
            tried = sorted(numbers)
            at = tried.index(min(tried, key=lambda number: numbers[number]))
            steps = [isqrt(low * high) for low, high in _neighbours(tried, at)]
            new = [number for number in steps if number not in tried]
            if not new:
                return
            self._try([best.changed(**{str(name): number}) for number in new])

    def _numbers(self, algorithm: str, name: str) -> dict[int, float]:
        """Returns the times of one algorithm by one number; those cut off are infinite."""
        return {
            number: float("inf") if time is None else time
            for candidate, time in self.times.items()
            if candidate.algorithm == algorithm and [key for key, _ in candidate.given] == [name]
            for number in [int(candidate.given[0][1])]
        }


def _neighbours(numbers: Sequence[int], at: int) -> Iterator[tuple[int, int]]:
    if at > 0:
        yield numbers[at - 1], numbers[at]
    if at + 1 < len(numbers):
        yield numbers[at], numbers[at + 1]


def default_candidate(operation: str) -> Candidate:
    """Returns the candidate of a program that names no algorithm.

    Args:
        operation: A collective, or MODEL.KEY, a choice of a model.
    """
    name = keys.default_algorithm(operation)
    own = keys.options_of(operation)[name]
    return Candidate(name, **{key: int(str(own[key].default)) for key in _numbers_of(own)})


def coarse_candidates(operation: str, ranks: int) -> list[Candidate]:
    """Returns every algorithm once, those with a number with a few numbers far apart.

    Args:
        operation: A collective, or MODEL.KEY, a choice of a model.
        ranks: The number of ranks, which bounds radix and groups.
    """
    found = []
    for entry in core.load().algorithms():
        name = str(entry["name"])
        if entry["operation"] != operation or entry["same_as"] != name:
            continue
        own = keys.options_of(operation)[name]
        varied = _numbers_of(own)
        found += [
            Candidate(name, **{key: number})
            for key in varied
            for number in _coarse_numbers(key, own[key], ranks)
        ]
        if not varied:
            found.append(Candidate(name))
    return found


def _numbers_of(own: Table) -> list[str]:
    """Returns the options of an algorithm that are whole numbers."""
    return [key for key, option in own.items() if option.kind is int]


def _coarse_numbers(key: str, option: Key, ranks: int) -> Sequence[int]:
    """Returns numbers far apart; no radix is larger than the number of ranks."""
    if key != "radix":
        return _FAR_APART
    smallest = int(option.low)
    largest = max(ranks, smallest)
    chosen = {smallest, int(str(option.default)), largest, *(4**step for step in range(1, 16))}
    return sorted(radix for radix in chosen if smallest <= radix <= largest)


def _accepts(operation: str, candidate: Candidate, option: str) -> bool:
    """Returns whether an algorithm reads an option that is not set yet."""
    own = keys.options_of(operation)[candidate.algorithm]
    return option in own and option not in dict(candidate.given)


def _by_puts(operation: str, candidate: Candidate) -> list[Candidate]:
    """Returns the candidates by one-sided puts, by every protocol that differs."""
    if not all(_accepts(operation, candidate, key) for key in ("protocol", "transport")):
        return []
    by_puts = candidate.changed(transport="puts")
    return [by_puts, *(by_puts.changed(protocol=one) for one in core.load().put_protocols())]


def _with_protocols(operation: str, candidate: Candidate) -> list[Candidate]:
    if not _accepts(operation, candidate, "protocol"):
        return []
    return [candidate.changed(protocol=name) for name in core.names("protocols")]
