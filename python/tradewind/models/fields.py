"""Fields of a model run as a dataset and NetCDF file that follow the CF conventions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import core, extras
from tradewind.models.pstswm import ModelRun

if TYPE_CHECKING:
    import xarray

# Name in the file: field, standard name, units, long name.
_VARIABLES = {
    "h": ("depth_m", "", "m", "depth of the fluid"),
    "u": ("east_wind_m_s", "eastward_wind", "m s-1", "eastward wind"),
    "v": ("north_wind_m_s", "northward_wind", "m s-1", "northward wind"),
    "vorticity": ("vorticity_1_s", "atmosphere_relative_vorticity", "s-1", "relative vorticity"),
    "divergence": ("divergence_1_s", "divergence_of_wind", "s-1", "divergence"),
}
_DIAGNOSTICS = {
    "mass_m": ("m", "mean depth"),
    "energy_m3_s2": ("m3 s-2", "mean total energy"),
    "potential_enstrophy_1_m_s2": ("m-1 s-2", "mean potential enstrophy"),
    "vorticity_1_s": ("s-1", "mean vorticity"),
    "divergence_1_s": ("s-1", "mean divergence"),
    "fastest_wind_m_s": ("m s-1", "fastest wind"),
}
_NORMS = {
    "depth_error": "error of the depth relative to the exact solution",
    "wind_error": "error of the wind relative to the exact solution",
}


def to_dataset(run: ModelRun) -> xarray.Dataset:
    """All snapshots along time, with the diagnostics of level 0."""
    xarray = extras.need("xarray", "datasets")
    variables: dict[str, Any] = {
        name: (
            ("time", "level", "lat", "lon"),
            np.stack([snapshot.fields[field] for snapshot in run.snapshots]),
            {"units": units, "long_name": long_name}
            | ({"standard_name": standard} if standard else {}),
        )
        for name, (field, standard, units, long_name) in _VARIABLES.items()
    }
    variables["surface_altitude"] = (
        ("lat", "lon"),
        run.grid["ground_m"],
        {"units": "m", "standard_name": "surface_altitude", "long_name": "height of the ground"},
    )
    variables |= _series(run)
    return xarray.Dataset(variables, _coordinates(run), _attributes(run))  # type: ignore[no-any-return]


def _series(run: ModelRun) -> dict[str, Any]:
    """Diagnostics over time."""
    series: dict[str, Any] = {}
    for name, (units, long_name) in _DIAGNOSTICS.items():
        values = [snapshot.diagnostics[name] for snapshot in run.snapshots]
        attributes = {"units": units, "long_name": f"{long_name}, level 0"}
        series[f"mean_{name}" if name.startswith(("vort", "div")) else name] = (
            ("time",),
            values,
            attributes,
        )
    for name, long_name in _NORMS.items():
        if name not in run.snapshots[0].diagnostics:
            continue
        for norm in ("l1", "l2", "maximum"):
            values = [snapshot.diagnostics[name][norm] for snapshot in run.snapshots]
            series[f"{name}_{norm}"] = (
                ("time",),
                values,
                {"units": "1", "long_name": f"{long_name}, {norm} norm, level 0"},
            )
    return series


def _coordinates(run: ModelRun) -> dict[str, Any]:
    levels = run.snapshots[0].fields["depth_m"].shape[0]
    return {
        "time": (
            ("time",),
            [snapshot.time_s for snapshot in run.snapshots],
            {"standard_name": "time", "long_name": "model time since the start", "units": "s"},
        ),
        "level": (("level",), np.arange(levels), {"long_name": "independent copy", "units": "1"}),
        "lat": (
            ("lat",),
            run.grid["latitude_deg"],
            {"standard_name": "latitude", "units": "degrees_north", "axis": "Y"},
        ),
        "lon": (
            ("lon",),
            run.grid["longitude_deg"],
            {"standard_name": "longitude", "units": "degrees_east", "axis": "X"},
        ),
    }


def _attributes(run: ModelRun) -> dict[str, str]:
    return {
        "Conventions": "CF-1.11",
        "title": run.case.title,
        "source": "Tradewind, spectral transform shallow water model",
        "references": "Williamson et al. 1992; Worley 1998",
        "tradewind_version": core.load().version,
        "settings": json.dumps(run.case.settings),
        "ranks": str(run.ranks),
        "mpi_library": run.library or "none, simulated ranks",
    }
