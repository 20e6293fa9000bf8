"""Ctrl-C ends every command, also where the core computes without a look at signals."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

# A command that never looks at signals, as a long loop of the core (a lock that is taken twice), or one that does.
_COMMAND = """
import ctypes, sys, time
import click
from tradewind import cli
from tradewind.cli import interrupts

interrupts.PATIENCE_S = 0.5

@click.command("wait")
def wait():
    print("begun", flush=True)
    if sys.argv[1] == "deaf":
        library, mutex = ctypes.CDLL(None), ctypes.create_string_buffer(64)
        library.pthread_mutex_lock(mutex)
        library.pthread_mutex_lock(mutex)
    time.sleep(60)

cli._LazyGroup.get_command = lambda self, context, name: wait
sys.exit(cli.main(["wait"]))
"""


def interrupted(kind: str) -> tuple[int, str]:
    """Returns the status and the errors of a command that gets Ctrl-C."""
    words = [sys.executable, "-c", _COMMAND, kind]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    return process.returncode, told.decode().strip()


def test_a_command_that_is_deaf_is_ended_after_its_time() -> None:
    status, told = interrupted("deaf")
    assert status == 130
    assert told.startswith("error: interrupted; the command did not answer")


def test_a_command_that_hears_is_left_to_end_itself() -> None:
    assert interrupted("hearing") == (130, "error: interrupted")


@pytest.mark.parametrize("task", [b"", b'{"folder": "out"'])
def test_a_process_whose_parent_is_interrupted_before_the_task_says_nothing(task: bytes) -> None:
    words = [sys.executable, "-P", "-m", "tradewind.runs.worker"]
    end = subprocess.run(words, input=task, capture_output=True, timeout=60, check=False)
    assert (end.returncode, end.stdout, end.stderr) == (130, b"", b"")
