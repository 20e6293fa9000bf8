"""Ways to communicate on a current machine, from one element per rank up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import extras
from tradewind.config.experiment import Experiment
from tradewind.config.schema import Where, as_table
from tradewind.errors import ConfigError, suggestion
from tradewind.plots.style import COLOURS, MARKERS, new_figure, styled
from tradewind.studies.definition import Part, Study
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.tables import Cell, Table

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ON_ARRIVAL = {"schedule": "on_arrival"}
_SE = {"method": "se"}
_DG = {"method": "dg", "viscosity_m2_s": 1e5}
_CORNERS = {"connectivity": "edges_and_corners"}
# The first way of each method is what the gains of the others are over.
WAYS: Mapping[str, Mapping[str, Any]] = {
    "se synchronous": _SE,
    "se on arrival": _SE | _ON_ARRIVAL | {"summation": "arrival"},
    "se on arrival, ordered sums": _SE | _ON_ARRIVAL,
    "se pairwise": _SE | {"exchange": "pairwise"},
    "se pairwise, posted first": _SE | {"exchange": "pairwise", "protocol": "(2,3)"},
    "se puts": _SE | {"exchange": "puts"},
    "dg synchronous": _DG,
    "dg with corners": _DG | _CORNERS,
    "dg on arrival": _DG | _ON_ARRIVAL,
    "dg with corners, on arrival": _DG | _CORNERS | _ON_ARRIVAL,
    "dg computation": _DG | {"overlap": "computation"},
    "dg pairwise": _DG | {"exchange": "pairwise"},
    "dg puts": _DG | {"exchange": "puts"},
}
# Fills of markers by machine.
_FILLS = ("full", "none", "left")
_OVERLAPPING = ("se on arrival", "dg on arrival", "dg computation")
# The computation alone: messages take no time.
_FREE = {"se computation alone": "se synchronous", "dg computation alone": "dg synchronous"}
_FREE_MACHINE: Mapping[str, Mapping[str, Any]] = {
    "node": {
        "copy_bandwidth": "1e9 GB/s",
        "sum_bandwidth": "1e9 GB/s",
        "memory_latency": "0 ns",
        "message_bandwidth": "1e9 GB/s",
    },
    "message": {
        "overhead_send": "0 ns",
        "overhead_receive": "0 ns",
        "latency": "1 ps",
        "gap_per_byte": "1e-9 ns/B",
        "eager_limit": "1 GB",
    },
    "nic": {"gap": "0 ns"},
}
# Seconds of a step that are below its limits, on which no message depends; from `ne` on.
_TIME_STEPS = {1: "1 s", 512: "0.02 s"}


@dataclass(frozen=True)
class Case:
    """A size of the problem: elements along an edge of the cube, and ranks."""

    ne: int
    ranks: int

    @property
    def elements(self) -> float:
        """Elements of a rank, on average."""
        return float(f"{6 * self.ne**2 / self.ranks:.4g}")


def _cases(part: Part, full: bool) -> list[Case]:
    """Returns the sizes, from few elements of a rank to many."""
    is_reduced = not full and "reduced_cases" in part.settings
    chosen = part.pairs("reduced_cases" if is_reduced else "cases")
    return sorted((Case(ne, ranks) for ne, ranks in chosen), key=lambda c: c.elements)


def _ways(part: Part) -> tuple[str, ...]:
    """Returns the ways to communicate; each needs the first one of its method beside it."""
    ways, known = part.words("ways"), (*WAYS, *_FREE)
    for way in ways:
        if way not in known:
            given = f"part {part.name}: settings.ways: {way}: unknown"
            raise ConfigError(f"{given}; {suggestion(way, known)}")
        if _first(way) not in ways:
            raise ConfigError(f"part {part.name}: settings.ways: {way} needs {_first(way)}")
    return ways


def _first(way: str) -> str:
    return f"{way.split(' ')[0]} synchronous"


def _tables(part: Part, machine: str, way: str, ne: int) -> dict[str, Any]:
    """Returns the tables of the runs of a way, without their ranks."""
    where = Where(f"part {part.name}", f"settings.machines.{machine}")
    described = dict(as_table(part.tables("machines")[machine], where))
    simulation = {}
    if way in _FREE:
        for section, values in _FREE_MACHINE.items():
            given = as_table(described.get(section, {}), where.inside(section))
            described[section] = {**given, **values}
        simulation = {"network": "analytic"}
    step = max((limit, step) for limit, step in _TIME_STEPS.items() if limit <= ne)[1]
    program = {"name": "homme", "ne": ne, "steps": 1, "time_step": step}
    return {
        "machine": described,
        "program": program | dict(WAYS[_FREE.get(way, way)]),
        "simulation": simulation,
    }


def _experiments(part: Part, study: Study, full: bool) -> dict[str, Experiment]:
    """Returns the experiments by machine, way and ne; each sweeps the ranks."""
    most = part.counts_by_name("most_ranks")
    found = {}
    for machine in list(part.tables("machines")):
        for way in _ways(part):
            cases = [c for c in _cases(part, full) if c.ranks <= most.get(way, c.ranks)]
            for ne in sorted({case.ne for case in cases}):
                tables = _tables(part, machine, way, ne)
                tables["program"]["ranks"] = max(case.ranks for case in cases)
                ranks = sorted(case.ranks for case in cases if case.ne == ne)
                tables["sweep"] = {"program.ranks": ranks}
                found[f"{machine}/{way}/{ne}"] = Experiment.load(tables)
    return found


def _times(part: Part, context: Context) -> dict[tuple[str, str, float], float]:
    """Returns the time of a step by machine, way and elements of a rank."""
    times = {}
    for name, runs in context.runs.items():
        machine, way, ne = name.rsplit("/", 2)
        for run in runs:
            elements = Case(int(ne), int(run.parameters["ranks"])).elements
            times[machine, way, elements] = run.time_s
    return times


def _dataset(part: Part, context: Context, full: bool) -> xarray.Dataset:
    """Returns times of a step, gains over the first way, and messages over computation."""
    xr = extras.need("xarray", "datasets")
    machines, ways, cases = list(part.tables("machines")), _ways(part), _cases(part, full)
    step = np.full((len(machines), len(ways), len(cases)), np.nan)
    labels = [case.elements for case in cases]
    for (machine, way, elements), time_s in _times(part, context).items():
        step[machines.index(machine), ways.index(way), labels.index(elements)] = time_s
    dimensions = ("machine", "way", "elements")
    data: xarray.Dataset = xr.Dataset(
        {
            "time_s": (dimensions, step, {"units": "s", "long_name": "time of a step"}),
            "ne": ("elements", [case.ne for case in cases]),
            "ranks": ("elements", [case.ranks for case in cases]),
        },
        {"machine": list(machines), "way": list(ways), "elements": labels},
    )
    first = [_first(way) for way in ways]
    data["gain"] = (dimensions, data.time_s.sel(way=first).values / step - 1)
    alone = [f"{way.split(' ')[0]} computation alone" for way in ways]
    if set(alone) <= set(ways):
        free = data.time_s.sel(way=alone).values
        data["messages"] = (dimensions, step / free - 1, {"long_name": "messages / computation"})
    return data


def _table(part: Part, data: xarray.Dataset, machine: str) -> Table:
    ways = list(_ways(part))
    header = ("elements per rank", "ne", "ranks", *(f"{way} (µs)" for way in ways))
    rows: list[list[Cell]] = []
    for elements in data.elements.values:
        here = data.sel(machine=machine, elements=elements)
        cells: list[Cell] = [float(elements), int(here.ne), int(here.ranks)]
        for way in ways:
            value = 1e6 * float(here.time_s.sel(way=way))
            cells.append(None if np.isnan(value) else float(f"{value:.4g}"))
        rows.append(cells)
    return Table(f"{part.title}: {machine}, time of a step", header, rows)


def _draw(panel: Axes, data: xarray.Dataset, machine: str, method: str) -> None:
    """Draws the gain of each way of a method: over elements of a rank, or bars for a single case."""
    ways = [way for way in data.way.values if way.startswith(f"{method} ") and way not in _FREE]
    if data.sizes["elements"] == 1:
        _draw_bars(panel, data.gain.sel(machine=machine, way=ways[1:]).isel(elements=0))
    else:
        _draw_lines(panel, data.gain.sel(machine=machine, way=ways[1:]))
    panel.axhline(0.0, color="0.6", linewidth=0.8)
    panel.set_title(f"{method.upper()} on {machine}")


def _draw_lines(panel: Axes, gain: xarray.DataArray) -> None:
    for index, way in enumerate(gain.way.values):
        gains = gain.sel(way=way)
        known = ~np.isnan(gains.values)
        panel.plot(
            gain.elements.values[known],
            100 * gains.values[known],
            marker=MARKERS[index % len(MARKERS)],
            color=COLOURS[index % len(COLOURS)],
            label=_short(way),
        )
    panel.set_xscale("log", base=2)
    labels = gain.elements.values
    panel.set_xticks(labels, [f"{label:.3g}" for label in labels])
    panel.minorticks_off()


def _draw_bars(panel: Axes, gain: xarray.DataArray) -> None:
    colours = [COLOURS[index % len(COLOURS)] for index in range(gain.size)]
    names = [_short(way) for way in gain.way.values]
    bars = panel.bar(names, 100 * gain.values, width=0.5, color=colours)
    panel.bar_label(bars, fmt="%.1f", padding=2)
    panel.set_xlim(-0.8, gain.size - 0.2)
    panel.margins(y=0.15)


def _case_text(data: xarray.Dataset) -> str:
    """Returns the only case in words."""
    elements, ranks = data.elements.item(), data.ranks.item()
    return f"{elements:.3g} elements per rank, {ranks:,} ranks"


def _short(way: str) -> str:
    """Returns a way without its method, which the title of the panel names."""
    return way.partition(" ")[2]


def _figure(part: Part, data: xarray.Dataset) -> Figure:
    """Draws the gains over elements of a rank: a row by machine, a column by method."""
    machines = list(part.tables("machines"))
    methods = list(dict.fromkeys(way.split(" ")[0] for way in _ways(part)))
    with styled():
        figure = new_figure(9.4, 3.7 * len(machines))
        panels = figure.subplots(len(machines), len(methods), squeeze=False, sharex="col")
        for row, machine in enumerate(machines):
            for column, method in enumerate(methods):
                _draw(panels[row][column], data, machine, method)
            panels[row][0].set_ylabel("gain over synchronous (%)")
        single = data.sizes["elements"] == 1
        for panel in panels[0] if not single else ():
            panel.legend(fontsize=8)
        for panel in panels[-1]:
            panel.set_xlabel(_case_text(data) if single else "elements per rank")
    return figure


def _ratio_figure(part: Part, data: xarray.Dataset) -> Figure:
    """Draws the gains of the ways that overlap over messages / computation."""
    ways = [way for way in _ways(part) if way in _OVERLAPPING]
    with styled():
        figure = new_figure(6.4, 4.4)
        panel = figure.subplots()
        for index, way in enumerate(ways):
            first = _first(way)
            for machine, fill in zip(list(part.tables("machines")), _FILLS, strict=False):
                here = data.sel(machine=machine)
                panel.plot(
                    here.messages.sel(way=first).values,
                    100 * here.gain.sel(way=way).values,
                    marker=MARKERS[index],
                    color=COLOURS[index],
                    linestyle="none",
                    fillstyle=fill,
                    label=f"{way}, {machine}",
                )
        panel.axhline(0.0, color="0.6", linewidth=0.8)
        panel.set(
            xscale="log",
            xlabel="messages / computation, synchronous",
            ylabel="gain over synchronous (%)",
        )
        panel.legend(fontsize=8)
    return figure


def _outline(part: Part, context: Context) -> xarray.Dataset:
    return _dataset(part, context, True).fillna(1.0)


def _evaluate(part: Part, context: Context) -> Evaluation:
    data = _dataset(part, context, context.full)
    tables = {
        f"{part.name}_{number}": _table(part, data, machine)
        for number, machine in enumerate(data.machine.values, 1)
    }
    figures = {part.name: _figure(part, data)}
    if "messages" in data:
        figures[f"{part.name}_ratio"] = _ratio_figure(part, data)
    return Evaluation(data, tables, figures)


BEYOND = Evaluator(_outline, _evaluate, _experiments)
