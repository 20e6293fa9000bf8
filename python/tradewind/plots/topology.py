"""The network of a machine: switches, links and nodes, and a job placed on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import core
from tradewind.config.machine import Machine
from tradewind.plots.style import COLOURS, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Points = NDArray[np.float64]

# More links than these would cover the switches, and more nodes would be too small to see.
_MOST_LINKS = 3000
_MOST_NODES = 4000
_UNUSED = "#c8c8c8"
# The width of a picture of a machine in points.
_POINTS = 6 * 72
_SWITCH = "#404040"
_RANKS = "viridis"
# A job that covers less of the picture is enlarged beside it.
_SMALL_PART = 0.2
# The smallest mark of a node or switch with ranks, in square points.
_LEAST_SIZE = 6.0
# Links that lead to no switch of the job are that much fainter.
_FAINTER = 0.3
# The width of a group on its circle, of the room that it has.
_GROUP_FILL = 0.75


@dataclass(frozen=True)
class Wiring:
    """The switches of a machine and how they are joined.

    Args:
        coordinates: Those of each switch.
        numbering: Parts, and whether they lie along a line, of each level of the numbering.
        links: Joined pairs: switch, switch, number of links, class; empty if they are too many.
        terminal_switches: Switches with nodes, which come first.
        nodes_per_switch: Nodes of each of them.
    """

    coordinates: Points
    numbering: tuple[tuple[int, bool], ...]
    links: tuple[tuple[int, int, int, str], ...]
    terminal_switches: int
    nodes_per_switch: int

    @property
    def is_tree(self) -> bool:
        """True if there are switches without nodes, above the others."""
        return len(self.coordinates) > self.terminal_switches

    @property
    def nodes_are_too_many(self) -> bool:
        """True if the nodes would be too small to see."""
        return self.terminal_switches * self.nodes_per_switch > _MOST_NODES

    @property
    def drawn_links(self) -> list[tuple[int, int, int, str]]:
        """The links that are drawn: of a grid with more than two planes those within planes."""
        planes = self.coordinates[:, 2:]
        if self.is_tree or self.has_groups or len(np.unique(planes, axis=0)) <= 2:
            return list(self.links)
        return [link for link in self.links if np.array_equal(planes[link[0]], planes[link[1]])]

    @property
    def has_groups(self) -> bool:
        """True if the last level of the numbering are groups, in no order along a line."""
        parts, is_line = self.numbering[-1]
        return not self.is_tree and not is_line and parts > 1 and len(self.numbering) > 1


@dataclass(frozen=True)
class _View:
    """A rectangle of the plane of the picture."""

    left: float
    right: float
    bottom: float
    top: float

    @property
    def width(self) -> float:
        """Its extent along x."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Its extent along y."""
        return self.top - self.bottom

    @property
    def extent(self) -> float:
        """The larger one of both."""
        return max(self.width, self.height)

    def holds(self, places: Points) -> NDArray[np.bool_]:
        """Returns whether each place lies in it."""
        x, y = places[:, 0], places[:, 1]
        found = (x > self.left) & (x < self.right) & (y > self.bottom) & (y < self.top)
        return np.asarray(found, dtype=np.bool_)


def wiring_of(machine: Machine) -> Wiring:
    """Returns the switches of a machine and how they are joined.

    Args:
        machine: The machine.
    """
    raw = core.load().wiring(machine.hardware.tables(), _MOST_LINKS)
    return Wiring(
        np.asarray(raw["coordinates"], dtype=np.float64),
        tuple(raw["numbering"]),
        tuple(raw["links"]),
        raw["terminal_switches"],
        raw["nodes_per_switch"],
    )


