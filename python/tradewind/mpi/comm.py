"""Collective operations, halo, neighbour and mesh exchange on MPI, for NumPy arrays."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from tradewind.errors import ConfigError
from tradewind.mpi import library
from tradewind.mpi.mesh import Mesh, Share

Array = NDArray[Any]

_TYPES = {"int32": 2, "int64": 3, "float32": 4, "float64": 5}
_BYTE = 1
_OPERATIONS = {"sum": 1, "max": 2, "min": 3}


class MpiCommunicator(Protocol):
    """A communicator of mpi4py, or of whatever else knows its Fortran handle."""

    def py2f(self) -> int:
        """Returns the handle as Fortran has it."""
        ...


class Comm:
    """The ranks of an MPI communicator.

    Making and closing one is collective, as all operations are: all ranks call them in the same
    order. What they send cannot be mixed up with messages of the application. `algorithm` is a name
    of `tradewind list algorithms`, with options where it has some: "ring_k:radix=4".

    Args:
        comm: A communicator of mpi4py, or anything with a method `py2f`; all processes that the
            launcher has started if it is None.

    Raises:
        ConfigError: If tradewind has no MPI, or `comm` belongs to another MPI library.
        MpiError: If MPI fails.
    """

    def __init__(self, comm: MpiCommunicator | None = None) -> None:
        self._handle = ctypes.c_void_p()
        self._library = library.load()
        self._meshes: weakref.WeakSet[Mesh] = weakref.WeakSet()
        place = ctypes.byref(self._handle)
        if comm is None:
            self._call("comm_world", place, with_comm=False)
        elif hasattr(comm, "py2f"):
            self._call("comm_create_f", ctypes.c_int(comm.py2f()), place, with_comm=False)
        else:
            raise ConfigError(
                f"comm is a {type(comm).__name__}; it must be a communicator of mpi4py, or None"
            )
        self.rank: int = self._number("comm_rank")
        self.size: int = self._number("comm_size")
        self.check_counts()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Frees the communicator and its mesh exchanges, once; collective."""
        for mesh in list(self._meshes):
            mesh.close()
        self._call("comm_free", ctypes.byref(self._handle), with_comm=False)

    def check_counts(self, on: bool = True) -> None:
        """Lets the ranks compare their calls before they send, or not; the same on all ranks.

        They do so from the start. Collective operations compare function, algorithm, size, type,
        operation and root, at the cost of a small allreduce; halos do at their first exchange.
        `alltoallv` and `exchange` compare the counts of both sides as well, at the cost of a small
        alltoallv and another allreduce. What does not match is a ConfigError on all ranks. Without
        it a receive that expects too much leaves the rest of its array undefined, and calls that
        differ may hang.
        """
        self._call("comm_check_counts", int(on))

    def barrier(self, algorithm: str | None = None) -> None:
        """Waits until all ranks have entered."""
        self._call("barrier", _text(algorithm))

    def allreduce(
        self, values: ArrayLike, operation: str = "sum", algorithm: str | None = None
    ) -> Array:
        """Combines the arrays of all ranks, element by element.

        Args:
            values: An array of the same shape on all ranks, of int32, int64, float32 or float64.
            operation: "sum", "max" or "min".
            algorithm: How.

        Returns:
            A new array of the same shape.

        Raises:
            ConfigError: If there is no such operation, algorithm or type.
        """
        if operation not in _OPERATIONS:
            raise ConfigError(f'there is no operation "{operation}"; known are: sum, max, min')
        result = np.array(values, order="C")
        if result.dtype.name not in _TYPES:
            raise ConfigError(f"allreduce: arrays of {result.dtype} cannot be combined")
        count = ctypes.c_int64(result.size)
        kind = _TYPES[result.dtype.name]
        self._call(
            "allreduce", _data(result), count, kind, _OPERATIONS[operation], _text(algorithm)
        )
        return result

    def allgather(self, values: ArrayLike, algorithm: str | None = None) -> Array:
        """Gives all ranks the arrays of all.

        Args:
            values: An array of the same shape and type on all ranks.
            algorithm: How.

        Returns:
            An array with one axis more, in front: the ranks.
        """
        mine = np.asarray(values, order="C")
        result = np.empty((self.size, *mine.shape), mine.dtype)
        count = ctypes.c_int64(mine.nbytes)
        self._call("allgather", _data(mine), _data(result), count, _BYTE, _text(algorithm))
        return result

    def bcast(self, values: Array, root: int = 0, algorithm: str | None = None) -> Array:
        """Overwrites an array with that of rank `root`, in place.

        Args:
            values: A contiguous array of the same shape and type on all ranks.
            root: Whose.
            algorithm: How.

        Returns:
            `values`.
        """
        count = ctypes.c_int64(values.nbytes)
        self._call("bcast", _writable(values), count, _BYTE, root, _text(algorithm))
        return values

    def alltoallv(
        self,
        values: ArrayLike,
        send_counts: Sequence[int],
        receive_counts: Sequence[int],
        algorithm: str | None = None,
    ) -> Array:
        """Sends a block to each rank and receives one from each.

        Args:
            values: The blocks one after another along the first axis, that for rank 0 first.
            send_counts: Rows of `values` for each rank.
            receive_counts: Rows that come from each rank.
            algorithm: How.

        Returns:
            The blocks received, one after another, that of rank 0 first.

        Raises:
            ConfigError: If there is not one count for each rank, or not as many rows as they say.
        """
        out = np.asarray(values, order="C")
        for name, counts in (("send_counts", send_counts), ("receive_counts", receive_counts)):
            if len(counts) != self.size:
                raise ConfigError(
                    f"alltoallv: {name} has {len(counts)} entries for {self.size} ranks"
                )
        sent, received = _Blocks(send_counts, out), _Blocks(receive_counts, out)
        _check_rows("alltoallv", out, sent.rows)
        result = np.empty((max(received.rows, 0), *out.shape[1:]), out.dtype)
        self._call(
            "alltoallv",
            *(_data(out), sent.sizes, sent.offsets),
            *(_data(result), received.sizes, received.offsets),
            *(_BYTE, _text(algorithm)),
        )
        return result

    def exchange(
        self,
        ranks: Sequence[int],
        values: ArrayLike,
        send_counts: Sequence[int],
        receive_counts: Sequence[int],
    ) -> Array:
        """Sends to and receives from some ranks, the neighbours, all at once.

        Args:
            ranks: The neighbours; who lists whom must be mutual. The k-th entry for a rank here
                meets its k-th entry for this rank.
            values: Their data, one after another along the first axis.
            send_counts: Rows of `values` for each neighbour.
            receive_counts: Rows that come from each neighbour.

        Returns:
            The blocks received, one after another in the order of `ranks`.

        Raises:
            ConfigError: If there is not one count for each neighbour, or not as many rows as they
                say.
        """
        if not len(ranks) == len(send_counts) == len(receive_counts):
            raise ConfigError(
                f"exchange: {len(ranks)} ranks, {len(send_counts)} send_counts and "
                f"{len(receive_counts)} receive_counts must be equally many"
            )
        out = np.asarray(values, order="C")
        sent, received = _Blocks(send_counts, out), _Blocks(receive_counts, out)
        _check_rows("exchange", out, sent.rows)
        result = np.empty((max(received.rows, 0), *out.shape[1:]), out.dtype)
        listed = (ctypes.c_int * len(ranks))(*ranks)
        self._call(
            "neighbor_exchange",
            *(len(ranks), listed, _data(out), sent.sizes, _data(result), received.sizes, _BYTE),
        )
        return result

    def halo(
        self,
        grid: Sequence[int],
        width: int,
        fields: int = 1,
        dtype: DTypeLike = np.float64,
        processes: Sequence[int] = (0, 0),
    ) -> Halo:
        """Plans the exchange of a halo.

        Args:
            grid: Points nx, ny, nz; x and y are cut and periodic, z is whole.
            width: Width of the halo in x and y; may exceed the parts.
            fields: Values per point, each an array of its own.
            dtype: int32, int64, float32 or float64.
            processes: Parts in x and y; as square as possible if both are 0.

        Raises:
            ConfigError: If the grid cannot be cut like that.
        """
        return Halo(self, grid, width, fields, np.dtype(dtype), processes)

    def mesh(
        self,
        shares: Mapping[int, Sequence[Share]],
        points_per_item: int,
        layers: int = 1,
        combination: str = "sum",
        receiving_points_per_item: int | None = None,
        options: str | None = None,
    ) -> Mesh:
        """Prepares the exchange between parts of a mesh; collective.

        Args:
            shares: The shares of each item (element, cell) that this rank owns, by the number of
                the item. Fields have the points of the items in this order.
            points_per_item: Points of an item in the fields that are sent.
            layers: Values per point, of all fields together.
            combination: "sum" adds what arrives to the points, "copy" replaces them by it.
            receiving_points_per_item: Points of an item in the fields where copies arrive, if other
                than `points_per_item`.
            options: When messages are unpacked, the order of sums, and what carries the messages:
                "on_arrival.persistent", "pairwise:protocol=(1,6)", "native",
                "schedule=on_arrival,summation=arrival".

        Raises:
            ConfigError: If a share or an option is wrong, or, on all ranks, if two ranks disagree on
                the size of a message.
        """
        points = (points_per_item, receiving_points_per_item or 0)
        mesh = Mesh(self._library, self._handle, shares, points, layers, combination, options)
        self._meshes.add(mesh)
        return mesh

    def _call(self, name: str, *arguments: Any, with_comm: bool = True) -> None:
        function = getattr(self._library, f"tradewind_{name}")
        first = (self._handle,) if with_comm else ()
        library.check(self._library, function(*first, *arguments))

    def _number(self, name: str) -> int:
        result = ctypes.c_int()
        self._call(name, ctypes.byref(result))
        return result.value


