"""Files: TOML and JSON that users hand in are read so that every fault is a ConfigError; writing is atomic."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import stat
import tempfile
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

from tradewind.errors import ConfigError, Error
from tradewind.units import bytes_text

# Deepest nesting of tables and lists that is accepted. No file of ours needs more than 6, and code that copies
# and prints values may descend into them without a care for the depth of the stack.
DEEPEST = 32
# The ending of a file that is being written.
PARTIAL = ".partial"
# No text that is read is nearly as large; /dev/zero is.
_LARGEST = 2**28
_BLOCK = 2**20
# The first bytes of files that are handed in by mistake.
_MAGIC = {
    b"\x89PNG": "a picture (PNG)",
    b"\x89HDF": "a NetCDF or HDF5 file",
    b"CDF": "a NetCDF file",
    b"\x7fELF": "a program",
    b"PK\x03\x04": "an archive (ZIP)",
    b"\x1f\x8b": "a compressed file (gzip)",
    b"%PDF": "a PDF file",
}
# JSON files of results hold what was read from TOML, some levels down.
DEEPEST_JSON = 2 * DEEPEST


def load_toml(path: Path) -> dict[str, Any]:
    """Reads a TOML file.

    Raises:
        ConfigError: If it cannot be read, is no TOML, or is nested too deeply; the message names the file, and
            the line where that is known.
    """
    return parse_toml(load_text(path), str(path))


def parse_toml(text: str, source: str) -> dict[str, Any]:
    """Reads a text as TOML.

    Args:
        text: The text.
        source: Where it comes from, for messages.

    Raises:
        ConfigError: As `load_toml`.
    """
    tables: dict[str, Any] = _parsed(tomllib.loads, text, source, "TOML", DEEPEST)
    return tables


def toml_value(text: str, source: str) -> Any:
    """Reads a text as a single value of TOML, or takes it as it is if it is none.

    Args:
        text: The text, such as "[1, 2]" or "torus-m".
        source: Where it comes from, for messages.

    Raises:
        ConfigError: If it is nested too deeply.
    """
    try:
        table = tomllib.loads(f"value = {text}")
    except ValueError:
        return text
    except RecursionError:
        raise _too_deep(source, DEEPEST) from None
    check_nesting(table, source)
    return table["value"] if len(table) == 1 else text


def load_json(path: Path) -> Any:
    """Reads a JSON file.

    Raises:
        ConfigError: If it cannot be read, is no JSON, or is nested too deeply.
    """
    return parse_json(load_text(path), str(path))


def parse_json(text: str, source: str) -> Any:
    """Reads a text as JSON.

    Args:
        text: The text.
        source: Where it comes from, for messages.

    Raises:
        ConfigError: As `load_json`.
    """
    return _parsed(json.loads, text, source, "JSON", DEEPEST_JSON)


def load_text(path: Path) -> str:
    """Reads a text file, without a byte order mark that an editor has put before it.

    Raises:
        ConfigError: If it cannot be read, is no text in UTF-8, or is too large for any input of ours.
    """
    try:
        with path.open("rb") as file:
            content = _read_most(file)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{shortened(str(path))}: {_reason(error)}") from None
    if len(content) > _LARGEST:
        raise ConfigError(f"{path}: is larger than {bytes_text(_LARGEST)}")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except ValueError as error:
        raise ConfigError(f"{path}: {_why_no_text(content, error)}") from None


def _read_most(file: IO[bytes]) -> bytes:
    """Returns what a file holds, or the first `_LARGEST` bytes and some more, without room for all of these before."""
    content = bytearray()
    while len(content) <= _LARGEST and (block := file.read(_BLOCK)):
        content += block
    return bytes(content)


def is_there(path: Path) -> bool:
    """Returns whether there is such a file or folder; a name that the system refuses is none."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _why_no_text(content: bytes, error: ValueError) -> str:
    """Says where a file is no text, and what it is instead if its first bytes tell."""
    kind = next((name for magic, name in _MAGIC.items() if content.startswith(magic)), "")
    if kind:
        return f"is {kind}, no text file"
    place = ""
    if isinstance(error, UnicodeDecodeError):
        line = content.count(b"\n", 0, error.start) + 1
        place = f": byte {content[error.start]:#04x} in line {line}"
    return f"no text file in UTF-8{place}"


