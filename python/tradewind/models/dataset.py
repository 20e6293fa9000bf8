"""Fields and numbers of a model run as a dataset that follows the CF conventions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import core, extras
from tradewind.models.run import Array, ModelRun

if TYPE_CHECKING:
    import xarray


def to_dataset(run: ModelRun) -> xarray.Dataset:
    """Returns all snapshots along time: fields, fixed fields, and numbers as series.

    Raises:
        MissingExtraError: If xarray is not installed.
    """
    xarray = extras.need("xarray", "datasets")
    variables: dict[str, Any] = {
        field["variable"]: (
            ("time", *field["dimensions"]),
            np.stack([snapshot.fields[field["name"]] for snapshot in run.snapshots]),
            _attributes(field),
        )
        for field in run.outline["fields"]
    }
    for field in run.outline["fixed_fields"]:
        variables[field["variable"]] = (field["dimensions"], field["values"], _attributes(field))
    variables |= _series(run)
    if run.outline["mesh"]:
        variables |= _mesh(run.outline["mesh"])
    about = _global_attributes(run)
    if run.outline["mesh"]:
        about["Conventions"] += " UGRID-1.0"
    return xarray.Dataset(variables, _coordinates(run, run.outline["axes"]), about)  # type: ignore[no-any-return]


def to_station_dataset(run: ModelRun) -> xarray.Dataset:
    """Returns the spectra at stations along time, as time series of stations in CF.

    Args:
        run: A run whose outline has stations.

    Raises:
        MissingExtraError: If xarray is not installed.
    """
    xarray = extras.need("xarray", "datasets")
    stations = run.outline["stations"]
    names = {"cf_role": "timeseries_id", "long_name": "name of the station"}
    variables: dict[str, Any] = {
        "station_name": (("station",), np.array(stations["names"], dtype=object), names),
        **_places("station", stations["longitudes"], stations["latitudes"]),
    }
    for field in stations["fields"]:
        variables[field["variable"]] = (
            ("time", *field["dimensions"]),
            np.stack([snapshot.spectra[field["name"]] for snapshot in run.snapshots]),
            _attributes(field) | {"coordinates": "station_lon station_lat station_name"},
        )
    for field in stations["fixed_fields"]:
        variables[field["variable"]] = (field["dimensions"], field["values"], _attributes(field))
    about = _global_attributes(run) | {"featureType": "timeSeries"}
    return xarray.Dataset(variables, _coordinates(run, stations["axes"]), about)  # type: ignore[no-any-return]


def _attributes(described: Mapping[str, Any]) -> dict[str, str]:
    """Returns the CF attributes of a field or an axis."""
    attributes = {"units": described["unit"], "long_name": described["long_name"]}
    if described["standard_name"]:
        attributes["standard_name"] = described["standard_name"]
    if described.get("axis"):
        attributes["axis"] = described["axis"]
    if described.get("axis") == "Z":
        attributes["positive"] = "down" if described["unit"] == "hPa" else "up"
    if described.get("cell_methods"):
        attributes["cell_methods"] = described["cell_methods"]
    for location in {"node", "face"} & set(described.get("dimensions", ())):
        attributes |= {"mesh": "mesh", "location": location}
    return attributes


def _mesh(mesh: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the variables of UGRID 1.0: the topology, nodes, faces, and the nodes of faces."""
    about = {
        "cf_role": "mesh_topology",
        "long_name": mesh["faces_are"],
        "topology_dimension": 2,
        "node_coordinates": "node_lon node_lat",
        "face_node_connectivity": "face_nodes",
    }
    faces = mesh["face_nodes"].astype(np.int64)
    numbering = {"cf_role": "face_node_connectivity", "start_index": 0, "units": "1"}
    if np.any(faces < 0):
        numbering["_FillValue"] = -1
    variables = {
        **_places("node", mesh["longitudes"], mesh["latitudes"]),
        "face_nodes": (("face", "face_corner"), faces, numbering),
    }
    if len(mesh["face_longitudes"]):
        about["face_coordinates"] = "face_lon face_lat"
        variables |= _places("face", mesh["face_longitudes"], mesh["face_latitudes"])
    return {"mesh": ((), 0, about)} | variables


def _places(dimension: str, longitudes: Array, latitudes: Array) -> dict[str, Any]:
    """Returns longitudes and latitudes along a dimension."""
    return {
        f"{dimension}_{name}": (
            (dimension,),
            values,
            {"units": f"degrees_{side}", "standard_name": word},
        )
        for name, values, side, word in (
            ("lon", longitudes, "east", "longitude"),
            ("lat", latitudes, "north", "latitude"),
        )
    }


def _series(run: ModelRun) -> dict[str, Any]:
    """Returns the numbers over time; lists are left out."""
    series: dict[str, Any] = {}
    taken = {field["variable"] for field in run.outline["fields"]}
    for about in run.snapshots[0].about_numbers:
        values = [snapshot.number(about["name"]) for snapshot in run.snapshots]
        name = about["name"].replace(".", "_")
        if name in taken or any(isinstance(value, list) for value in values):
            continue
        series[name] = (("time",), values, {"units": about["unit"], "long_name": about["meaning"]})
    return series


def _coordinates(run: ModelRun, axes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    origin = run.outline["origin"]
    time = {"standard_name": "time", "units": f"seconds since {origin['since']}"}
    if not origin["since"]:
        # Names of CF for times since a date do not fit a run without one.
        time = {"standard_name": "forecast_period", "units": "s"}
    elif origin["calendar"]:
        time["calendar"] = origin["calendar"]
    time |= {"long_name": "model time", "axis": "T"}
    coordinates: dict[str, Any] = {
        "time": (
            ("time",),
            [origin["start_s"] + snapshot.time_s for snapshot in run.snapshots],
            time,
        )
    }
    for axis in axes:
        coordinates[axis["dimension"]] = ((axis["dimension"],), axis["values"], _attributes(axis))
    return coordinates


def _global_attributes(run: ModelRun) -> dict[str, str]:
    return {
        "Conventions": "CF-1.11",
        "title": run.title,
        "source": f"Tradewind, {run.outline['model']}",
        "references": run.outline["references"],
        "tradewind_version": core.load().version,
        "settings": json.dumps(run.case.settings),
        "ranks": str(run.ranks),
        "mpi_library": run.library or "none, simulated ranks",
    }
