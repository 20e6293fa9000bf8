"""Runs commands of `tradewind` as processes of their own that need not load Python and its modules again.

A server loads the modules once and forks for each command. Tests of how a process starts, or is killed, start one.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

_COMMANDS = ("simulate", "record", "extrapolate", "inspect", "explain", "machine", "graph", "mpi")
# Packages that take long to load, and the commands that most often need them.
_PACKAGES = ("matplotlib.figure", "matplotlib.backends.backend_svg", "netCDF4", "xarray")
_DRAWING = ("simulate", "reproduce", "plot", "report", "calibrate", "bench", "run")
_MOST_BYTES = 2**17


def run(
    words: Sequence[str | Path],
    folder: Path,
    variables: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs `tradewind WORDS` in a folder, with its output in texts, as `subprocess.run` does."""
    given = [str(word) for word in words]
    request = {"words": given, "folder": str(folder), "variables": dict(variables or os.environ)}
    server = _server()
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        with Path(os.devnull).open() as nothing:
            files = [nothing.fileno(), output.fileno(), errors.fileno()]
            socket.send_fds(server, [json.dumps(request).encode()], files)
        child = int(server.recv(_MOST_BYTES))
        server.settimeout(timeout)
        try:
            status = int(server.recv(_MOST_BYTES))
        except TimeoutError:
            os.kill(child, signal.SIGKILL)
            server.settimeout(None)
            server.recv(_MOST_BYTES)
            raise subprocess.TimeoutExpired(given, timeout or 0.0) from None
        output.seek(0)
        errors.seek(0)
        command = ["tradewind", *given]
        return subprocess.CompletedProcess(command, status, output.read(), errors.read())


@functools.cache
def _server() -> socket.socket:
    """Starts the server of this process, which ends with it."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with there:
        process = subprocess.Popen(
            [sys.executable, "-P", __file__, str(there.fileno())],
            pass_fds=[there.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    atexit.register(_end, here, process)
    return here


def _end(server: socket.socket, process: subprocess.Popen[bytes]) -> None:
    server.close()
    process.wait()


def _serve(asking: socket.socket) -> None:
    """Forks for each request, until nobody asks."""
    _load(f"tradewind.cli.{name}_command" for name in _COMMANDS)
    while True:
        data, files, _, _ = socket.recv_fds(asking, _MOST_BYTES, 3)
        if not data:
            return
        request = json.loads(data)
        if (
            request["words"]
            and request["words"][0] in _DRAWING
            and _PACKAGES[-1] not in sys.modules
        ):
            _load(_PACKAGES)
        child = os.fork()
        if child == 0:
            asking.close()
            _command(request, files)
        for file in files:
            os.close(file)
        asking.send(str(child).encode())
        _, status = os.waitpid(child, 0)
        asking.send(str(os.waitstatus_to_exitcode(status)).encode())


def _load(modules: Iterable[str]) -> None:
    """Imports modules, if they are installed, for all later forks."""
    for name in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    # Frozen objects are not looked through, and so not copied, in the forks.
    gc.collect()
    gc.freeze()


def _command(request: Mapping[str, Any], files: Sequence[int]) -> NoReturn:
    """Runs a command in this process with the files as standard input, output and error, and ends it."""
    from tradewind.__main__ import main

    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["variables"])
    sys.argv = ["tradewind", *request["words"]]
    status = 1
    try:
        status = main()
        atexit._run_exitfuncs()
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
