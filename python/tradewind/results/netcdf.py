"""NetCDF files of results: written all or not at all, with a checksum of what can be read from them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import extras
from tradewind.errors import Error
from tradewind.files import PARTIAL, check_space, write_atomically
from tradewind.results.dataset import Content
from tradewind.results.record import DamagedError, damaged

if TYPE_CHECKING:
    import xarray

_CHECKSUM = "content_sha256"


def write_netcdf(dataset: xarray.Dataset, path: Path) -> None:
    """Writes a compressed NetCDF file atomically.

    Raises:
        Error: If the package for it is missing or the disk is full.
    """
    engine = "netcdf4" if extras.available("netCDF4") else "h5netcdf"
    if engine == "h5netcdf":
        extras.need("h5netcdf", "NetCDF files")
        extras.need("h5py", "NetCDF files")
    clean = dataset.copy()
    clean.attrs.pop(_CHECKSUM, None)

    def fill(temporary: Path) -> None:
        _encode(clean, temporary, engine)
        with _opened(temporary) as raw:
            clean.attrs[_CHECKSUM] = _digest(raw)
        _encode(clean, temporary, engine)

    _write_whole(path, fill, dataset.nbytes)


def _write_whole(path: Path, fill: Callable[[Path], None], size: int) -> None:
    """Writes a file beside its place and renames it.

    Args:
        path: The file.
        fill: Writes it to another path.
        size: Bytes of its values.

    Raises:
        Error: If the disk is full or the folder cannot be written.
    """
    temporary = path.with_name(f".{path.name}{PARTIAL}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fill(temporary)
        content = temporary.read_bytes()
    except (OSError, RuntimeError) as error:
        # The package does not say that the disk is full.
        check_space(path, 2 * size + 2**20)
        raise Error(f"{path}: cannot be written: {error}; what was there is intact") from None
    finally:
        temporary.unlink(missing_ok=True)
    write_atomically(path, lambda file: file.write(content))


def write_content(content: Content, path: Path) -> None:
    """Writes the content of a dataset as `write_netcdf` does, without loading xarray.

    Raises:
        Error: If the disk is full, or a package is missing.
    """
    if not extras.available("netCDF4"):
        library = extras.need("xarray", "data sets")
        parts = (content.variables, content.coordinates, content.attributes)
        write_netcdf(library.Dataset(*map(dict, parts)), path)
        return
    netcdf = extras.need("netCDF4", "NetCDF files")

    def fill(temporary: Path) -> None:
        with netcdf.Dataset(temporary, "w", format="NETCDF4") as file:
            _fill(file, content)
        with netcdf.Dataset(temporary, "a") as file:
            file.setncattr(_CHECKSUM, _digest(_RawFile(file)))

    size = sum(values.nbytes for _, values, _ in content.all_variables().values())
    _write_whole(path, fill, size)


def _fill(file: Any, content: Content) -> None:
    """Writes all variables as xarray would, which reads them."""
    variables = content.all_variables()
    for name, value in content.attributes.items():
        file.setncattr(name, value)
    for dims, values, _ in variables.values():
        for dim, length in zip(dims, values.shape, strict=True):
            if dim not in file.dimensions:
                file.createDimension(dim, length)
    for name, (dims, values, about) in variables.items():
        is_text = values.dtype.kind in "OSU"
        kind = str if is_text else values.dtype
        fill_value = np.nan if values.dtype.kind == "f" else None
        zlib = bool(dims) and not is_text
        variable = file.createVariable(
            name, kind, dims, zlib=zlib, complevel=4, fill_value=fill_value
        )
        variable.setncatts(about)
        if is_text:
            variable[...] = values.astype(object) if dims else str(values)
        elif values.size:
            variable[...] = values


class _RawVariable:
    """A variable of an open file, with what the checksum is of."""

    def __init__(self, variable: Any) -> None:
        self.dims = tuple(variable.dimensions)
        self.values = variable[...]
        self.attrs = {name: variable.getncattr(name) for name in variable.ncattrs()}


class _RawFile:
    """A file that netCDF4 has opened, with what the checksum is of; nothing in it is decoded."""

    def __init__(self, file: Any) -> None:
        file.set_auto_maskandscale(False)
        self.attrs = {name: file.getncattr(name) for name in file.ncattrs()}
        self.variables = {name: _RawVariable(one) for name, one in file.variables.items()}


def read_netcdf(path: Path) -> xarray.Dataset:
    """Reads a NetCDF file of results into memory.

    A file without a checksum, of an earlier version or of another program, is read as it is.

    Raises:
        DamagedError: If it cannot be read, or a value has changed since it was written.
        Error: If the package for it is missing.
    """
    library = extras.need("xarray", "data sets")
    try:
        with _opened(path) as raw:
            known = raw.attrs.pop(_CHECKSUM, None)
            is_whole = known is None or known == _digest(raw)
            data: xarray.Dataset = library.decode_cf(raw, decode_timedelta=False).load()
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, AttributeError) as error:
        reason = getattr(error, "strerror", None) or str(error).partition("\n")[0]
        raise DamagedError(f"{path}: cannot be read as NetCDF: {reason}") from None
    if not is_whole:
        raise damaged(path, "its checksum is wrong")
    data.attrs.pop(_CHECKSUM, None)
    return data


def _encode(dataset: xarray.Dataset, path: Path, engine: str) -> None:
    encoding: dict[str, dict[str, Any]] = {
        str(name): {"zlib": True, "complevel": 4}
        for name, variable in dataset.data_vars.items()
        if variable.dtype.kind in "fiu" and variable.ndim
    }
    dataset.to_netcdf(path, engine=engine, encoding=encoding)  # type: ignore[call-overload]


def _opened(path: Path) -> xarray.Dataset:
    """Opens a file as it is: nothing in it is decoded."""
    library = extras.need("xarray", "data sets")
    dataset: xarray.Dataset = library.open_dataset(path, decode_cf=False)
    return dataset


def _digest(raw: xarray.Dataset | _RawFile) -> str:
    """Returns a checksum of all values, names, dimensions and attributes, as they are in the file."""
    whole = hashlib.sha256(_words(raw.attrs))
    for name in sorted(map(str, raw.variables)):
        variable = raw.variables[name]
        values = np.asarray(variable.values)
        whole.update(_words([name, variable.dims, values.shape, _plain(variable.attrs)]))
        if values.dtype.kind in "OSU":
            whole.update(_words([str(value) for value in values.ravel()]))
        else:
            little = values.dtype.newbyteorder("<")
            whole.update(_words([little.str]) + np.ascontiguousarray(values, little).tobytes())
    return whole.hexdigest()


def _words(value: Any) -> bytes:
    return json.dumps(_plain(value), sort_keys=True).encode()


def _plain(value: Any) -> Any:
    """Returns attributes as plain values; of one value or a list of it, both packages read the value."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return _plain(value[0]) if len(value) == 1 else [_plain(entry) for entry in value]
    return value.item() if isinstance(value, np.generic) else value
