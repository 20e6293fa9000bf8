"""The simulated times of a sweep: of each series, by the label along one dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tradewind.config.axes import SEEDS, Axis
from tradewind.plots.style import joined, words
from tradewind.report.page.selection import SIZE, across, labels, slices

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True)
class SweepTimes:
    """Simulated times; of several seeds of random choices the median.

    Args:
        right: The dimension in words; "" if nothing varies.
        is_ranks: That dimension is the number of ranks.
        is_ordered: Its labels are numbers or quantities, the smallest first.
        labels: All of its labels that have a run.
        series: Times in s by series and label; series are "" if nothing else varies.
        where: The place of each run in the data set, by series and label.
        subject: What the series are, in words.
    """

    right: str
    is_ranks: bool
    is_ordered: bool
    labels: Sequence[Any]
    series: Mapping[str, Mapping[Any, float]]
    where: Mapping[tuple[str, Any], Mapping[str, Any]]
    subject: str = "series"

    def at(self, label: Any) -> dict[str, float]:
        """Returns the times of all series that have this label, the fastest first."""
        found = {name: times[label] for name, times in self.series.items() if label in times}
        return dict(sorted(found.items(), key=lambda one: one[1]))

    def place(self, *where: Any) -> str:
        """Returns neighbouring labels of the dimension in words, such as "on 16 to 64 ranks"."""
        if not self.right:
            return ""
        texts = list(map(label_text, where))
        if self.is_ordered and len(texts) > 2:
            texts = [f"{texts[0]} to {texts[-1]}"]
        place = " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))
        if not self.is_ranks:
            return f"at {self.right} {place}"
        return f"on {place} {'rank' if where == (1,) else 'ranks'}"


def sweep_times(data: xarray.Dataset) -> SweepTimes:
    """Returns the times of a data set with finished runs.

    Args:
        data: The data set, with one dimension per swept key.
    """
    time = data["time_s"]
    seeds = [dim for dim in time.dims if dim in SEEDS]
    time = time.median(seeds) if seeds else time
    right = across(time) if time.dims else None
    if right is None:
        return SweepTimes("", False, False, [""], {"": {"": float(time)}}, {("", ""): {}})
    along, is_ordered = _ordered(right, labels(time, right))
    dims = tuple(map(str, time.dims))
    series: dict[str, dict[Any, float]] = {}
    where: dict[tuple[str, Any], dict[str, Any]] = {}
    for key, value in slices(time, dims):
        if not bool(value.notnull()):
            continue
        place = dict(zip(dims, key, strict=True))
        others = {dim: label for dim, label in place.items() if dim != right}
        size = others.pop(SIZE, None)
        name = joined([*others.values(), *([] if size is None else [ranks_text(size)])])
        series.setdefault(name, {})[place[right]] = float(value)
        where[name, place[right]] = place
    ordered = {
        name: {label: times[label] for label in along if label in times}
        for name, times in series.items()
    }
    if len(ordered) == 1 and not is_ordered:
        (times,) = ordered.values()
        return _of_names(words(right), times, where)
    known = [label for label in along if any(label in times for times in ordered.values())]
    varied = [dim for dim in dims if dim not in (right, SIZE) and time.sizes[dim] > 1]
    subject = words(varied[0]) if len(varied) == 1 else "series"
    return SweepTimes(words(right), right == SIZE, is_ordered, known, ordered, where, subject)


def _of_names(
    right: str, times: Mapping[Any, float], where: Mapping[tuple[str, Any], Mapping[str, Any]]
) -> SweepTimes:
    """Returns a sweep over names, such as machines, each of which is a series of one run."""
    series = {str(label): {"": time} for label, time in times.items()}
    places = {(str(label), ""): place for (_, label), place in where.items()}
    return SweepTimes("", False, False, [""], series, places, right)


def _ordered(name: str, along: Sequence[Any]) -> tuple[list[Any], bool]:
    """Returns labels in the order of their values, and whether they have any."""
    numbers = Axis(name, tuple(along), ()).numbers
    return (sorted(along, key=numbers.__getitem__), True) if numbers else (list(along), False)


def label_text(value: Any) -> str:
    """Returns a label in words."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def ranks_text(count: int) -> str:
    """Returns a number of ranks in words."""
    return f"{count} rank{'' if count == 1 else 's'}"
