"""The style of all pictures: colour-blind safe, readable in print, labelled with units."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tradewind import extras
from tradewind.errors import ConfigError
from tradewind.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis as MatplotlibAxis
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

    from tradewind.config.axes import Label

# Okabe and Ito (2008): eight colours that people with colour blindness can tell apart; the yellow
# is left out because it vanishes on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", ":", "-.")
# Entries in a column of a legend, inches beside it and above it.
_MOST_ROWS = 24
_BESIDE = 0.2
_ABOVE = 0.6
# Named values on an axis.
_MOST_TICKS = 8
FORMATS = (".png", ".svg", ".pdf")

_SETTINGS = {
    "font.size": 10.0,
    "axes.titlesize": 11.0,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.8,
    "lines.markersize": 5.0,
    "legend.frameon": False,
    "savefig.dpi": 160,
    "figure.dpi": 160,
    "svg.hashsalt": "tradewind",
    "svg.fonttype": "none",
}


def styled() -> AbstractContextManager[None]:
    """Gives every figure made inside it the style; needs the extra `report`."""
    matplotlib = extras.need("matplotlib", "plots")
    context: AbstractContextManager[None] = matplotlib.rc_context(_SETTINGS)
    return context


def new_figure(width: float = 6.4, height: float = 4.4) -> Figure:
    """Returns an empty figure, in inches, that no window shows, but a notebook does."""
    extras.need("matplotlib", "plots")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as NewFigure

    figure = NewFigure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    # A notebook shows the figure by this, whether it has a backend for matplotlib or not.
    figure._repr_png_ = partial(_png_of, figure)  # type: ignore[attr-defined]
    return figure


def _png_of(figure: Figure) -> bytes:
    content = io.BytesIO()
    with styled():
        figure.savefig(content, format="png")
    return content.getvalue()


def line_styles(count: int) -> list[dict[str, Any]]:
    """Returns colour, marker and dash for each of `count` lines; no two are alike up to 28."""
    styles = [
        {"color": COLOURS[index], "marker": MARKERS[index], "linestyle": dash}
        for dash, index in product(DASHES, range(len(COLOURS)))
    ]
    return [styles[index % len(styles)] for index in range(count)]


def save(figure: Figure, path: Path) -> Path:
    """Writes a picture atomically in the format that its ending names.

    Raises:
        ConfigError: If the ending is not that of a known format.
    """
    if path.suffix not in FORMATS:
        raise ConfigError(f"{path}: unknown kind of picture; allowed: {', '.join(FORMATS)}")
    content = io.BytesIO()
    metadata = {"Date": None} if path.suffix == ".svg" else None
    with styled():
        figure.savefig(content, format=path.suffix[1:], metadata=metadata)
    write_atomically(path, lambda file: file.write(content.getvalue()))
    return path


def legend_beside(axes: Axes, title: str, entries: int) -> None:
    """Places a legend inside if it is short and covers no line, or else right of the panel.

    The figure then grows. It must have one panel only.
    """
    if entries < 2:
        return
    if entries <= 6:
        # Bars and bands below the legend must not make its text unreadable.
        legend = axes.legend(title=title or None, frameon=True, framealpha=0.85, edgecolor="none")
        if not axes.lines or not _covers_a_line(legend, axes):
            return
    legend = axes.legend(
        title=title or None,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        ncols=math.ceil(entries / _MOST_ROWS),
    )
    _make_room(legend)


def _covers_a_line(legend: Legend, axes: Axes) -> bool:
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    area = legend.get_window_extent()
    paths = (line.get_transform().transform_path(line.get_path()) for line in axes.lines)
    return any(path.intersects_bbox(area, filled=False) for path in paths)


def _make_room(legend: Legend) -> None:
    """Lets the figure grow to the right, and down if it must, so that the panel keeps its size."""
    figure = legend.figure.get_figure(root=True)
    legend.set_in_layout(False)
    size = legend.get_window_extent()
    width, height = figure.get_size_inches()
    whole = width + size.width / figure.dpi + _BESIDE
    figure.set_size_inches(whole, max(height, size.height / figure.dpi + _ABOVE))
    figure.set_layout_engine("constrained", rect=(0.0, 0.0, width / whole, 1.0))


def label_decades(axis: MatplotlibAxis, text: Callable[[float], str]) -> None:
    """Sets ticks with units on a logarithmic axis: at 1, 2 and 5 of every decade if there are few decades.

    Args:
        axis: `panel.xaxis` or `panel.yaxis`; left as it is if it is linear.
        text: The label of a value.
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    if axis.get_scale() != "log":
        return
    low, high = axis.get_view_interval()
    steps = (1.0,) if high / low > 300 else (1.0, 2.0, 5.0)
    axis.set_major_locator(LogLocator(base=10, subs=steps, numticks=20))
    axis.set_major_formatter(lambda value, position: text(value))
    axis.set_minor_formatter(NullFormatter())


def label_values(axis: MatplotlibAxis, texts: Mapping[Label, float]) -> None:
    """Sets ticks at given values, such as the sizes of a sweep, under their own names, at most eight."""
    from matplotlib.ticker import NullLocator

    each = math.ceil(len(texts) / _MOST_TICKS)
    ordered = sorted(texts.items(), key=lambda entry: entry[1])[::each]
    axis.set_ticks([value for _, value in ordered], labels=[str(text) for text, _ in ordered])
    axis.set_minor_locator(NullLocator())


def count_label(value: float) -> str:
    """Returns a count for an axis: "2000", and "10^5" for powers of ten from there on."""
    exponent = round(math.log10(value)) if value > 0 else 0
    if exponent >= 5 and math.isclose(value, 10.0**exponent):
        return f"$10^{{{exponent}}}$"
    return f"{value:g}"


def words(name: str) -> str:
    """Returns the name of an axis of a sweep as words: "link_bandwidth" is "link bandwidth"."""
    return name.replace("_", " ")


def joined(parts: Sequence[object]) -> str:
    """Returns several labels as one."""
    return ", ".join(str(part) for part in parts)
