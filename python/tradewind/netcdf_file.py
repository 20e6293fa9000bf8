"""NetCDF files: the classic formats are read and written here, NetCDF-4 files read by the package netCDF4.

The classic formats CDF-1, CDF-2 and CDF-5 are a header and plain arrays. Reading them here has a reason: a
damaged header ends in an error and never in a crash, and a mesh needs no package.
"""

from __future__ import annotations

import math
import struct
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tradewind import extras
from tradewind.cache import copy_of, is_kept, make_room
from tradewind.errors import ConfigError
from tradewind.files import write_atomically

_TYPES = ("i1", "S1", ">i2", ">i4", ">f4", ">f8", "u1", ">u2", ">u4", ">i8", ">u8")
_DIMENSION, _VARIABLE, _ATTRIBUTE = 10, 11, 12
_CHAR = 2
# Long enough for any sound header; MPAS files have some hundred attributes at most.
_LONGEST_HEADER = 1 << 24
_MAGIC_OF_NETCDF4 = b"\x89HDF"
# The ending of copies in a classic format; src/tradewind/base/data_file.hpp has it, too.
_ENDING = ".netcdf-classic"
# Bytes of a variable that are copied at once.
_SLAB = 1 << 26


@dataclass(frozen=True)
class Variable:
    """A variable of a file, without its values.

    Args:
        dimensions: Names of its dimensions.
        shape: Their sizes.
        kind: The letter of NumPy for its type, such as "i" or "f".
        attributes: Attributes by name.
    """

    dimensions: tuple[str, ...]
    shape: tuple[int, ...]
    kind: str
    attributes: Mapping[str, Any]


@dataclass(frozen=True)
class NewVariable:
    """A variable to be written.

    Args:
        name: Its name.
        dimensions: Names of its dimensions.
        kind: "i4" or "f8".
        attributes: Texts by name.
    """

    name: str
    dimensions: tuple[str, ...]
    kind: str
    attributes: Mapping[str, str] = field(default_factory=dict)


class NetcdfFile(ABC):
    """An open file.

    Args:
        path: The file.
        dimensions: Sizes by name.
        attributes: Attributes of the whole file.
        variables: Variables by name.
    """

    def __init__(
        self,
        path: Path,
        dimensions: Mapping[str, int],
        attributes: Mapping[str, Any],
        variables: Mapping[str, Variable],
    ) -> None:
        self.path = path
        self.dimensions = dimensions
        self.attributes = attributes
        self.variables = variables

    @abstractmethod
    def values(self, name: str) -> NDArray[Any]:
        """Returns the values of a variable.

        Raises:
            ConfigError: If they cannot be read.
        """


@contextmanager
def open_netcdf(path: Path) -> Iterator[NetcdfFile]:
    """Opens a file of any NetCDF format.

    Raises:
        ConfigError: If it cannot be read.
        Error: If it is a NetCDF-4 file, and netCDF4 is not installed.
    """
    magic = _magic(path)
    if magic[:3] == b"CDF" and magic[3:] in (b"\x01", b"\x02", b"\x05"):
        yield _opened_classic(path)
        return
    if magic != _MAGIC_OF_NETCDF4:
        raise ConfigError(f"{path}: cannot be read: this is no NetCDF file")
    with _opened_netcdf4(path) as dataset:
        dataset.set_auto_mask(False)
        yield _Netcdf4File(path, dataset)


def is_classic_copy(path: Path) -> bool:
    """Reports whether a path is that of a classic copy, whose name is the digest of its content."""
    return path.name.endswith(_ENDING)


def as_classic(path: Path, digest: str) -> Path:
    """Returns a file in a classic format: the file itself, or a copy in the cache if it is NetCDF-4.

    Types, attributes and packed values stay as they are. Variables in groups and texts of variable length,
    which no classic format has, are left out. Files that are not NetCDF are returned as they are.

    Args:
        path: The file.
        digest: A name for its content, without a point.

    Raises:
        ConfigError: If it is a damaged NetCDF-4 file.
        Error: If netCDF4 is not installed, or there is no space for the copy.
    """
    if _magic(path) != _MAGIC_OF_NETCDF4:
        return path
    target = copy_of(digest, path, "netcdf", _ENDING)
    if is_kept(target):
        return target
    with _opened_netcdf4(path) as dataset:
        dataset.set_auto_maskandscale(False)
        kept = [one for one in dataset.variables.values() if _is_classic(one.dtype)]
        make_room(target, sum(one.size * one.dtype.itemsize for one in kept))
        write_atomically(target, lambda file: _copy(dataset, kept, file.name))
    return target