def _reason(error: OSError | ValueError) -> str:
    """Returns what the system said, without the path."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def shortened(text: str) -> str:
    """Returns a text for a message: the beginning and the end of a long one."""
    return text if len(text) <= 200 else f"{text[:120]}...{text[-60:]}"


def _parsed(parse: Callable[[str], Any], text: str, source: str, kind: str, deepest: int) -> Any:
    try:
        value = parse(text)
    except ValueError as error:
        # Python answers a number with thousands of digits with advice to programmers.
        reason = "a number has too many digits" if "4300 digits" in str(error) else error
        raise ConfigError(f"{source}: not a {kind} file: {reason}") from None
    except RecursionError:
        raise _too_deep(source, deepest) from None
    check_nesting(value, source, deepest)
    return value


def check_nesting(value: Any, source: str, deepest: int = DEEPEST) -> None:
    """Refuses deep nesting, and texts that no file can hold: half a pair of UTF-16, which JSON can write.

    Args:
        value: Lists and tables of anything.
        source: Where it comes from, for messages.
        deepest: How many lists and tables may be inside each other.

    Raises:
        ConfigError: If they are nested deeper, or a text is no Unicode.
    """
    level = [value]
    for _ in range(deepest + 1):
        if not level:
            return
        inner: list[Any] = []
        for entry in level:
            if isinstance(entry, dict):
                inner += entry
                inner += entry.values()
            elif isinstance(entry, list):
                inner += entry
            elif isinstance(entry, str) and not entry.isascii():
                _check_text(entry, source)
        level = inner
    raise _too_deep(source, deepest)


def _check_text(text: str, source: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"{source}: the text {text!a} is no Unicode") from None


def _too_deep(source: str, deepest: int) -> ConfigError:
    return ConfigError(f"{source}: lists and tables are nested more than {deepest} deep")


def check_folder(folder: Path) -> None:
    """Refuses what cannot become a folder, because a file is in its place.

    Raises:
        ConfigError: If the path, or one above it, is a file.
    """
    try:
        found = next((path for path in (folder, *folder.parents) if path.exists()), None)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{shortened(str(folder))}: {_reason(error)}") from None
    if found is not None and not found.is_dir():
        raise ConfigError(
            f"{folder}: {'' if found == folder else f'{found} '}is a file; expected a folder for "
            "results, which is made if need be"
        )


def make_folder(folder: Path) -> None:
    """Makes a folder for results, and those above it, if need be.

    Raises:
        Error: If it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_error(folder, error) from None


def check_is_no_input(path: Path, inputs: Iterable[Path]) -> None:
    """Refuses to write a file that is read, before anything is computed.

    Raises:
        ConfigError: If the path, or the file that a link there names, is one of them.
    """
    for one in inputs:
        with contextlib.suppress(OSError, ValueError):
            if not is_special(path) and path.samefile(one):
                raise ConfigError(f"{path}: is read, as {one}; expected another file to write")


def check_outputs(outputs: Iterable[Path | None], inputs: Iterable[Path]) -> None:
    """Refuses to write a file that is read, or one file twice, before anything is computed.

    Args:
        outputs: The files to write; None stands for one that nobody asked for.
        inputs: The files that are read.

    Raises:
        ConfigError: If an output is an input or another output.
    """
    read = list(inputs)
    written: set[Path] = set()
    for path in outputs:
        if path is None or is_special(path):
            continue
        check_is_no_input(path, read)
        with contextlib.suppress(OSError, ValueError):
            if path.resolve() in written:
                raise ConfigError(f"{path}: would be written twice; expected a file for each")
            written.add(path.resolve())


