"""Results as an xarray dataset that says how they were made."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import core, extras
from tradewind.config.axes import Axis
from tradewind.results.run_result import (
    COUNTS,
    Array,
    Histogram,
    LinkClass,
    RunResult,
    on_common_edges,
)

if TYPE_CHECKING:
    import xarray

_SCALARS: Mapping[str, tuple[str, str, Callable[[RunResult], float]]] = {
    "time_s": ("s", "simulated time", lambda run: run.time_s),
    "wall_s": ("s", "real time of the simulation", lambda run: run.wall_s),
    "cpu_s": ("s", "processor time of the simulation", lambda run: run.cpu_s),
    "peak_rss_bytes": ("byte", "largest memory of the simulation", lambda run: run.peak_rss_bytes),
    "delay_count": ("1", "messages with a measured delay", lambda run: run.delay.count),
    "delay_min_s": ("s", "smallest delay of a message", lambda run: run.delay.min_s),
    "delay_median_s": ("s", "median delay of a message", lambda run: run.delay.median_s),
    "delay_p99_s": ("s", "99th percentile of the delay", lambda run: run.delay.p99_s),
    "delay_mean_s": ("s", "mean delay of a message", lambda run: run.delay.mean_s),
    "delay_max_s": ("s", "largest delay of a message", lambda run: run.delay.max_s),
    "link_utilisation_mean": ("1", "mean utilisation of links", lambda run: run.links.mean),
    "link_utilisation_max": ("1", "largest utilisation of a link", lambda run: run.links.max),
    "busiest_utilisation": (
        "1",
        "utilisation of the busiest link, interface, memory or processor",
        lambda run: run.busiest.utilisation if run.busiest else 0.0,
    ),
}
_CLASS_UNITS = {
    "count": "1",
    "bytes": "byte",
    "utilisation_mean": "1",
    "utilisation_max": "1",
    "waiting_s": "s",
}
_MAP_UNITS = {
    "links": "1",
    **{name: unit for name, unit in _CLASS_UNITS.items() if name != "count"},
}
_MAP_SIDES = ("link_layer", "link_row", "link_column")
# Machines of one name with settings of their own that a dataset tells; sweeps may have thousands.
_MOST_SETTINGS = 16
_MATRIX_UNITS = {"bytes": "byte", "delay_s": "s", "messages": "1"}

_Variable = tuple[tuple[str, ...], Array, dict[str, str]]


def scalars(run: RunResult) -> dict[str, float]:
    """Returns all numbers of a run that are one value, by the names that data sets have."""
    values: dict[str, float] = {name: value(run) for name, (_, _, value) in _SCALARS.items()}
    return values | run.counts


def _packet_waits(run: RunResult) -> Histogram:
    return run.packet_wait.histogram if run.packet_wait else Histogram(np.zeros(1), np.zeros(0))


@dataclass(frozen=True)
class Content:
    """The content of a dataset, which can be written without loading xarray.

    Args:
        variables: Dimensions, values and attributes of each variable.
        coordinates: The same of each coordinate, or only its values.
        attributes: Attributes of the dataset.
    """

    variables: Mapping[str, _Variable]
    coordinates: Mapping[str, Any]
    attributes: Mapping[str, str]

    def all_variables(self) -> dict[str, _Variable]:
        """Returns variables and coordinates alike."""
        along = {
            name: value if isinstance(value, tuple) else ((name,), np.array(value), {})
            for name, value in self.coordinates.items()
        }
        whole = {
            name: ((dims,) if isinstance(dims, str) else tuple(dims), np.asarray(values), about)
            for name, (dims, values, about) in along.items()
        }
        return whole | dict(self.variables)


def to_dataset(
    runs: Sequence[RunResult | None], axes: Sequence[Axis], attributes: Mapping[str, str]
) -> xarray.Dataset:
    """Puts runs on the grid of their sweep; a run that is missing (None) is NaN.

    Args:
        runs: One entry per point of the cartesian product of the axes, the last axis fastest.
        axes: The axes that vary.
        attributes: Attributes of the dataset.

    Returns:
        A dataset with one dimension per axis.
    """
    library = extras.need("xarray", "datasets")
    content = content_of(runs, axes, attributes)
    dataset: xarray.Dataset = library.Dataset(
        dict(content.variables), dict(content.coordinates), dict(content.attributes)
    )
    return dataset


def content_of(
    runs: Sequence[RunResult | None], axes: Sequence[Axis], attributes: Mapping[str, str]
) -> Content:
    """Returns the content of a dataset, as `to_dataset` does."""
    grid = _Grid(runs, axes)
    variables = grid.scalars()
    finished = [run for run in runs if run is not None]
    coordinates: dict[str, Any] = {axis.name: list(axis.labels) for axis in axes}
    if finished:
        variables |= grid.histograms(finished, coordinates)
        variables |= grid.link_classes(finished, coordinates)
        variables |= grid.phases(finished, coordinates)
        variables |= grid.critical_paths(finished, coordinates)
        variables |= grid.matrices(finished)
        variables |= grid.link_maps(finished, coordinates)
    return Content(variables, coordinates, attributes)


class _Grid:
    """Runs in the shape of the sweep."""

    def __init__(self, runs: Sequence[RunResult | None], axes: Sequence[Axis]) -> None:
        self._runs = runs
        self._dims = tuple(axis.name for axis in axes)
        self._shape = tuple(len(axis.labels) for axis in axes)

    def variable(
        self,
        value: Callable[[RunResult], Array | float],
        inner: tuple[tuple[str, int], ...],
        units: str,
        name: str,
    ) -> _Variable:
        """Returns one value, or one array of the inner dimensions, per run."""
        size = tuple(length for _, length in inner)
        array = np.full((len(self._runs), *size), np.nan)
        for index, run in enumerate(self._runs):
            if run is not None:
                array[index] = value(run)
        dims = self._dims + tuple(dim for dim, _ in inner)
        return dims, array.reshape(self._shape + size), {"units": units, "long_name": name}

    def scalars(self) -> dict[str, _Variable]:
        result = {
            name: self.variable(value, (), units, words)
            for name, (units, words, value) in _SCALARS.items()
        }
        for name in COUNTS:
            units = "byte" if name == "bytes" else "1"
            key = f"{name}_simulated" if name in self._dims else name
            words = name.replace("_", "-")
            result[key] = self.variable(lambda run, name=name: run.counts[name], (), units, words)  # type: ignore[misc]
        hashes = [run.hash if run is not None else "" for run in self._runs]
        about = {"long_name": "hash of every rank's completion time"}
        result["hash"] = (self._dims, np.array(hashes, dtype=object).reshape(self._shape), about)
        return result

    def histograms(
        self, finished: Sequence[RunResult], coordinates: dict[str, Any]
    ) -> dict[str, _Variable]:
        result = {}
        sources: dict[str, tuple[str, Callable[[RunResult], Histogram]]] = {
            "delay": ("s", lambda run: run.delay.histogram),
            "link_utilisation": ("1", lambda run: run.links.histogram),
        }
        if any(run.packet_wait for run in finished):
            sources["packet_wait"] = ("s", _packet_waits)
        for name, (units, histogram) in sources.items():
            edges, counts = on_common_edges([histogram(run) for run in finished])
            by_run = dict(zip(map(id, finished), counts, strict=True))
            words = name.replace("_", " ")
            about = {"units": units, "long_name": f"edge of a bin of {words}"}
            coordinates[f"{name}_edge"] = (f"{name}_edge", edges, about)
            result[f"{name}_histogram"] = self.variable(
                lambda run, by_run=by_run: by_run[id(run)],  # type: ignore[misc]
                ((f"{name}_bin", len(counts[0])),),
                "1",
                f"count between edges of {words}",
            )
        return result

    def link_classes(
        self, finished: Sequence[RunResult], coordinates: dict[str, Any]
    ) -> dict[str, _Variable]:
        names = _ordered(entry.name for run in finished for entry in run.links.classes)
        coordinates["link_class"] = names

        def row(run: RunResult, field: str) -> Array:
            by_name: dict[str, LinkClass] = {entry.name: entry for entry in run.links.classes}
            values = [
                float(getattr(by_name[name], field)) if name in by_name else np.nan
                for name in names
            ]
            return np.array(values)

        inner = (("link_class", len(names)),)
        return {
            f"class_{field}": self.variable(
                lambda run, field=field: row(run, field),  # type: ignore[misc]
                inner,
                units,
                f"{field} of all links of a class".replace("_", " "),
            )
            for field, units in _CLASS_UNITS.items()
        }

    def phases(
        self, finished: Sequence[RunResult], coordinates: dict[str, Any]
    ) -> dict[str, _Variable]:
        names = _ordered(phase.name for run in finished for phase in run.phases)
        if not names:
            return {}
        coordinates["phase"] = names

        def row(run: RunResult, field: str) -> Array:
            by_name = {phase.name: getattr(phase, field) for phase in run.phases}
            return np.array([by_name.get(name, np.nan) for name in names])

        def in_all(run: RunResult) -> Array:
            by_name = {phase.name: phase.per_rank_s(run.ranks) for phase in run.phases}
            return np.array([by_name.get(name, np.nan) for name in names])

        inner = (("phase", len(names)),)
        about = "time of a rank in a phase in all, mean over the ranks"
        return {"phase_time_s": self.variable(in_all, inner, "s", about)} | {
            f"phase_{field}": self.variable(
                lambda run, field=field: row(run, field),  # type: ignore[misc]
                inner,
                "s",
                f"{field.removesuffix('_s')} of a phase over the ranks",
            )
            for field in ("start_s", "end_s", "mean_s")
        }

    def critical_paths(
        self, finished: Sequence[RunResult], coordinates: dict[str, Any]
    ) -> dict[str, _Variable]:
        """Returns the time of each kind of step on the critical paths that runs have kept."""
        paths = {id(run): run.critical_path for run in finished}
        names = _ordered(kind for path in paths.values() if path for kind in path.kinds)
        if not names:
            return {}
        coordinates["path_kind"] = names

        def row(run: RunResult) -> Array:
            path = paths[id(run)]
            if path is None:
                return np.full(len(names), np.nan)
            by_name = {entry.name: entry.time_s for entry in path.by_kind()}
            return np.array([by_name.get(name, 0.0) for name in names])

        about = "time on the critical path"
        return {"path_s": self.variable(row, (("path_kind", len(names)),), "s", about)}

    def matrices(self, finished: Sequence[RunResult]) -> dict[str, _Variable]:
        """Returns matrices between ranks; those of few ranks have fewer bins, and NaN in the rest."""
        bins = max((len(run.matrix.bytes) for run in finished if run.matrix), default=0)
        if bins == 0:
            return {}

        def padded(run: RunResult, field: str) -> Array:
            whole = np.full((bins, bins), np.nan)
            if run.matrix is not None:
                part = getattr(run.matrix, field)
                whole[: len(part), : len(part)] = part
            return whole

        return {
            f"matrix_{field}": self.variable(
                lambda run, field=field: padded(run, field),  # type: ignore[misc]
                (("source_bin", bins), ("destination_bin", bins)),
                units,
                f"{field.removesuffix('_s')} between bins of ranks",
            )
            for field, units in _MATRIX_UNITS.items()
        }

    def link_maps(
        self, finished: Sequence[RunResult], coordinates: dict[str, Any]
    ) -> dict[str, _Variable]:
        """Returns the maps of links; panels share arrays of the largest size, with NaN in the rest."""
        found = _ordered(name for run in finished for name in run.link_map)
        names = sorted(found, key=("ejection", "injection").__contains__)
        if not names:
            return {}
        coordinates["link_panel"] = names
        shapes = [panel.links.shape for run in finished for panel in run.link_map.values()]
        shape = tuple(max(sizes) for sizes in zip(*shapes, strict=True))

        def stacked(run: RunResult, field: str) -> Array:
            whole = np.full((len(names), *shape), np.nan)
            for name, panel in run.link_map.items():
                part = getattr(panel, field)
                layers, rows, columns = part.shape
                whole[names.index(name), :layers, :rows, :columns] = part
            return whole

        def extents(run: RunResult) -> Array:
            none = (np.nan,) * 3
            maps = run.link_map
            return np.array([maps[name].extents if name in maps else none for name in names])

        def axes(run: RunResult) -> list[str]:
            maps = run.link_map
            return ["; ".join(maps[name].axes) if name in maps else "" for name in names]

        panels = ("link_panel", len(names))
        inner = (panels, *zip(_MAP_SIDES, shape, strict=True))
        result = {
            f"link_map_{field}": self.variable(
                lambda run, field=field: stacked(run, field),  # type: ignore[misc]
                inner,
                units,
                f"{field.removesuffix('_s')} of the links of a cell".replace("_", " "),
            )
            for field, units in _MAP_UNITS.items()
        }
        about = "layers, rows and columns of a panel in the topology"
        result["link_map_extent"] = self.variable(extents, (panels, ("link_side", 3)), "1", about)
        result["link_map_axes"] = self.texts(axes, panels, "what they count")
        return result

    def texts(
        self, value: Callable[[RunResult], Sequence[str]], inner: tuple[str, int], name: str
    ) -> _Variable:
        """Returns several texts per run; empty ones for a run that is missing."""
        nothing = [""] * inner[1]
        rows = [nothing if run is None else list(value(run)) for run in self._runs]
        array = np.array(rows, dtype=object).reshape((*self._shape, inner[1]))
        return (*self._dims, inner[0]), array, {"long_name": name}


def provenance(
    experiment: str, overrides: Mapping[str, Any], runs: Iterable[RunResult | None]
) -> dict[str, str]:
    """Returns attributes with the origin of the results: experiment, versions, machines, processors."""
    finished = [run for run in runs if run is not None]
    machines = _ordered(run.machine for run in finished)
    return {
        "tradewind_version": core.load().version,
        "experiment": experiment,
        "overrides": json.dumps(dict(overrides), default=str),
        "program": ", ".join(_ordered(run.spec.program.name for run in finished)),
        "machine": ", ".join(machines),
        "machine_settings": json.dumps(_machine_settings(finished)),
        **_origins(finished),
    }


def _machine_settings(runs: Sequence[RunResult]) -> dict[str, Any]:
    """Returns the settings of each machine; where they vary, with what tells the runs apart."""
    found: dict[str, dict[str, Any]] = {}
    for run in runs:
        settings = {k: v for k, v in run.spec.tables().items() if k != "program"}
        hardware = json.dumps(run.spec.hardware.tables(), sort_keys=True, default=str)
        of_machine = found.setdefault(run.machine, {})
        if hardware not in of_machine and len(of_machine) < _MOST_SETTINGS:
            texts = [f"{name} {value}" for name, value in run.parameters.items() if name != "ranks"]
            of_machine[hardware] = (", ".join(texts), settings)
    return {
        name if len(of_machine) == 1 or not text else f"{name}: {text}": settings
        for name, of_machine in found.items()
        for text, settings in of_machine.values()
    }


def _origins(runs: Sequence[RunResult]) -> dict[str, str]:
    """Returns when and on what runs were simulated; empty for results of earlier versions."""
    origins = [run.origin for run in runs if run.origin]
    if not origins:
        return {}
    dates = sorted(origin["date"] for origin in origins)
    places = _ordered(
        f"{origin['processor']}, {origin['cores']} cores, {origin['host']}" for origin in origins
    )
    return {
        "made_at": " to ".join(_ordered((dates[0], dates[-1]))),
        "made_on": "; ".join(places),
    }


def _ordered(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
