"""The options that several commands share, each declared once."""

from __future__ import annotations

import contextlib
import functools
import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from tradewind.errors import ConfigError
from tradewind.files import check_folder
from tradewind.units import TIME

# The most MPI processes or simulated ranks of one command.
MOST_RANKS = 100_000
# The environment variable of the C++ library, in seconds.
_WATCHDOG = "TRADEWIND_WATCHDOG"
# The same in src/tradewind/mpi/watchdog/watchdog.cpp.
_LONGEST_WAIT_S = 1e7

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Finite(click.FloatRange):
    """A number in a range that is neither infinite nor not-a-number."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Reads the number."""
        with contextlib.suppress(TypeError, ValueError):
            if not math.isfinite(float(value)):
                self.fail(f"{value} is no finite number.", param, ctx)
        return float(super().convert(value, param, ctx))


def json_output(
    content: str = "Print one JSON object.",
) -> Callable[[_Command], _Command]:
    """Returns the option `--json`, the parameter `as_json`; `content` says what the object holds.

    Args:
        content: The help, which says what the object holds.
    """
    return click.option("--json", "as_json", is_flag=True, help=content)


def output_folder(
    content: str = "Folder for the results.", default: str | None = None
) -> Callable[[_Command], _Command]:
    """Returns the option `-o` for a folder, the parameter `folder`.

    Args:
        content: The help, which says what the folder is for.
        default: The folder if none is given; without it the parameter is None.
    """
    return click.option(
        "-o",
        "--output",
        "folder",
        type=click.Path(path_type=Path),
        callback=_checked_folder,
        default=default,
        show_default=default is not None,
        help=content,
    )


def _checked_folder(
    context: click.Context, parameter: click.Parameter, folder: Path | None
) -> Path | None:
    """Refuses a file in the place of a folder before anything is computed."""
    if folder is not None:
        check_folder(folder)
    return folder


def output_file(content: str, *, required: bool) -> Callable[[_Command], _Command]:
    """Returns the option `-o` for one file, the parameter `output`; `content` is its help.

    Args:
        content: The help.
        required: Whether the command needs it.
    """
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path, dir_okay=False),
        callback=_with_checked_folder,
        required=required,
        help=content,
    )


def _with_checked_folder(
    context: click.Context, parameter: click.Parameter, file: Path | None
) -> Path | None:
    """Refuses a file in the place of the folder of a file before anything is computed."""
    if file is not None:
        check_folder(file.parent)
    return file


def mpi_ranks(
    content: str = "Number of MPI processes.", default: int | None = 2
) -> Callable[[_Command], _Command]:
    """Returns the option `-n`, the parameter `ranks`.

    Args:
        content: The help.
        default: The number if none is given; None where only a given one starts MPI processes.
    """
    return click.option(
        "-n",
        "--ranks",
        type=click.IntRange(1, MOST_RANKS),
        default=default,
        show_default=default is not None,
        help=content,
    )


def launcher(
    content: str = 'Launcher instead of mpiexec, such as "srun -n {n}".',
) -> Callable[[_Command], _Command]:
    """Returns the option `--launcher`; `content` is its help.

    Args:
        content: The help.
    """
    return click.option("--launcher", metavar="COMMAND", help=content)


class _Seconds(click.ParamType):  # type: ignore[type-arg]
    """A time above 0 as "30" (seconds) or "500 ms"; 0 for "off"."""

    name = "time"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Reads the time."""
        if value == "off":
            return 0.0
        try:
            seconds = float(value)
        except ValueError:
            try:
                seconds = TIME.parse(value) * 1e-12
            except ConfigError as error:
                self.fail(f"{value}: {error}", param, ctx)
        if not 0 < seconds <= _LONGEST_WAIT_S:
            self.fail(f"{value} is not a time above 0 and up to {_LONGEST_WAIT_S:g} s", param, ctx)
        return seconds


@contextlib.contextmanager
def _limited_waits(seconds: float | None) -> Iterator[None]:
    """Sets the limit for the processes that are started meanwhile: 0 for none; None leaves it as it is."""
    before = os.environ.get(_WATCHDOG)
    if seconds is not None:
        os.environ[_WATCHDOG] = repr(seconds) if seconds > 0 else "off"
    try:
        yield
    finally:
        if before is not None:
            os.environ[_WATCHDOG] = before
        elif seconds is not None:
            del os.environ[_WATCHDOG]


def watchdog() -> Callable[[_Command], _Command]:
    """Returns the option `--watchdog` of commands with `-n`; it holds while the command runs."""
    option = click.option(
        "--watchdog",
        type=_Seconds(),
        metavar="TIME",
        help='End the MPI job if a rank waits in one call for longer, such as "30 s", and say what '
        "each rank waits for; off: never; default: TRADEWIND_WATCHDOG, or never.",
    )

    def decorate(command: _Command) -> _Command:
        @functools.wraps(command)
        def limited(*arguments: Any, watchdog: float | None, **named: Any) -> Any:
            if watchdog is not None and named["ranks"] is None:
                raise ConfigError("--watchdog is for MPI processes: give their number with -n")
            with _limited_waits(watchdog):
                return command(*arguments, **named)

        return cast("_Command", option(limited))

    return decorate


def assignments() -> Callable[[_Command], _Command]:
    """Returns the option `--set`, which may be given several times."""
    return click.option(
        "--set",
        "assignments",
        multiple=True,
        metavar="KEY=VALUE",
        help="For example program.ranks=100; a string needs no quotes.",
    )


def fresh(content: str) -> Callable[[_Command], _Command]:
    """Returns the option `--fresh`, the parameter `fresh`; without it what is finished is kept.

    Its opposite `--resume` is the default, and accepted for scripts that say it.

    Args:
        content: The help, which says what is kept without it.
    """
    return click.option("--fresh/--resume", "fresh", default=False, help=content)


def plots() -> Callable[[_Command], _Command]:
    """Returns the options `--plots` and `--no-plots`, the parameter `plots`: None if neither is given."""
    return click.option(
        "--plots/--no-plots",
        "plots",
        default=None,
        help="Draw pictures, or none; default: where the runs take longer than drawing.",
    )


def scheduler() -> Callable[[_Command], _Command]:
    """Returns the option `--scheduler`, the address of a Dask scheduler."""
    return click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Dask scheduler whose workers make the runs, such as tcp://host:8786; "
        "default: processes of this machine.",
    )
