"""The program `tradewind`, also as `python -m tradewind`."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

# The address space that the program and its libraries take before any command begins, with some reserve. Below it
# libraries end the process, or print pages.
_LEAST_ADDRESS_BYTES = 320 * 2**20
_INTERRUPTED = 130


def main() -> int:
    """Runs the command line, and tells in one line if it is interrupted or has no memory to begin."""
    _open_closed_streams()
    status = _status()
    if status == _INTERRUPTED:
        # Python would end by SIGINT if the signal came while a module was made from a text (dataclasses).
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):
                stream.flush()
        os._exit(status)
    return status


def _open_closed_streams() -> None:
    """Lets a command whose output or errors were closed, as by `>&-`, write them to nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))


def _status() -> int:
    """Runs the command line; returns the exit status."""
    limit = _address_limit()
    if 0 <= limit < _LEAST_ADDRESS_BYTES:
        least, given = _LEAST_ADDRESS_BYTES >> 20, limit >> 20
        return _fail(
            f"`ulimit -v` allows {given} MiB of address space; tradewind needs {least} MiB"
        )
    try:
        from tradewind.cli import main as run

        status = run()
        # The command is complete, whatever comes while the process ends.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return status
    except KeyboardInterrupt:
        return _fail("interrupted", _INTERRUPTED)
    except MemoryError:
        return _fail("there is not enough memory for this")
    except ImportError as error:
        # The loader of libraries has no error of its own for this.
        if "cannot allocate memory" in str(error) or "failed to map segment" in str(error):
            return _fail("there is not enough memory for this")
        raise


def _address_limit() -> int:
    """Returns the limit of `ulimit -v`; below zero if there is none."""
    try:
        import resource
    except ImportError:
        return -1
    return resource.getrlimit(resource.RLIMIT_AS)[0]


def _fail(message: str, status: int = 1) -> int:
    sys.stderr.write(f"error: {message}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