class Halo:
    """The plan of a halo exchange, made by `Comm.halo`.

    Attributes:
        first: Coordinates x, y, z of the first point that this rank owns.
        points: Points that it owns along x, y, z.
        shape: (fields, z, y, x) of the array that `exchange` takes, halo included.
    """

    def __init__(
        self,
        comm: Comm,
        grid: Sequence[int],
        width: int,
        fields: int,
        dtype: np.dtype[Any],
        processes: Sequence[int],
    ) -> None:
        if len(grid) != 3 or len(processes) != 2:
            raise ConfigError("halo: grid must have 3 numbers, and processes 2")
        if dtype.name not in _TYPES:
            raise ConfigError(f"halo: dtype {dtype} is none of {', '.join(_TYPES)}")
        self._comm = comm
        self._handle = ctypes.c_void_p()
        plan = library.Grid(*grid, *processes, width, fields, _TYPES[dtype.name])
        self._comm._call("halo_create", ctypes.byref(plan), ctypes.byref(self._handle))
        owned, held = library.Box(), library.Box()
        boxes = (ctypes.byref(owned), ctypes.byref(held))
        self._comm._call("halo_boxes", self._handle, *boxes, with_comm=False)
        self._dtype = dtype
        self._width = width
        self.first = tuple(owned.first)
        self.points = tuple(owned.points)
        self.shape = (fields, *reversed(tuple(held.points)))

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._comm._call("halo_free", ctypes.byref(self._handle), with_comm=False)

    def empty(self) -> Array:
        """Returns an array of zeros of `shape`."""
        return np.zeros(self.shape, self._dtype)

    def owned(self, values: Array) -> Array:
        """Returns the part of such an array that this rank owns, as a view."""
        inner = slice(self._width, -self._width)
        return values[..., inner, inner]

    def exchange(self, values: Array) -> Array:
        """Fills the halo of an array, in place.

        Args:
            values: A contiguous array with as many elements as `shape` has.

        Returns:
            `values`.

        Raises:
            ConfigError: If it is another array.
        """
        if values.size != np.prod(self.shape) or values.dtype != self._dtype:
            raise ConfigError(
                f"halo: values are {values.dtype}{values.shape}, not {self._dtype}{self.shape}"
            )
        self._comm._call("halo_exchange", self._handle, _writable(values), with_comm=False)
        return values


class _Blocks:
    """Blocks of rows of an array, one after another, as byte counts and offsets."""

    def __init__(self, counts: Sequence[int], values: Array) -> None:
        row = values.dtype.itemsize * int(np.prod(values.shape[1:]))
        sizes = np.array(counts, np.int64) * row
        numbers = ctypes.c_int64 * len(sizes)
        self.rows = int(sum(counts))
        self.sizes = numbers(*sizes.tolist())
        self.offsets = numbers(*(np.cumsum(sizes) - sizes).clip(0).tolist())


def _check_rows(operation: str, values: Array, rows: int) -> None:
    if values.ndim == 0 or values.shape[0] != rows:
        raise ConfigError(
            f"{operation}: values have the shape {values.shape}, but send_counts are {rows} rows"
        )


def _text(algorithm: str | None) -> bytes | None:
    return None if algorithm is None else algorithm.encode()


def _data(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _writable(array: Array) -> ctypes.c_void_p:
    if not (array.flags.c_contiguous and array.flags.writeable):
        raise ConfigError("the array must be contiguous and writable")
    return _data(array)
