"""The display of runs that Python code makes: bars on a terminal or in a notebook, or nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from rich.console import Console

from tradewind.config.experiment import Member
from tradewind.runs.execution import Observer
from tradewind.runs.limits import Prediction
from tradewind.runs.local import is_short
from tradewind.runs.progress import ProgressDisplay
from tradewind.runs.run import Failure, Run

# Time between two lines in a notebook without widgets.
_INTERVAL_S = 10.0


class Silent:
    """An observer that draws nothing."""

    def started(self, member: Member, prediction: Prediction) -> None:
        """Does nothing."""

    def advanced(self, member: Member, done_ranks: int, work_done: int, simulated_ps: int) -> None:
        """Does nothing."""

    def finished(self, member: Member, outcome: Run | Failure, *, resumed: bool) -> None:
        """Does nothing."""

    def damaged(self, member: Member, reason: str) -> None:
        """Does nothing."""


@contextlib.contextmanager
def shown(
    members: Sequence[Member], predictions: Sequence[Prediction], progress: bool | None
) -> Iterator[Observer]:
    """Opens the display of runs.

    Args:
        members: The runs.
        predictions: What is expected of each.
        progress: Shows how far they are, or nothing; None: where somebody watches, unless they
            take a fraction of a second.
    """
    console = Console(stderr=True)
    if progress is None:
        watched = console.is_terminal or console.is_jupyter
        progress = watched and not all(map(is_short, predictions))
    if not progress:
        yield Silent()
        return
    by_position = {m.position: p for m, p in zip(members, predictions, strict=True)}
    with ProgressDisplay(console, by_position, _INTERVAL_S, is_quiet=True) as display:
        yield display
