"""The lock of a folder of results: one command at a time writes there."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from tradewind.errors import ConfigError
from tradewind.files import check_folder, remove_leftovers, write_error

_NAME = ".lock"
# File systems that know no locks: there the user has to take care.
_NO_LOCKS = (errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keeps other commands from writing into a folder; removes what a killed one has left there.

    The lock is the kernel's: it ends with this process, whatever ends it.

    Args:
        folder: The folder of results; it is made if need be.

    Raises:
        ConfigError: If another process writes there, or a file is in the place of the folder.
        Error: If the folder cannot be written.
    """
    path = folder / _NAME
    check_folder(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = _taken(path)
    except BlockingIOError:
        raise ConfigError(
            f"{folder}: {_owner(path)} writes results there; wait for its end, or choose another folder"
        ) from None
    except OSError as error:
        raise write_error(folder, error) from None
    try:
        for place in (folder, folder / "runs"):
            remove_leftovers(place)
        yield
    finally:
        # Nobody else can have the lock of this file before it is closed.
        with contextlib.suppress(OSError):
            path.unlink()
        os.close(descriptor)


def _taken(path: Path) -> int:
    """Opens and locks the file; another process may remove it meanwhile, at its own end."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(descriptor)
            if _is_file(path, descriptor):
                os.truncate(descriptor, 0)
                os.write(descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode())
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise


def _is_file(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _owner(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii") or "another process"
    except (OSError, ValueError):
        return "another process"
