"""`tradewind doctor`: versions, processors, memory, and which optional parts are there."""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from tradewind import core, mpi
from tradewind.cli import console, options
from tradewind.config import places
from tradewind.errors import Error
from tradewind.host import available_memory, usable_cores
from tradewind.units import bytes_text

_NEEDED = ("numpy", "rich", "click")
# Optional packages, and the extra that brings each.
_OPTIONAL = {
    "matplotlib": "report",
    "netCDF4": "report",
    "plotly": "report",
    "xarray": "report",
    "scipy": "calibrate",
    "distributed": "dask",
    "global-land-mask": "mesh",
    "pymetis": "mesh",
    "mpi4py": "mpi4py",
    "otf2": "trace",
}


@click.command("doctor")
@options.json_output()
def command(as_json: bool) -> int:
    """Say what is installed and what this machine offers."""
    facts, healthy = _facts()
    if as_json:
        console.print_json(dict(facts))
        return 0 if healthy else 1
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for name, value in facts.items():
        table.add_row(name, Text(value))
    console.output.print(table)
    return 0 if healthy else 1


def _facts() -> tuple[dict[str, str], bool]:
    facts = {
        "python": f"{platform.python_version()} ({sys.executable})",
        "system": platform.platform(),
    }
    healthy = True
    try:
        loaded = core.load()
        facts["core"] = (
            f"{loaded.version}, built by {getattr(loaded, 'compiler', 'an unknown compiler')}"
        )
    except Error as error:
        facts["core"] = str(error)
        healthy = False
    facts["cores"] = str(usable_cores())
    facts["memory"] = f"{bytes_text(available_memory())} available"
    facts["machines"] = f"{len(places.machine_files())} in {places.data_folder('machines')}"
    facts["experiments"] = (
        f"{len(places.experiment_files())} in {places.data_folder('experiments')}"
    )
    facts["mpi"] = _mpi()
    for name in _NEEDED:
        facts[name] = _version(name) or "missing: reinstall tradewind"
        healthy = healthy and _version(name) is not None
    for name, extra in _OPTIONAL.items():
        facts[name] = _version(name) or f"not installed (optional: in the extra {extra})"
    return facts, healthy


def _mpi() -> str:
    """Returns library and launcher, or the fault in them; the simulator needs neither."""
    try:
        found = mpi.find()
        library = mpi.run(["info"], 1, timeout=30)["library"]
    except Error as error:
        return str(error)
    left = len(list(Path("/dev/shm").glob("mpich_shm_*")))
    remains = f"; {left} files mpich_shm_* in /dev/shm, of running or broken jobs" if left else ""
    return f"{library} ({found.origin}: {found.name}), started by {found.launcher}{remains}"


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
