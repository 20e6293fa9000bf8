"""The command line, `tradewind COMMAND`: one module per command."""

from __future__ import annotations

import errno
import importlib
import re
import sys
from dataclasses import dataclass

import click

from tradewind import mpi
from tradewind.cli.console import drop_output, fail, mute
from tradewind.cli.interrupts import heard_interrupts
from tradewind.errors import (
    ConfigError,
    DeadlockError,
    Error,
    Interrupted,
    MessageError,
    TraceError,
)
from tradewind.files import shortened
from tradewind.mpi.group import DeclinedError, decline, has_joined

_COMMANDS = {
    "simulate": "Simulate an experiment.",
    "explain": "Say where the time of a simulated run goes, and what a change gains.",
    "inspect": "Say what a recorded program does: calls, messages, times, wait states.",
    "extrapolate": "Find the rule behind recordings of a program, for any number of ranks.",
    "run": "Run a mini-model with real data, on MPI or simulated ranks.",
    "list": "List what can be chosen in an experiment.",
    "reproduce": "Make the figures, tables and claims of a published study.",
    "bench": "Measure messages, collectives and overlap on the MPI of this machine.",
    "calibrate": "Fit a machine file to measurements on the MPI of this machine.",
    "machine": "List machines; describe one: links, bisection, messages, a picture.",
    "mesh": "Make, check, partition and draw meshes of Voronoi cells in the MPAS format.",
    "partition": "Compare distributions of a model's mesh over ranks, by its curve and by METIS.",
    "graph": "Say who sends how much to whom when a model exchanges its halo.",
    "tune": "Find the best algorithm, radix and protocol for the operations of an experiment.",
    "plot": "Draw the results in a folder again.",
    "report": "Write one HTML page with interactive figures of the results in a folder.",
    "mpi": "Check and time algorithms on the MPI of this machine.",
    "mpiexec": "Start a program of your own on the MPI of tradewind.",
    "record": "Run an MPI program and record what it calls.",
    "doctor": "Say what is installed and what this machine offers.",
    "demo": "Simulate the communication of a kilometre-scale model on three networks.",
}


# A path that the system refuses whatever it is for.
_WRONG_NAMES = (errno.ENAMETOOLONG, errno.ELOOP)
# The message of Python when the system refuses a thread.
_NO_THREAD = "can't start new thread"


class _LazyGroup(click.Group):
    """Loads the module of a command only when it is used, so that the others start fast."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Returns names in the order of the table."""
        return list(_COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Returns the loaded command."""
        if name not in _COMMANDS:
            return None
        command = importlib.import_module(f"tradewind.cli.{name}_command").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


def _show_version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from tradewind import core

        click.echo(f"tradewind {core.load().version}")
        context.exit()


def _show_cmake_dir(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from tradewind.mpi.library import cmake_dir

        click.echo(cmake_dir())
        context.exit()


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version)
@click.option(
    "--cmake-dir",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_cmake_dir,
    help="Print the folder of tradewindConfig.cmake.",
)
def group() -> None:
    """Predict what the communication of weather, climate and ocean models costs."""


def _said(error: OSError) -> str:
    """Returns what the system refused, with the file if there is one."""
    reason = error.strerror or str(error) or type(error).__name__
    return reason if error.filename is None else f"{shortened(str(error.filename))}: {reason}"


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line.

    Args:
        arguments: The words after `tradewind`; by default those of this process.

    Returns:
        The exit status: 0 done, 1 run failed, 2 wrong input, 130 interrupted.
    """
    given = sys.argv[1:] if arguments is None else arguments
    end = _end_of(given)
    if _shares_runs(given):
        end = _agreed(end)
    if not end.message:
        return end.status
    return fail(end.kind, end.message, end.status, as_json="--json" in given)


@dataclass(frozen=True)
class _End:
    """The exit status of a command, with its error if there is one."""

    status: int
    kind: str = ""
    message: str = ""


def _hint(error: click.ClickException) -> str:
    """Returns what helps: the option of settings for words that look like them, else where to read."""
    context = getattr(error, "ctx", None)
    sets = context is not None and any("--set" in one.opts for one in context.command.params)
    words = re.findall(r"[^\s()]+=[^\s()]*", error.format_message())
    if sets and words and "extra argument" in error.format_message():
        return "write " + " ".join(f"--set {word}" for word in words)
    return f"{context.command_path if context is not None else 'tradewind'} --help"


def _end_of(given: list[str]) -> _End:
    """Runs a command."""
    try:
        with heard_interrupts():
            status = group.main(args=given, prog_name="tradewind", standalone_mode=False)
    except click.exceptions.Exit as end:
        return _End(end.exit_code)
    except click.ClickException as error:
        return _End(2, "ConfigError", f"{error.format_message()} ({_hint(error)})")
    except DeclinedError:
        return _End(2)
    except (ConfigError, TraceError, DeadlockError, MessageError) as error:
        return _End(2, type(error).__name__, str(error))
    except (Interrupted, KeyboardInterrupt, click.Abort) as error:
        return _End(130, "Interrupted", str(error) or "interrupted")
    except BrokenPipeError:
        # The reader of our output has gone; a flush at exit must not complain.
        drop_output()
        return _End(1)
    except OSError as error:
        if error.errno in _WRONG_NAMES:
            return _End(2, "ConfigError", _said(error))
        return _End(1, "Error", _said(error))
    except Error as error:
        return _End(1, type(error).__name__, str(error))
    except MemoryError:
        return _End(1, "MemoryError", "there is not enough memory for this")
    except RuntimeError as error:
        if str(error) != _NO_THREAD:
            raise
        return _End(1, "MemoryError", "the system refuses another thread: too little memory")
    return _End(status if isinstance(status, int) else 0)


def _shares_runs(given: list[str]) -> bool:
    """Reports whether other processes of mpiexec wait for this one."""
    words = [word for word in given if not word.startswith("-")]
    return words[:1] == ["simulate"] and mpi.world()[1] > 1


def _agreed(end: _End) -> _End:
    """Lets the other processes know if this one has ended before it took part in their runs."""
    if has_joined():
        if mpi.world()[0] > 0:
            mute()
        return end
    told = decline(end.message or "it has ended without taking part")
    return _End(end.status or 2, end.kind or "ConfigError", told)
