"""Mesh files and winds for tests of the wave model, each made once in a process."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tradewind import extras
from tradewind.mesh.depth import with_depth
from tradewind.mesh.generation import generate, generate_region
from tradewind.mesh.mpas_file import write_mesh
from tradewind.mesh.refine import Box

needed = pytest.mark.skipif(
    not (extras.available("scipy") and extras.available("netCDF4")),
    reason="needs scipy and netCDF4",
)

Values = NDArray[np.float64]


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="tradewind-waves-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def globe(cells: int = 162, deepest_m: float = 3500.0) -> Path:
    """Returns a globe with land around longitude and latitude 0, and depths of 5 m and more."""
    mesh = generate(cells, sweeps=0)
    mesh = mesh.changed(sea=(mesh.cells[:, 0] < 0.9).astype(np.int32))
    depth = 5 + (deepest_m - 5) * (1 + mesh.cells[:, 2]) / 2
    path = _folder() / f"globe-{cells}-{deepest_m:g}.nc"
    write_mesh(with_depth(mesh, depth), path)
    return path


@cache
def region(cells: int = 500) -> Path:
    """Returns a sea of 120..136 E, 12..26 N without depths, of about so many cells."""
    path = _folder() / f"region-{cells}.nc"
    write_mesh(generate_region(cells, Box(120, 136, 12, 26), sweeps=2), path)
    return path


def write_wind(path: Path, hours: list[float], latitudes: list[float], step: float = 30.0) -> Path:
    """Writes winds of 10 m/s to the east that grow by 1 m/s in an hour, on all longitudes."""
    netcdf = extras.need("netCDF4", "winds", "mesh")
    longitudes = np.arange(0, 360, step)
    axes: dict[str, tuple[Any, str]] = {
        "time": (hours, "hours since 2024-04-15 00:00:00"),
        "lat": (latitudes, "degrees_north"),
        "lon": (longitudes, "degrees_east"),
    }
    with netcdf.Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        for name, (values, units) in axes.items():
            file.createDimension(name, len(values))
            variable = file.createVariable(name, "f8", (name,))
            variable.units = units
            variable[:] = values
        east = 10 + np.asarray(hours)[:, None, None]
        shape = (len(hours), len(latitudes), len(longitudes))
        file.createVariable("u10", "f4", tuple(axes))[:] = np.broadcast_to(east, shape)
        file.createVariable("v10", "f4", tuple(axes))[:] = np.zeros(shape)
    return path


def rewrite(source: Path, target: Path, name: str, change: Any) -> Path:
    """Copies a mesh file with other values of one variable; `change` gets the old ones.

    The variable is left out where `change` is None.
    """
    netcdf = extras.need("netCDF4", "meshes", "mesh")
    with netcdf.Dataset(source) as old, netcdf.Dataset(target, "w", format=old.data_model) as new:
        old.set_auto_mask(False)
        new.setncatts({key: old.getncattr(key) for key in old.ncattrs()})
        for dimension in old.dimensions.values():
            new.createDimension(dimension.name, dimension.size)
        for variable in old.variables.values():
            if variable.name == name and change is None:
                continue
            values = variable[:]
            made = new.createVariable(variable.name, values.dtype, variable.dimensions)
            made[:] = change(values) if variable.name == name else values
    return target
