"""The folder for what can be made again, and what is kept in it."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from pathlib import Path

from tradewind.files import write_error

# Copies that have not been used for so long are removed when another one is made.
_DAY_S = 86400.0
_KEPT_DAYS, _KEPT_DAYS_OF_FULL_DISK = 30.0, 1.0


def cache_folder() -> Path:
    """Returns the folder for what can be made again: $XDG_CACHE_HOME/tradewind, or ~/.cache/tradewind."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path("~/.cache").expanduser()) / "tradewind"


def copy_of(digest: str, source: Path, folder: str, ending: str) -> Path:
    """Returns the place of a copy of a file in another format; messages can name the original by it.

    Args:
        digest: A name for the content, without a point.
        source: The original, or a copy of it.
        folder: A folder of the cache.
        ending: Tells the format.
    """
    is_copy = source.parent.parent == cache_folder()
    name = source.name.partition(".")[2] if is_copy else source.name
    return cache_folder() / folder / f"{digest}.{name}{ending}"


def original_name(copy: Path, ending: str) -> str:
    """Returns the name of the file that a copy was made from."""
    return copy.name.removesuffix(ending).partition(".")[2]


def is_kept(copy: Path, *beside: Path) -> bool:
    """Reports whether a copy is there, and notes that it and the files beside it are used."""
    if not copy.exists():
        return False
    for file in (copy, *beside):
        with contextlib.suppress(OSError):
            # The time of change stays: it tells copies of this file whether they are up to date.
            os.utime(file, ns=(time.time_ns(), file.stat().st_mtime_ns))
    return True


def make_room(copy: Path, size: int) -> None:
    """Makes the folder of a copy, and removes others that nobody has used for long.

    Args:
        copy: A file that is to be made.
        size: Its bytes.

    Raises:
        Error: If the folder cannot be made, or the disk has no space for the copy.
    """
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        _forget_daily(copy.parent)
        if size > shutil.disk_usage(copy.parent).free:
            _forget(copy.parent, _KEPT_DAYS_OF_FULL_DISK)
        if size > shutil.disk_usage(copy.parent).free:
            raise OSError(28, os.strerror(28))
    except OSError as error:
        raise write_error(copy, error) from None


def cleaned_note(folder: Path) -> Path:
    """Returns the file whose time of change tells when a folder of the cache was last cleaned."""
    return folder.with_name(f".{folder.name}.cleaned")


def _forget_daily(folder: Path) -> None:
    """Removes what nobody has used for long, unless that was done within a day: folders may have many files."""
    note = cleaned_note(folder)
    with contextlib.suppress(OSError):
        if time.time() - note.stat().st_mtime < _DAY_S:
            return
    _forget(folder, _KEPT_DAYS)
    note.touch()


def _forget(folder: Path, days: float) -> None:
    oldest = time.time() - _DAY_S * days
    for file in folder.iterdir():
        with contextlib.suppress(OSError):
            if file.stat().st_atime < oldest:
                file.unlink()
