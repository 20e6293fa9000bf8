"""The whole search: every operation of every run of an experiment, kept after each trial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tradewind import core
from tradewind.config.experiment import Experiment
from tradewind.config.tuning_file import Entry, Tuning, load_tuning
from tradewind.errors import ConfigError, Interrupted
from tradewind.host import usable_cores
from tradewind.runs.local import GO_ON
from tradewind.tuning.search import Candidate, Search, default_candidate
from tradewind.tuning.trials import MeasuredTrials, SimulatedTrials, Use, uses_of
from tradewind.units import bytes_text, seconds_text

Note = Callable[[str], None]
# Operation, ranks and bytes.
_Place = tuple[str, int, int]


@dataclass
class Tuner:
    """Tunes an experiment.

    Args:
        experiment: The experiment; every member of a sweep is tuned.
        trials: The method that tries candidates.
        path: The tuning file, written after every trial.
        note: Is told of every operation and every better candidate.
    """

    experiment: Experiment
    trials: SimulatedTrials | MeasuredTrials
    path: Path
    note: Note = lambda text: None
    _tried: dict[str, float | None] = field(default_factory=dict, init=False)
    _entries: list[Entry] = field(default_factory=list, init=False)
    _native: dict[_Place, float] = field(default_factory=dict, init=False)

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
        for entry in known.entries:
            if entry.native_time_s is not None:
                self._native[entry.operation, entry.ranks, entry.size] = entry.native_time_s
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

    def _tune(self, use: Use) -> None:
        what = f"{use.operation}, {use.ranks} ranks, {bytes_text(use.size)}"
        self.note(what)

        def trial(candidate: Candidate, bound_s: float) -> float | None:
            key = self.trials.key(use, candidate)
            if key not in self._tried:
                self._tried[key] = self.trials.seconds(use, candidate, bound_s)
                self._save(finished=False)
            seconds = self._tried[key]
            if seconds is not None and seconds < search.best_time:
                self.note(f"  {candidate.label}: {seconds_text(seconds)}")
            return seconds

        search = Search(use.operation, use.ranks, trial)
        best = search.run()
        if best is None:
            self.note("  no candidate was finished")
            return
        default = default_candidate(use.operation)
        native = self._native.get((use.operation, use.ranks, use.size))
        entry = Entry(
            use.operation,
            use.ranks,
            use.size,
            best.algorithm,
            best.options,
            search.best_time,
            default.label,
            search.times[default],
            self.trials.native_seconds(use) if native is None else native,
            best.transport or "two_sided",
        )
        self._entries.append(entry)
        self.note(f"  {len(search.times)} candidates; best: {entry.label}")

    def _about(self) -> dict[str, Any]:
        by = "simulation" if isinstance(self.trials, SimulatedTrials) else "measurement"
        return {
            "tradewind": core.load().version,
            "experiment": self.experiment.source,
            "machine": self.experiment.members()[0].machine if by == "simulation" else "this one",
            "by": by,
            "cores": usable_cores(),
            "limit_s": self.trials.limit_s,
        }

    def _save(self, *, finished: bool) -> Tuning:
        tuning = Tuning(list(self._entries), self._about(), dict(self._tried), finished)
        tuning.save(self.path)
        return tuning
