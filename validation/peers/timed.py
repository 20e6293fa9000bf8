"""Runs a command and writes what it took as JSON: a small process, so that its memory does not hide the command's.

Usage: python -I -S timed.py REPORT COMMAND...

A process counts the largest memory of the one that started it as its own; so it is started from here.
"""

import json
import os
import sys
import time
from pathlib import Path


def main(report: str, command: list[str]) -> int:
    """Returns the exit status of the command; 127 if it cannot be started."""
    start = time.perf_counter()
    child = os.fork()
    if child == 0:
        try:
            os.execvp(command[0], command)
        except OSError as error:
            print(f"{command[0]}: {error.strerror}", file=sys.stderr)
            os._exit(127)
    _, status, usage = os.wait4(child, 0)
    took = {
        "wall_s": time.perf_counter() - start,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "peak_bytes": usage.ru_maxrss * 1024,
    }
    Path(report).write_text(json.dumps(took), encoding="utf-8")
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
