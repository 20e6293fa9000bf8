"""Ctrl-C that is always heard: a command that does not answer to it is ended after some seconds."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from tradewind import mpi

# The time that a command has to end in good order, with all results that it can keep.
PATIENCE_S = 5.0
_MESSAGE = (
    b"\nerror: interrupted; the command did not answer within seconds and was ended; "
    b"files are whole\n"
)


class _Watch(threading.Thread):
    """Waits for signals beside the command; a second one, or the time, ends the process."""

    def __init__(self, pipe: int) -> None:
        super().__init__(name="interrupts", daemon=True)
        self._pipe = pipe
        self.was_heard = threading.Event()

    def run(self) -> None:
        """Reads the numbers of signals until the other end of the pipe is closed."""
        while number := os.read(self._pipe, 1):
            if number[0] not in (signal.SIGINT, signal.SIGTERM):
                continue
            if not self.was_heard.wait(PATIENCE_S):
                os.write(2, _MESSAGE)
                os._exit(130)
            self.was_heard.clear()


@contextlib.contextmanager
def heard_interrupts() -> Iterator[None]:
    """Ends this process with status 130 if it leaves SIGINT or SIGTERM unanswered for some seconds.

    Python runs its handlers of signals between two of its own instructions, thus never while the core
    computes. Other threads than the main one are left alone, and so are processes that ignore SIGINT,
    or that share runs with others, which they may not leave.
    """
    shares_runs = mpi.world()[1] > 1
    is_main = threading.current_thread() is threading.main_thread()
    if (
        shares_runs
        or not is_main
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    watch = _Watch(reading)
    try:
        watch.start()
    except RuntimeError:
        # Without memory for a thread nobody watches; a command that looks for interrupts needs no watch.
        os.close(reading)
        os.close(writing)
        yield
        return

    def answer(number: int, frame: FrameType | None) -> None:
        watch.was_heard.set()
        raise KeyboardInterrupt

    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, answer)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.set_wakeup_fd(before)
        os.close(writing)
        watch.join()
        os.close(reading)
