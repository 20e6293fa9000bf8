"""Messages of the C library of OTF2, which it prints beside the errors that it returns."""

from __future__ import annotations

import contextlib
import ctypes
import importlib
from collections.abc import Iterator

# OTF2_ErrorCallback: user data, file, line, function, error, format, and va_list, which is a pointer as an argument.
_Callback = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_uint64,
    ctypes.c_char_p,
    ctypes.c_int,
    ctypes.c_char_p,
    ctypes.c_void_p,
)


def _keep_silent(
    data: int, file: bytes, line: int, function: bytes, code: int, form: bytes, more: int
) -> int:
    return code


# The library calls it as long as it is registered.
_CALLBACK = _Callback(_keep_silent)


@contextlib.contextmanager
def without_messages() -> Iterator[None]:
    """Lets the library return errors without a line on standard error for each function that passes them on."""
    try:
        library = importlib.import_module("_otf2.Config").conf.lib
        register = library["OTF2_Error_RegisterCallback"]
    except (ImportError, AttributeError):
        # Another version of the package may keep its library elsewhere; then the lines are printed.
        yield
        return
    register.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    register.restype = ctypes.c_void_p
    before = register(_CALLBACK, None)
    try:
        yield
    finally:
        register(before, None)
