"""The recorder, compiled for the MPI that a program uses, and kept for the next time."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tradewind import mpi
from tradewind.cache import cache_folder
from tradewind.errors import ConfigError
from tradewind.trace.wrappers import generate

SOURCES = Path(__file__).parent.parent / "recorder"
_FLAGS = ("-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-ftls-model=initial-exec", "-w")
_LIBRARY = re.compile(r"^\s*(libmpi(?:ch|_abi)?\.so[.\d]*)(?: => (\S+))?", re.MULTILINE)
# The family of a library by the beginning of its name.
_FAMILIES = {
    "libmpi_abi.so": "MPI ABI",
    "libmpich.so": "MPICH",
    "libmpi.so.12": "MPICH",
    "libmpi.so": "Open MPI",
}


@dataclass(frozen=True)
class _Used:
    """The library of MPI that a program is linked with."""

    path: Path
    family: str


def built_recorder(command: Sequence[str], mpicc: str | None) -> Path:
    """Returns the recorder for the MPI that a command uses; compiles it on first use.

    Args:
        command: What will be recorded, with its launcher.
        mpicc: The C compiler of its MPI, if that cannot be found.

    Raises:
        ConfigError: If there is no such compiler, or it cannot compile the recorder.
    """
    compiler, header = _compiler(command, mpicc)
    shown = _output([str(compiler), "-show"])
    key = hashlib.sha256(f"{compiler.absolute()}\n{shown}\n{header}".encode())
    for source in sorted(SOURCES.iterdir()):
        key.update(source.read_bytes())
    key.update(Path(__file__).with_name("wrappers.py").read_bytes())
    library = cache_folder() / "recorders" / f"recorder-{key.hexdigest()[:20]}.so"
    if not library.exists():
        _compile(compiler, shlex.split(shown)[:1], header, library)
    return library


def _compiler(command: Sequence[str], given: str | None) -> tuple[Path, str]:
    """Returns the C compiler for a command, with its preprocessed mpi.h."""
    if given is not None:
        found = shutil.which(given)
        if found is None:
            raise ConfigError(f"--mpicc {given}: there is no such program")
        return Path(found), _header(Path(found))
    used = next(filter(None, map(_library, command)), None)
    rejected = []
    for candidate in dict.fromkeys(_candidates(command, used)):
        try:
            header = _header(candidate)
        except ConfigError:
            continue
        if used is None or _family(header) == used.family:
            return candidate, header
        rejected.append(f"{candidate} is that of {_family(header)}")
    if used is None:
        raise ConfigError(
            f"record: no mpicc beside {command[0]} or in PATH; --mpicc names the C compiler of the "
            "MPI that the program uses"
        )
    seen = f" ({'; '.join(rejected)})" if rejected else ""
    raise ConfigError(
        f"record: no mpicc for {used.path}, which is of {used.family}{seen}; --mpicc names it"
    )


def _candidates(command: Sequence[str], used: _Used | None) -> Iterator[Path]:
    """Yields compilers, from the one that fits best."""
    names = ["mpicc", "mpicc.mpich", "mpicc.openmpi", "mpicc_abi"]
    folders = [folder / "bin" for folder in used.path.parents[:4]] if used else []
    if _is_own_launcher(command):
        folders.append(mpi.find().launcher.parent)
    launcher = shutil.which(command[0])
    if launcher:
        folders += [Path(launcher).absolute().parent, Path(launcher).resolve().parent]
    folders += [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    for folder in folders:
        for name in names:
            if os.access(folder / name, os.X_OK):
                yield folder / name


def _is_own_launcher(command: Sequence[str]) -> bool:
    return Path(command[0]).name == "tradewind" or "tradewind" in command[1:3]


def _library(word: str) -> _Used | None:
    """Returns the library of MPI that a program needs, if the word names one."""
    found = shutil.which(word)
    if found is None:
        return None
    with Path(found).open("rb") as file:
        if file.read(4) != b"\x7fELF":
            return None
    match = _LIBRARY.search(_output(["ldd", found]))
    if match is None:
        return None
    family = next(name for start, name in _FAMILIES.items() if match[1].startswith(start))
    return _Used(Path(match[2] or match[1]), family)


def _output(words: Sequence[str]) -> str:
    """Returns what a program prints; nothing if it fails."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def _header(compiler: Path) -> str:
    """Returns the preprocessed mpi.h of a compiler."""
    words = [str(compiler), "-E", "-dD", "-P", "-x", "c", "-"]
    done = subprocess.run(
        words, input="#include <mpi.h>\n", capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise ConfigError(f"{compiler}: cannot compile a file with mpi.h: {_last(done.stderr)}")
    return done.stdout


def _family(header: str) -> str:
    if "#define OPEN_MPI" in header:
        return "Open MPI"
    return "MPICH" if "MPICH_NUMVERSION" in header or "I_MPI" in header else "MPI ABI"


def _last(text: str) -> str:
    errors = [line for line in text.splitlines() if "error" in line] or text.splitlines()
    return errors[0].strip() if errors else "it says nothing"


def _compile(compiler: Path, linker: list[str], header: str, library: Path) -> None:
    """Compiles the recorder; the library of MPI is not linked, so that other processes do without."""
    library.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tradewind-recorder-") as name:
        folder = Path(name)
        for file, text in generate(SOURCES, header).items():
            (folder / file).write_text(text, encoding="utf-8")
        sources = [*SOURCES.glob("*.c"), folder / "wrappers.c"]
        objects = [folder / f"{source.stem}.o" for source in sources]
        places = [f"-I{SOURCES}", f"-I{folder}"]
        for source, target in zip(sources, objects, strict=True):
            _run([str(compiler), *_FLAGS, *places, "-c", str(source), "-o", str(target)])
        made = folder / library.name
        shared = [*(linker or [str(compiler)]), "-shared", "-o", str(made)]
        _run([*shared, *map(str, objects), "-ldl", "-lpthread"])
        partial = library.with_name(f".{library.name}.{os.getpid()}")
        shutil.copyfile(made, partial)
        partial.replace(library)


def _run(words: list[str]) -> None:
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ConfigError(f"record: {words[0]}: {error.strerror}") from None
    if done.returncode != 0:
        raise ConfigError(
            f"record: the recorder cannot be compiled by {words[0]}: {_last(done.stderr)}"
        )
