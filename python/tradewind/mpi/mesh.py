"""The exchange between parts of a mesh on MPI, for NumPy arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tradewind.errors import ConfigError
from tradewind.mpi import library

Array = NDArray[np.float64]

_COMBINATIONS = {"sum": 1, "copy": 2}


@dataclass(frozen=True)
class Share:
    """The points that an item of a mesh shares with another one.

    Args:
        item: Number of the other item.
        rank: The rank that owns it.
        number: Place of this share among those of the other item.
        sends: Points of the own item whose values are sent, counted from 0.
        receives: Points of the own item where the other's values arrive. Both sides list the points
            in the same order.
    """

    item: int
    rank: int
    number: int
    sends: Sequence[int]
    receives: Sequence[int]


class Mesh:
    """The exchange between parts of a mesh, made by `Comm.mesh`.

    Fields are arrays of float64 of the shape (points,) or (layers, points), where `points` are those
    of all items of the rank. They may be views, such as the transpose of (points, layers).
    """

    def __init__(
        self,
        loaded: ctypes.CDLL,
        comm: ctypes.c_void_p,
        shares: Mapping[int, Sequence[Share]],
        points: tuple[int, int],
        layers: int,
        combination: str,
        options: str | None,
    ) -> None:
        self._handle = ctypes.c_void_p()
        self._library = loaded
        if combination not in _COMBINATIONS:
            raise ConfigError(f'there is no combination "{combination}"; known are: sum, copy')
        self._points = len(shares) * points[0]
        self._targets = len(shares) * (points[1] or points[0])
        part = _part(shares, points)
        self._call(
            "create",
            *(comm, ctypes.byref(part), ctypes.c_int64(layers), _COMBINATIONS[combination]),
            *(None if options is None else options.encode(), ctypes.byref(self._handle)),
        )

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Waits for the sends of the last exchange and frees it, once."""
        if getattr(self, "_handle", None):
            self._call("free", ctypes.byref(self._handle))

    def exchange(self, *fields: Array, into: Sequence[Array] | None = None) -> None:
        """Exchanges fields, all of them in one message for each neighbour.

        Args:
            fields: What is sent.
            into: Where copies arrive, if not in `fields` themselves.

        Raises:
            ConfigError: If fields have other shapes or types, or other layers than were prepared.
        """
        sent = _fields(fields, self._points, writable=into is None)
        self._call("exchange", self._handle, len(fields), sent, self._into(fields, into))

    def start(self, *fields: Array) -> None:
        """Packs the fields and, with "schedule=on_arrival", sends them.

        Work may follow that leaves the fields unchanged.
        """
        self._call("start", self._handle, len(fields), _fields(fields, self._points))

    def finish(self, *fields: Array, into: Sequence[Array] | None = None) -> None:
        """Completes what `start` has started with the same fields."""
        sent = _fields(fields, self._points, writable=into is None)
        self._call("finish", self._handle, len(fields), sent, self._into(fields, into))

    def _into(self, fields: Sequence[Array], into: Sequence[Array] | None) -> Any:
        if into is None:
            if self._targets != self._points:
                raise ConfigError("mesh: copies arrive at other points; into must be given")
            return None
        if len(into) != len(fields):
            raise ConfigError(f"mesh: into has {len(into)} fields, but {len(fields)} are sent")
        return _fields(into, self._targets, writable=True)

    def _call(self, name: str, *arguments: Any) -> None:
        function = getattr(self._library, f"tradewind_mesh_{name}")
        library.check(self._library, function(*arguments))


def _part(shares: Mapping[int, Sequence[Share]], points: tuple[int, int]) -> library.MeshPart:
    every = [share for of_item in shares.values() for share in of_item]
    return library.MeshPart(
        len(shares),
        _int64s(shares),
        *points,
        _firsts(shares.values()),
        _int64s(share.item for share in every),
        _ints(share.rank for share in every),
        _ints(share.number for share in every),
        _firsts(share.sends for share in every),
        _ints(point for share in every for point in share.sends),
        _firsts(share.receives for share in every),
        _ints(point for share in every for point in share.receives),
    )


def _fields(arrays: Sequence[Array], points: int, writable: bool = False) -> Any:
    """Returns the fields of tradewind.h that describe arrays."""
    listed = (library.MeshField * len(arrays))()
    for place, values in enumerate(arrays):
        if values.ndim not in (1, 2) or values.shape[-1] != points or values.dtype != np.float64:
            raise ConfigError(
                f"mesh: field {place} is {values.dtype}{values.shape}, "
                f"not float64 of the shape ({points},) or (layers, {points})"
            )
        if writable and not values.flags.writeable:
            raise ConfigError(f"mesh: field {place} is not writable")
        steps = [step // values.itemsize for step in values.strides]
        layers, layer_step = (1, 0) if values.ndim == 1 else (values.shape[0], steps[0])
        address = ctypes.c_void_p(values.ctypes.data)
        listed[place] = library.MeshField(address, steps[-1], layers, layer_step)
    return listed


def _firsts(lists: Iterable[Sequence[object]]) -> Any:
    return _int64s(accumulate((len(entries) for entries in lists), initial=0))


def _int64s(numbers: Iterable[int]) -> Any:
    listed = list(numbers)
    return (ctypes.c_int64 * len(listed))(*listed)


def _ints(numbers: Iterable[int]) -> Any:
    listed = list(numbers)
    return (ctypes.c_int * len(listed))(*listed)
