"""The options that several commands share, each declared once."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from tradewind.files import check_folder

# The most MPI processes or simulated ranks of one command.
MOST_RANKS = 100_000

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Finite(click.FloatRange):
    """A number in a range that is neither infinite nor not-a-number."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Reads the number."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number.", param, ctx)
        return number


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
        required=required,
        help=content,
    )


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
