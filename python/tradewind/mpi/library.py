"""The C library of this installation, libtradewind, by ctypes."""

from __future__ import annotations

import atexit
import ctypes
import functools
import sys
from pathlib import Path

from tradewind.errors import ConfigError, MpiError

_PACKAGE = Path(__file__).parent.parent
_WRONG_INPUT = 2


class Grid(ctypes.Structure):
    """`tradewind_grid` of tradewind.h."""

    _fields_ = (
        ("nx", ctypes.c_int64),
        ("ny", ctypes.c_int64),
        ("nz", ctypes.c_int64),
        ("columns", ctypes.c_int),
        ("rows", ctypes.c_int),
        ("width", ctypes.c_int64),
        ("fields", ctypes.c_int64),
        ("type", ctypes.c_int),
    )


class Box(ctypes.Structure):
    """`tradewind_box` of tradewind.h."""

    _fields_ = (("first", ctypes.c_int64 * 3), ("points", ctypes.c_int64 * 3))


_INT64S = ctypes.POINTER(ctypes.c_int64)
_INTS = ctypes.POINTER(ctypes.c_int)


class MeshPart(ctypes.Structure):
    """`tradewind_mesh_part` of tradewind.h."""

    _fields_ = (
        ("items", ctypes.c_int64),
        ("item_numbers", _INT64S),
        ("points_per_item", ctypes.c_int),
        ("receiving_points_per_item", ctypes.c_int),
        ("first_shares", _INT64S),
        ("share_items", _INT64S),
        ("share_ranks", _INTS),
        ("share_numbers", _INTS),
        ("first_sends", _INT64S),
        ("send_points", _INTS),
        ("first_receives", _INT64S),
        ("receive_points", _INTS),
    )


class MeshField(ctypes.Structure):
    """`tradewind_mesh_field` of tradewind.h."""

    _fields_ = (
        ("values", ctypes.c_void_p),
        ("point_stride", ctypes.c_int64),
        ("layers", ctypes.c_int64),
        ("layer_stride", ctypes.c_int64),
    )


def cmake_dir() -> Path:
    """Returns the folder of tradewindConfig.cmake, for CMAKE_PREFIX_PATH or tradewind_DIR.

    Raises:
        ConfigError: If this installation has none.
    """
    folder = _PACKAGE / "lib" / "cmake" / "tradewind"
    if not (folder / "tradewindConfig.cmake").is_file():
        raise ConfigError(f"this installation of tradewind has no {folder}")
    return folder


@functools.cache
def load() -> ctypes.CDLL:
    """Returns the library, with MPI started.

    Raises:
        ConfigError: If tradewind was installed without MPI, or its MPI cannot be loaded.
        MpiError: If MPI cannot be started.
    """
    path = _PACKAGE / "lib" / "libtradewind.so"
    if not path.is_file():
        raise ConfigError(
            f"no MPI: {path} does not exist, because no MPI was found when tradewind was installed"
        )
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise ConfigError(
            f"the MPI that tradewind was built with cannot be loaded: {error}"
        ) from None
    library.tradewind_last_error.restype = ctypes.c_char_p
    check(library, library.tradewind_init())
    atexit.register(_finalize, library)
    return library


def _finalize(library: ctypes.CDLL) -> None:
    """Ends MPI unless others, such as mpi4py, have started it.

    After an uncaught exception the launcher ends the job, since other ranks may wait for this one.
    """
    if not hasattr(sys, "last_value"):
        library.tradewind_finalize()


def check(library: ctypes.CDLL, code: int) -> None:
    """Raises what a return code stands for.

    Raises:
        ConfigError: If an argument was not acceptable.
        MpiError: If MPI has failed.
    """
    if code:
        text = library.tradewind_last_error().decode()
        raise ConfigError(text) if code == _WRONG_INPUT else MpiError(text)
