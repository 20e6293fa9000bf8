"""The whole search: every operation of every run of an experiment, kept after each trial."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from tradewind import core
from tradewind.config.experiment import Experiment
from tradewind.config.tuning_file import Entry, Tuning, load_tuning
from tradewind.errors import ConfigError, Interrupted
from tradewind.host import usable_cores
from tradewind.runs.duration import LONG_S, rough_time
from tradewind.runs.local import GO_ON
from tradewind.tuning.contest import FEWEST_PAIRS, Pair, Ratio, exact_ratio, in_turns, ratio_of
from tradewind.tuning.expectation import Rehearsal, analytic, is_refused, rehearse, simulated_cost
from tradewind.tuning.search import Candidate, Search, default_candidate
from tradewind.tuning.trials import MeasuredTrials, SimulatedTrials, Use, uses_of
from tradewind.units import bytes_text, seconds_text

Note = Callable[[str], None]


@dataclass
class Tuner:
    """Tunes an experiment.

    Args:
        experiment: The experiment; every member of a sweep is tuned.
        trials: The method that tries candidates.
        path: The tuning file, written after every trial.
        note: Is told of every operation and every better candidate.
        pairs: Times that the best candidate and the default are measured in turns.
    """

    experiment: Experiment
    trials: SimulatedTrials | MeasuredTrials
    path: Path
    note: Note = lambda text: None
    pairs: int = 12
    _tried: dict[str, float | None] = field(default_factory=dict, init=False)
    _entries: list[Entry] = field(default_factory=list, init=False)
    _kept: dict[str, Entry] = field(default_factory=dict, init=False)
    _keys: list[str] = field(default_factory=list, init=False)
    _program_keys: dict[str, str | None] = field(default_factory=dict, init=False)

    def run(self, *, fresh: bool = False) -> Tuning:
        """Searches and writes the file; takes over the trials that it has.

        Args:
            fresh: Makes the trials of the file again.

        Returns:
            The best candidate of every operation, and all trials.

        Raises:
            ConfigError: If the experiment is wrong, no algorithm in it can be chosen, or the file
                holds another tuning.
            Interrupted: On Ctrl-C; finished trials are in the file.
        """
        uses = self.uses()
        if not fresh and self.path.exists():
            self._take_over()
        try:
            self._announce(uses)
            for use in uses:
                self._tune(use)
        except KeyboardInterrupt:
            self._save(finished=False)
            raise Interrupted(
                f"interrupted; {len(self._tried)} trials are in {self.path}, {GO_ON}"
            ) from None
        if not self._entries:
            raise ConfigError(
                f"{self.experiment.source}: no candidate was finished; allow more time (--limit)"
            )
        return self._save(finished=True)

    @property
    def progress(self) -> str:
        """Trials and operations so far, in words."""
        return f"{len(self._tried)} trials, {len(self._entries)} operations are tuned"

    def _take_over(self) -> None:
        known = load_tuning(self.path)
        mine, found = self._about(), dict(known.about)
        for about in (mine, found):
            about["experiment"] = Path(str(about.get("experiment"))).name
        for key in ("experiment", "machine", "by", "tradewind"):
            if mine[key] != found.get(key):
                raise ConfigError(
                    f"{self.path}: holds another tuning: {key} {found.get(key)}, not {mine[key]}; "
                    "choose another file, or replace this one with --fresh"
                )
        # A trial that was given up may be finished if there is more time for it.
        has_more_time = self.trials.limit_s > float(known.about.get("limit_s", 0.0))
        self._tried = {
            key: seconds
            for key, seconds in known.tried.items()
            if seconds is not None or not has_more_time
        }
        keys = known.about.get("keys")
        if known.finished and not has_more_time and isinstance(keys, list):
            self._kept = dict(zip(map(str, keys), known.entries, strict=False))
        self.note(f"taking over {len(self._tried)} trials")

    def uses(self) -> list[Use]:
        """Returns the operations to tune, each once.

        Raises:
            ConfigError: If there are none.
        """
        members = self.experiment.members()
        found: dict[tuple[str, int, int], Use] = {}
        for member in members:
            for use in uses_of(member):
                if use.ranks > 1:
                    found.setdefault((use.operation, use.ranks, use.size), use)
        if not found:
            name = members[0].spec.program.name
            raise ConfigError(
                f"{self.experiment.source}: the program {name} has no operation on two ranks or "
                "more whose algorithm could be chosen"
            )
        return list(found.values())

    def _announce(self, uses: Sequence[Use]) -> None:
        """Notes how long the search is expected to take."""
        defaults = [(use, default_candidate(use.operation)) for use in uses]
        left = [use for use, one in defaults if self.trials.key(use, one) not in self._tried]
        if not left:
            return
        if isinstance(self.trials, SimulatedTrials):
            expected, ways = self._expected_simulations(left)
        else:
            expected = self._expected_measurements(left)
            ways = [f"fewer --pairs (now {self.pairs}) or --repetitions"]
        for line in expected.remarks(ways, self.trials.limit_s):
            self.note(line)

    def _expected_simulations(self, uses: Sequence[Use]) -> tuple[Rehearsal, list[str]]:
        """Returns the expected trials, and what would shorten them if they take long."""

        def cost(use: Use, candidate: Candidate) -> float:
            return simulated_cost(use, candidate, self.trials.limit_s)

        expected = rehearse(uses, cost, self._program_key)
        without_queues = analytic(uses) if expected.seconds > LONG_S else []
        if not without_queues:
            return expected, []
        about = rough_time(rehearse(without_queues, cost, self._program_key).seconds)
        return expected, [f"--set simulation.network=analytic, without queues (about {about})"]

    def _expected_measurements(self, uses: Sequence[Use]) -> Rehearsal:
        """Measures the default of the first operation, which tells how long a trial takes."""
        begin = time.monotonic()
        self._seconds(uses[0], default_candidate(uses[0].operation), math.inf)
        each_s = time.monotonic() - begin
        expected = rehearse(uses, lambda use, one: each_s, self._program_key)
        # The fastest one and the default, then the choice and the library's own.
        trials = expected.trials + len(uses) * 4 * self.pairs
        return Rehearsal(trials, trials * each_s)

    def _refused(self, use: Use, search: Search) -> int:
        """Returns how many of the candidates the program does not accept."""
        if not isinstance(self.trials, SimulatedTrials):
            return 0
        unfinished = (one for one, seconds in search.times.items() if seconds is None)
        return sum(is_refused(use, one) for one in unfinished)

    def _program_key(self, use: Use, candidate: Candidate) -> str | None:
        """Returns the key of a candidate's program, found once."""
        key = self.trials.key(use, candidate)
        if key not in self._program_keys:
            self._program_keys[key] = self.trials.program_key(use, candidate)
        return self._program_keys[key]

    def _seconds(self, use: Use, candidate: Candidate, bound_s: float) -> float | None:
        """Returns the time of a trial, which is made once."""
        key = self.trials.key(use, candidate)
        if key not in self._tried:
            self._tried[key] = self.trials.seconds(use, candidate, bound_s)
            self._save(finished=False)
        return self._tried[key]

    def _tune(self, use: Use) -> None:
        what = f"{use.operation}, {use.ranks} ranks, {bytes_text(use.size)}"
        if use.phase_names:
            what += f": {', '.join(use.phase_names)}"
        self.note(what)
        # The key depends on all settings: with other ones the comparison is another one, too.
        default = default_candidate(use.operation)
        default_key = self.trials.key(use, default)
        kept = self._kept.get(default_key)
        if kept is not None and kept.pairs in (0, self.pairs):
            self.note(f"  kept: {kept.label}")
            self._add(kept, default_key)
            return
        self.trials.check(use, default, str(self.experiment.source))

        def trial(candidate: Candidate, bound_s: float) -> float | None:
            seconds = self._seconds(use, candidate, bound_s)
            if seconds is not None and seconds < search.best_time:
                self.note(f"  {candidate.label}: {seconds_text(seconds)}")
            return seconds

        search = Search(use.operation, use.ranks, trial, lambda one: self._program_key(use, one))
        best = search.run()
        if best is None:
            self.note("  no candidate was finished")
            return
        self._add(self._entry(use, search, best), default_key)

    def _add(self, entry: Entry, default_key: str) -> None:
        self._entries.append(entry)
        self._keys.append(default_key)

    def _entry(self, use: Use, search: Search, best: Candidate) -> Entry:
        """Compares the fastest candidate with the default, which is kept if it is not slower."""
        default = default_candidate(use.operation)
        default_s, ratio = self._against_default(use, search, best)
        is_chosen = default_s is None or (ratio is not None and ratio.high < 1.0)
        chosen = best if is_chosen else default
        time_s = default_s if default_s is not None else search.best_time
        if is_chosen and ratio is not None:
            time_s *= ratio.value
        native_s, native = self._against_native(use, chosen)
        refused = self._refused(use, search)
        entry = Entry(
            use.operation,
            use.ranks,
            use.size,
            chosen.algorithm,
            chosen.options,
            time_s,
            default.label,
            default_s,
            native_s,
            chosen.transport or "two_sided",
            fastest=best.label,
            candidates=len(search.times),
            programs=search.programs - refused,
            pairs=ratio.pairs if ratio else 0,
            phases=use.phase_names,
            **_interval(ratio, "ratio"),
            **_interval(native, "native_ratio"),
        )
        self._tell(entry, refused)
        return entry

    def _against_default(
        self, use: Use, search: Search, best: Candidate
    ) -> tuple[float | None, Ratio | None]:
        """Returns the time of the default and the ratio of the best one to it."""
        default = default_candidate(use.operation)
        default_s = search.times[default]
        if default_s is None:
            return None, None
        if search.same(best, default):
            return default_s, exact_ratio(1.0, 1.0)
        if isinstance(self.trials, SimulatedTrials):
            return default_s, exact_ratio(search.best_time, default_s)
        pairs = self._pairs(use, best, default)
        if len(pairs) < FEWEST_PAIRS:
            return default_s, None
        return median(pair[1] for pair in pairs), ratio_of(pairs)

    def _against_native(self, use: Use, chosen: Candidate) -> tuple[float | None, Ratio | None]:
        """Returns the time of the library's own collective and the ratio of the choice to it."""
        trials = self.trials
        native_s = trials.native_seconds(use)
        if native_s is None:
            return None, None
        pairs = in_turns(
            lambda: trials.seconds(use, chosen, math.inf),
            lambda: trials.native_seconds(use),
            self.pairs,
        )
        if len(pairs) < FEWEST_PAIRS:
            return native_s, None
        return median(pair[1] for pair in pairs), ratio_of(pairs)

    def _pairs(self, use: Use, best: Candidate, default: Candidate) -> list[Pair]:
        """Measures the best candidate and the default in turns."""
        self.note(f"  {best.label} and the default, {default.label}, in turns: {self.pairs} pairs")
        return in_turns(
            lambda: self.trials.seconds(use, best, math.inf),
            lambda: self.trials.seconds(use, default, math.inf),
            self.pairs,
        )

    def _tell(self, entry: Entry, refused: int) -> None:
        """Notes how many programs were compared and what came out."""
        rest = f"{refused} of them not possible in the program, " if refused else ""
        among = f"{entry.candidates} candidates, {rest}{entry.programs} different programs"
        if entry.programs == 1:
            possible = entry.candidates - refused
            among = f"all {possible} candidates are the same program at this size"
        said = entry.verdict
        if entry.pairs and entry.ratio is not None:
            said += (
                f": {entry.fastest} takes {entry.ratio:.3f} of the default's time "
                f"(95 % interval {entry.ratio_low:.3f} to {entry.ratio_high:.3f})"
            )
        self.note(f"  {among}; {said}; choice: {entry.label}")

    def _about(self) -> dict[str, Any]:
        by = "simulation" if isinstance(self.trials, SimulatedTrials) else "measurement"
        return {
            "tradewind": core.load().version,
            "experiment": self.experiment.source,
            "machine": self.experiment.members()[0].machine if by == "simulation" else "this one",
            "by": by,
            "cores": usable_cores(),
            "limit_s": self.trials.limit_s,
            "keys": list(self._keys),
        }

    def _save(self, *, finished: bool) -> Tuning:
        tuning = Tuning(list(self._entries), self._about(), dict(self._tried), finished)
        tuning.save(self.path)
        return tuning


def _interval(ratio: Ratio | None, name: str) -> dict[str, float]:
    """Returns the fields of an entry for a ratio."""
    if ratio is None:
        return {}
    return {name: ratio.value, f"{name}_low": ratio.low, f"{name}_high": ratio.high}