def draw(wiring: Wiring, title: str, nodes: Sequence[int] | None = None) -> Figure:
    """Draws the network, and where the ranks of a job are; a small job is enlarged beside it.

    Args:
        wiring: The switches and links.
        title: Above the picture.
        nodes: The node of each rank; None draws the machine alone.
    """
    places = _places(wiring)
    whole = _view_of(places)
    part = None if nodes is None else _part_of_job(wiring, places, nodes, whole)
    with styled():
        figure = _figure_for(wiring, whole, has_job=nodes is not None, has_part=part is not None)
        figure.suptitle(title, fontsize="medium")
        panels = list(figure.subplots(1, 1 if part is None else 2, squeeze=False)[0])
        classes = _draw_view(panels[0], wiring, places, nodes, whole)
        if part is not None:
            _draw_view(panels[1], wiring, places, nodes, part)
            _frame(panels, part)
        _add_legend(panels[0], wiring, classes, has_job=nodes is not None)
        if nodes is not None:
            _add_colours(panels, len(nodes))
    return figure


def _view_of(places: Points) -> _View:
    low, high = places.min(axis=0), places.max(axis=0)
    return _View(low[0] - 0.7, high[0] + 0.7, low[1] - 0.9, high[1] + 0.7)


def _part_of_job(
    wiring: Wiring, places: Points, nodes: Sequence[int], whole: _View
) -> _View | None:
    """Returns the part of the machine with the job, if that is a small one."""
    switches = np.unique(np.asarray(nodes) // wiring.nodes_per_switch)
    own = _view_of(places[switches])
    # Some of the neighbours show where the job ends.
    beside = max(1.0, 0.2 * max(own.width, own.height))
    part = _View(own.left - beside, own.right + beside, own.bottom, own.top)
    if not wiring.is_tree:
        part = _View(part.left, part.right, own.bottom - beside, own.top + beside)
    is_small = part.width * part.height < _SMALL_PART * whole.width * whole.height
    return part if is_small else None


def _figure_for(wiring: Wiring, whole: _View, *, has_job: bool, has_part: bool) -> Figure:
    """Returns a figure as wide as the machine needs, without empty margins."""
    height = 5.4 if wiring.is_tree else 7.0
    shape = 9.0 / 5.4 if wiring.is_tree else whole.width / whole.height
    width = float(np.clip((height - 1.2) * shape, 4.5, 9.0))
    parts = width + (0.8 * height if has_part else 0.0)
    return new_figure(parts + (1.3 if has_job else 0.3), height)


def _draw_view(
    panel: Axes, wiring: Wiring, places: Points, nodes: Sequence[int] | None, view: _View
) -> list[str]:
    """Draws what lies in a view. Returns the classes of the links."""
    panel.set_axis_off()
    is_part = view != _view_of(places)
    classes = _draw_links(panel, wiring, places, nodes)
    inside = np.flatnonzero(view.holds(places[: wiring.terminal_switches]))
    has_nodes = len(inside) * wiring.nodes_per_switch <= _MOST_NODES
    if has_nodes:
        _draw_nodes(panel, wiring, places, nodes, view if is_part else None)
    _draw_switches(panel, wiring, places, None if has_nodes else nodes, view)
    panel.set_aspect("auto" if wiring.is_tree else "equal")
    panel.set_xlim(view.left, view.right)
    panel.set_ylim(view.bottom, view.top)
    return classes


def _frame(panels: Sequence[Axes], part: _View) -> None:
    """Frames the enlarged part, and its place in the machine."""
    from matplotlib.patches import Rectangle

    for panel in panels:
        look: dict[str, Any] = {"fill": False, "color": "black", "clip_on": False, "zorder": 5}
        panel.add_patch(Rectangle((part.left, part.bottom), part.width, part.height, **look))
    panels[1].set_title("the framed part", fontsize="medium")


def _add_colours(panels: Sequence[Axes], ranks: int) -> None:
    """Adds the scale of the ranks to a picture with a job."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.ticker import MaxNLocator

    figure = panels[0].get_figure(root=True)
    assert figure is not None
    scale = ScalarMappable(Normalize(0, max(ranks - 1, 1)), _RANKS)
    ticks = MaxNLocator(6, integer=True)
    figure.colorbar(
        scale, ax=list(panels), label="lowest rank there", shrink=0.6, pad=0.02, ticks=ticks
    )


def _places(wiring: Wiring) -> Points:
    """Returns the place of each switch."""
    if wiring.is_tree:
        return _tree_places(wiring)
    if wiring.has_groups:
        return _group_places(wiring)
    return _grid_places(wiring)


def _tree_places(wiring: Wiring) -> Points:
    """Returns levels above each other, each as wide as the leaves."""
    level, index = wiring.coordinates[:, 0], wiring.coordinates[:, 1]
    counts = np.bincount(level.astype(int))
    width = float(counts[0])
    return np.column_stack([(index + 0.5) * width / counts[level.astype(int)], level])


def _group_places(wiring: Wiring) -> Points:
    """Returns groups on a circle, each a small grid of switches."""
    inner, group = wiring.coordinates[:, :-1], wiring.coordinates[:, -1]
    groups = wiring.numbering[-1][0]
    local = _folded(inner)
    size = np.maximum(np.ptp(local, axis=0), 1.0).max() + 1.0
    radius = max(size * groups / (2 * math.pi * _GROUP_FILL), size)
    angle = math.pi / 2 - 2 * math.pi * group / groups
    centre = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    middle = (local.max(axis=0) + local.min(axis=0)) / 2
    return np.asarray(centre + local - middle, dtype=np.float64)


def _folded(inner: Points) -> Points:
    """Returns switches of a group in two dimensions; those in a row are folded to a square."""
    if inner.shape[1] > 1:
        return inner[:, :2]
    columns = math.ceil(math.sqrt(inner.max() + 1))
    return np.column_stack([inner[:, 0] % columns, inner[:, 0] // columns])


def _grid_places(wiring: Wiring) -> Points:
    """Returns planes of switches side by side, rows of them after some."""
    coordinates = wiring.coordinates
    x = coordinates[:, 0]
    y = coordinates[:, 1] if coordinates.shape[1] > 1 else np.zeros_like(x)
    planes = np.zeros_like(x)
    stride = 1.0
    for axis in range(2, coordinates.shape[1]):
        planes += coordinates[:, axis] * stride
        stride *= coordinates[:, axis].max() + 1
    width, height = x.max() + 2, y.max() + 2
    columns = math.ceil(math.sqrt(stride * height / width))
    return np.column_stack([x + planes % columns * width, -(y + planes // columns * height)])


def _draw_links(
    panel: Axes, wiring: Wiring, places: Points, nodes: Sequence[int] | None
) -> list[str]:
    """Draws the links by class, thicker where several join two switches. Returns the classes.

    Links that lead to no switch of the job are faint.
    """
    from matplotlib.collections import LineCollection

    links = wiring.drawn_links
    used = None if nodes is None else {node // wiring.nodes_per_switch for node in nodes}
    classes = list(dict.fromkeys(link[3] for link in links))
    # Few links may be strong, many must be faint.
    strength = float(np.clip(25 / math.sqrt(len(links) + 1), 0.15, 0.8))
    for number, name in enumerate(classes):
        own = [link for link in links if link[3] == name]
        curves = [_curve(places[a], places[b], is_straight=wiring.is_tree) for a, b, _, _ in own]
        widths = [0.5 + 0.5 * math.sqrt(links) for _, _, links, _ in own]
        is_near = [used is None or a in used or b in used for a, b, _, _ in own]
        alphas = [strength if near else _FAINTER * strength for near in is_near]
        look: dict[str, Any] = {"colors": COLOURS[number], "alpha": alphas, "zorder": 1}
        panel.add_collection(LineCollection(curves, linewidths=widths, label=name, **look))
    return classes


def _curve(start: Points, end: Points, *, is_straight: bool) -> Points:
    """Returns a line between neighbours, or an arc that passes the switches between the others."""
    way = end - start
    length = float(np.hypot(*way))
    if is_straight or length < 1.5:
        return np.array([start, end])
    along = np.linspace(0.0, 1.0, 13)[:, None]
    sideways = np.array([-way[1], way[0]]) / length
    bulge = (0.25 + 0.04 * length) * 4 * along * (1 - along)
    return start + along * way + bulge * sideways


def _draw_nodes(
    panel: Axes,
    wiring: Wiring,
    places: Points,
    nodes: Sequence[int] | None,
    part: _View | None,
) -> None:
    """Draws the nodes of each switch as dots below it, as large as there is room in a part."""
    per_switch = wiring.nodes_per_switch
    columns = math.ceil(math.sqrt(per_switch))
    number = np.arange(per_switch)
    step = 0.5 / columns
    offsets = np.column_stack([(number % columns - (columns - 1) / 2), -(number // columns)]) * step
    offsets[:, 1] -= 0.22
    if wiring.is_tree:
        offsets[:, 1] -= 0.05
    at = (places[: wiring.terminal_switches, None] + offsets[None]).reshape(-1, 2)
    size = float(np.clip(6000 / len(at), 2, 30))
    if part is not None:
        size = float(np.clip((0.7 * step * _POINTS / part.extent) ** 2, 2, 60))
    _draw_job(panel, at, nodes, {"s": size, "zorder": 3})


def _draw_switches(
    panel: Axes, wiring: Wiring, places: Points, nodes: Sequence[int] | None, view: _View
) -> None:
    """Draws the switches, coloured by the ranks of their nodes where these are not drawn."""
    # In a picture of six inches a switch takes this share of the space to the next one.
    share = 2 / 3 if nodes is not None else 1 / 3
    least = 4.0 if wiring.is_tree else 0.3
    size = float(np.clip((share * _POINTS / view.extent) ** 2, least, 90))
    look: dict[str, Any] = {"s": size, "marker": "s", "zorder": 2, "linewidths": 0}
    if nodes is None:
        _scatter(panel, places, c=_SWITCH, **look)
        return
    _scatter(panel, places[wiring.terminal_switches :], c=_SWITCH, **look)
    switches = [node // wiring.nodes_per_switch for node in nodes]
    _draw_job(panel, places[: wiring.terminal_switches], switches, look)


def _draw_job(panel: Axes, at: Points, owners: Sequence[int] | None, look: dict[str, Any]) -> None:
    """Draws nodes or switches with the lowest rank on each as their colour."""
    look = {"linewidths": 0, **look}
    if owners is None:
        _scatter(panel, at, c=COLOURS[5], **look)
        return
    ranks = len(owners)
    first = np.full(len(at), -1)
    first[np.asarray(owners)[::-1]] = np.arange(ranks)[::-1]
    used = first >= 0
    _scatter(panel, at[~used], c=_UNUSED, **look)
    # A job on few nodes of many must be found.
    look["s"] = max(look["s"], _LEAST_SIZE)
    look["zorder"] = 4
    _scatter(panel, at[used], c=first[used], cmap=_RANKS, vmin=0, vmax=max(ranks - 1, 1), **look)


def _scatter(panel: Axes, at: Points, **look: Any) -> PathCollection:
    return panel.scatter(at[:, 0], at[:, 1], **look)


def _add_legend(panel: Axes, wiring: Wiring, classes: Sequence[str], *, has_job: bool) -> None:
    """Says below the picture what is drawn, and what is left out."""
    said = [_counted(len(wiring.coordinates), "switch", "switches") + " (squares)"]
    nodes = wiring.terminal_switches * wiring.nodes_per_switch
    how = ", too many to be drawn" if wiring.nodes_are_too_many else " (dots)"
    said.append(_counted(nodes, "node", "nodes") + how)
    if wiring.links:
        is_whole = len(wiring.drawn_links) == len(wiring.links)
        left_out = "" if is_whole else ", those between planes not drawn"
        said.append(f"{sum(link[2] for link in wiring.links):,} links{left_out}")
    elif len(wiring.coordinates) > 1:
        said.append("too many links to be drawn")
    if has_job:
        faint = ", faint: leads to none of its switches" if wiring.links else ""
        said.append(f"grey: no rank{faint}")
    pairs = [said[place : place + 2] for place in range(0, len(said), 2)]
    lines = ";\n".join("; ".join(pair) for pair in pairs)
    figure = panel.get_figure(root=True)
    assert figure is not None
    figure.supxlabel(lines, fontsize="medium")
    if len(classes) > 1:
        panel.legend(loc="upper right", title="links", frameon=True)


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