def write_atomically(path: Path, fill: Callable[[IO[bytes]], object]) -> None:
    """Writes a file so that at any moment either the old or the whole new content is there.

    A symbolic link stays one, and the file that it names is written. What is no regular file, such as a
    pipe or a device, is written straight into.

    Args:
        path: The file.
        fill: Writes the content to the open file that it is given, or to a file of its name.

    Raises:
        Error: If the disk is full or the folder cannot be written; nothing is left behind.
    """
    if is_special(path):
        _write_straight(path, fill)
        return
    temporary: Path | None = None
    target = path
    try:
        target = _named_file(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name}.", suffix=PARTIAL
        )
        temporary = Path(name)
        os.close(descriptor)
        with temporary.open("wb") as file:
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(target)
        temporary = None
        _sync_folder(target.parent)
    except OSError as error:
        raise write_error(path, error) from None
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()


def is_special(path: Path) -> bool:
    """Returns whether a path names a pipe, a device, or the file that the process prints to.

    No other file may be put in the place of these.
    """
    try:
        found = path.stat()
    except (OSError, ValueError):
        return False
    if stat.S_ISDIR(found.st_mode):
        return False
    return not stat.S_ISREG(found.st_mode) or _output_that_is(found) is not None


def _output_that_is(found: os.stat_result) -> int | None:
    """Returns the descriptor of the process's own output, 1 or 2, that is a file; None if neither is."""
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(found, os.fstat(descriptor)):
                return descriptor
    return None


def _named_file(path: Path) -> Path:
    """Returns the file that a symbolic link names, which need not exist; any other path as it is."""
    if not path.is_symlink():
        return path
    try:
        return path.resolve()
    except RuntimeError:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None


def _write_straight(path: Path, fill: Callable[[IO[bytes]], object]) -> None:
    """Writes content, made before in a temporary file, to the end of what is no regular file."""
    try:
        with tempfile.NamedTemporaryFile() as made:
            fill(made.file)
            made.file.seek(0)
            printed = _output_that_is(path.stat())
            with path.open("ab") if printed is None else os.fdopen(os.dup(printed), "wb") as file:
                shutil.copyfileobj(made.file, file)
    except OSError as error:
        raise write_error(path, error) from None


def write_text(path: Path, text: str) -> None:
    """Writes a text file atomically."""
    write_atomically(path, lambda file: file.write(text.encode()))


def remove_leftovers(folder: Path) -> None:
    """Removes files that a killed process was writing; nobody else may write into the folder.

    Args:
        folder: The folder; it need not exist.
    """
    for pattern in (f".*{PARTIAL}", ".*.json.????????", ".*.npz.????????"):
        for path in folder.glob(pattern):
            with contextlib.suppress(OSError):
                path.unlink()


def check_space(path: Path, size: int) -> None:
    """Tries whether a file could have been written; the disk, a quota or a limit of files may refuse.

    Args:
        path: The file.
        size: Bytes to try.

    Raises:
        Error: If there is no space for them.
    """
    block = bytes(2**20)
    try:
        with tempfile.TemporaryFile(dir=path.parent, prefix=f".{path.name}.") as file:
            for _ in range(-(-size // len(block))):
                file.write(block)
            file.flush()
    except OSError as error:
        raise write_error(path, error) from None


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_error(path: Path, error: OSError) -> Error:
    """Makes the error for a file that cannot be written.

    Args:
        path: The file.
        error: What the system said.
    """
    reason = f"{path}: cannot be written: {error.strerror or error}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) and not is_special(path):
        folder = next((parent for parent in path.parents if parent.exists()), Path("/"))
        free = bytes_text(shutil.disk_usage(folder).free)
        reason += f" ({free} free); what was there is intact"
    return Error(reason)