def _magic(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(4)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None


@contextmanager
def _opened_netcdf4(path: Path) -> Iterator[Any]:
    netcdf = extras.need("netCDF4", "NetCDF-4 files", "mesh")
    try:
        with netcdf.Dataset(path) as dataset:
            yield dataset
    except (OSError, RuntimeError, ValueError, AttributeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None


class _Netcdf4File(NetcdfFile):
    def __init__(self, path: Path, dataset: Any) -> None:
        self._dataset = dataset
        variables = {
            name: Variable(
                tuple(one.dimensions),
                tuple(one.shape),
                getattr(one.dtype, "kind", "O"),
                {key: one.getncattr(key) for key in one.ncattrs()},
            )
            for name, one in dataset.variables.items()
        }
        sizes = {name: one.size for name, one in dataset.dimensions.items()}
        attributes = {key: dataset.getncattr(key) for key in dataset.ncattrs()}
        super().__init__(path, sizes, attributes, variables)

    def values(self, name: str) -> NDArray[Any]:
        return np.asarray(self._dataset.variables[name][:])


def _is_classic(kind: Any) -> bool:
    return isinstance(kind, np.dtype) and kind.kind in "iufS"


def _copy(dataset: Any, variables: Sequence[Any], target: str) -> None:
    """Copies variables of an open NetCDF-4 file into a file of the format CDF-5, which exists."""
    netcdf = extras.need("netCDF4", "NetCDF-4 files", "mesh")
    with netcdf.Dataset(target, "w", format="NETCDF3_64BIT_DATA") as made:
        made.setncatts({key: dataset.getncattr(key) for key in dataset.ncattrs()})
        for dimension in dataset.dimensions.values():
            made.createDimension(dimension.name, dimension.size)
        for one in variables:
            attributes = {key: one.getncattr(key) for key in one.ncattrs()}
            fill = attributes.pop("_FillValue", False)
            copy = made.createVariable(one.name, one.dtype, one.dimensions, fill_value=fill)
            copy.setncatts(attributes)
            copy.set_auto_maskandscale(False)
            if not one.shape:
                copy[...] = one[...]
                continue
            rows = max(_SLAB // max(one.size // max(one.shape[0], 1) * one.dtype.itemsize, 1), 1)
            for first in range(0, one.shape[0], rows):
                copy[first : first + rows] = one[first : first + rows]


class ClassicFile(NetcdfFile):
    """A file of a classic format, whose size bounds what it can hold."""

    def __init__(self, path: Path, header: _Header) -> None:
        super().__init__(path, header.dimensions, header.attributes, header.variables)
        self._places = header.places

    def values(self, name: str) -> NDArray[Any]:
        """Returns the values of a variable.

        Raises:
            ConfigError: If the file ends before them.
        """
        variable, (kind, begin) = self.variables[name], self._places[name]
        count = math.prod(variable.shape)
        end = begin + count * np.dtype(kind).itemsize
        if end > self.path.stat().st_size:
            raise ConfigError(f"{self.path}: the file is cut off; {name} ends at byte {end}")
        values = np.fromfile(self.path, kind, count, offset=begin)
        return values.astype(np.dtype(kind).newbyteorder("=")).reshape(variable.shape)


def _opened_classic(path: Path) -> ClassicFile:
    with path.open("rb") as file:
        content = file.read(_LONGEST_HEADER)
    try:
        header = _Header(content)
    except (struct.error, IndexError, ValueError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: its header is damaged: {error}") from None
    return ClassicFile(path, header)


class _Header:
    """The header of a classic file; a number that points beyond its end raises ValueError.

    Variables along the unlimited dimension are left out.
    """

    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 4
        self._is_wide, self._has_long_offsets = content[3] == 5, content[3] != 1
        self._count()
        sizes = [(self._name(), self._count()) for _ in range(self._list_of(_DIMENSION))]
        self.dimensions = dict(sizes)
        self.attributes = self._attributes()
        self.variables: dict[str, Variable] = {}
        self.places: dict[str, tuple[str, int]] = {}
        for _ in range(self._list_of(_VARIABLE)):
            self._variable(sizes)

    def _number(self, wide: bool) -> int:
        form, size = (">q", 8) if wide else (">i", 4)
        (number,) = struct.unpack_from(form, self._content, self._at)
        self._at += size
        return int(number)

    def _count(self) -> int:
        """Returns a number of things; 0 for the count of records while a file is being written."""
        return max(self._number(self._is_wide), 0)

    def _list_of(self, tag: int) -> int:
        """Returns the number of entries of a list, each of which takes some bytes."""
        found, count = self._number(False), self._count()
        if found not in (0, tag) or (found == 0 and count > 0):
            raise ValueError(f"a list is marked with {found} instead of {tag}")
        self._check_room(8 * count)
        return count

    def _check_room(self, size: int) -> None:
        if size > len(self._content) - self._at:
            raise ValueError("a list is longer than the file")

    def _bytes(self, size: int) -> bytes:
        self._check_room(size)
        found = self._content[self._at : self._at + size]
        self._at += size + -size % 4
        return found

    def _name(self) -> str:
        return self._bytes(self._count()).decode()

    def _type(self) -> int:
        number = self._number(False)
        if not 1 <= number <= len(_TYPES):
            raise ValueError(f"there is no type {number}")
        return number

    def _attributes(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for _ in range(self._list_of(_ATTRIBUTE)):
            name, kind = self._name(), self._type()
            count, item = self._count(), np.dtype(_TYPES[kind - 1])
            content = self._bytes(count * item.itemsize)
            if kind == _CHAR:
                found[name] = content.decode(errors="replace").rstrip("\0")
            else:
                values = np.frombuffer(content, item)
                found[name] = values[0].item() if count == 1 else values.tolist()
        return found

    def _variable(self, sizes: Sequence[tuple[str, int]]) -> None:
        name, rank = self._name(), self._count()
        self._check_room(4 * rank)
        dimensions = [sizes[self._count()] for _ in range(rank)]
        attributes, kind = self._attributes(), self._type()
        self._count()
        begin = self._number(self._has_long_offsets)
        if begin < 0:
            raise ValueError(f"{name} begins before the file")
        if any(size == 0 for _, size in dimensions[:1]):
            return
        if name in self.variables:
            raise ValueError(f"{name} is declared twice")
        shape = tuple(size for _, size in dimensions)
        item = np.dtype(_TYPES[kind - 1])
        self.variables[name] = Variable(
            tuple(one for one, _ in dimensions), shape, item.kind, attributes
        )
        self.places[name] = (_TYPES[kind - 1], begin)


def write_classic(
    file: IO[bytes],
    dimensions: Mapping[str, int],
    attributes: Mapping[str, str | float],
    variables: Sequence[NewVariable],
    contents: Iterable[NDArray[Any]],
) -> None:
    """Writes a file of the classic format with 64-bit data (CDF-5).

    Args:
        file: Where.
        dimensions: Sizes by name.
        attributes: Texts and numbers of the whole file.
        variables: All variables.
        contents: The values of each variable, in the same order. They are taken one after the other.
    """
    sizes = [
        math.prod(dimensions[name] for name in one.dimensions) * int(one.kind[1])
        for one in variables
    ]
    padded = [size + -size % 4 for size in sizes]
    begin = len(_header(dimensions, attributes, variables, sizes, [0] * len(sizes)))
    begins = [begin + sum(padded[:place]) for place in range(len(padded))]
    file.write(_header(dimensions, attributes, variables, sizes, begins))
    for one, size, values in zip(variables, sizes, contents, strict=True):
        data = np.ascontiguousarray(values, f">{one.kind}")
        if data.nbytes != size:
            raise ValueError(f"{one.name}: {data.nbytes} bytes instead of {size}")
        file.write(data.data)
        file.write(bytes(-size % 4))


def _header(
    dimensions: Mapping[str, int],
    attributes: Mapping[str, str | float],
    variables: Sequence[NewVariable],
    sizes: Sequence[int],
    begins: Sequence[int],
) -> bytes:
    numbers = {name: place for place, name in enumerate(dimensions)}
    parts = [b"CDF\x05", _wide(0), _list_start(_DIMENSION, len(dimensions))]
    for name, size in dimensions.items():
        parts += [_text(name), _wide(size)]
    parts.append(_attribute_list(attributes))
    parts.append(_list_start(_VARIABLE, len(variables)))
    for one, size, begin in zip(variables, sizes, begins, strict=True):
        places = [numbers[name] for name in one.dimensions]
        kind = _TYPES.index(f">{one.kind}") + 1
        parts += [_text(one.name), _wide(len(places)), *map(_wide, places)]
        parts += [_attribute_list(one.attributes), struct.pack(">i", kind)]
        parts += [_wide(size + -size % 4), _wide(begin)]
    return b"".join(parts)


def _wide(number: int) -> bytes:
    return struct.pack(">q", number)


def _list_start(tag: int, count: int) -> bytes:
    return struct.pack(">i", tag if count else 0) + _wide(count)


def _text(text: str) -> bytes:
    encoded = text.encode()
    return _wide(len(encoded)) + encoded + bytes(-len(encoded) % 4)


def _attribute_list(attributes: Mapping[str, str | float]) -> bytes:
    parts = [_list_start(_ATTRIBUTE, len(attributes))]
    for name, value in attributes.items():
        parts.append(_text(name))
        if isinstance(value, str):
            parts += [struct.pack(">i", _CHAR), _text(value)]
        else:
            kind = _TYPES.index(">f8") + 1
            parts += [struct.pack(">i", kind), _wide(1), struct.pack(">d", value)]
    return b"".join(parts)
