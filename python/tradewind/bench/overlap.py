"""The measurement of overlap: how it is made, and its results in the layout of Sandia's mpi_overhead."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from tradewind.bench.rows import Row

COLUMNS = ("msgsize", "iterations", "iter_t", "work_t", "overhead", "base_t", "avail(%)")
SYNCHRONOUS = "synchronous_"
_WIDTH = 12


@dataclass(frozen=True)
class OverlapMethod:
    """The choices of the measurement; what is None has the measurement's default.

    Args:
        send_mode: "standard", "synchronous" or "all".
        average: Of the repetitions: "mean", as in Sandia's benchmark, or "median".
        fully_visible: Work counts as hidden while a repetition takes less than this factor times the
            time without work.
        work_dominates: Work grows until a repetition takes more than this factor times that time.
    """

    send_mode: str | None = None
    average: str | None = None
    fully_visible: float | None = None
    work_dominates: float | None = None

    def settings(self) -> dict[str, object]:
        """Returns the settings of the measurement."""
        return {key: value for key, value in asdict(self).items() if value is not None}


def line(row: Row) -> tuple[str, ...]:
    """Returns one line of Sandia's layout: sizes in bytes, times in microseconds."""
    times = [row.values[f"{name}_s"] for name in ("iteration", "work", "overhead", "base")]
    return (
        str(row.size),
        str(len(row.seconds)),
        *(f"{1e6 * time:.3f}" for time in times),
        f"{100 * row.values['availability']:.1f}",
    )


def kinds(rows: Iterable[Row]) -> tuple[str, ...]:
    """Returns the names of the rows, each once: "send", "receive" and those of synchronous sends."""
    return tuple(dict.fromkeys(row.name for row in rows))


def describe(kind: str) -> str:
    """Returns a kind in words, such as "receive, synchronous sends"."""
    mode = "synchronous" if kind.startswith(SYNCHRONOUS) else "standard"
    return f"{kind.removeprefix(SYNCHRONOUS)}, {mode} sends"


def to_text(rows: Sequence[Row], kind: str) -> str:
    """Returns the rows of one kind as a text file in Sandia's layout, with its header."""
    lines = [COLUMNS, *(line(row) for row in rows if row.name == kind)]
    return "".join("".join(word.ljust(_WIDTH) for word in words).rstrip() + "\n" for words in lines)
