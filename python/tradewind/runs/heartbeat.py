"""A line each minute on how far a command is, where there is no terminal for a bar."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType

from rich.console import Console

from tradewind import extras

# No thread looks more often than that, in seconds.
_SHORTEST_S = 0.5


def has_bars(console: Console) -> bool:
    """Returns whether a console can draw bars: a terminal, or a notebook with widgets."""
    return console.is_terminal or (console.is_jupyter and extras.available("ipywidgets"))


class Heartbeat:
    """Writes a line now and then while it is entered; where bars are drawn it writes none.

    Args:
        console: Where to write, normally standard error.
        words: Returns the line.
        interval_s: Time between two lines.
        first_s: Time before the first line; None: as between two.
    """

    def __init__(
        self,
        console: Console,
        words: Callable[[], str],
        interval_s: float = 60.0,
        first_s: float | None = None,
    ) -> None:
        self._console = console
        self._words = words
        self._interval_s = interval_s
        first_s = interval_s if first_s is None else first_s
        self._told = time.monotonic() - interval_s + first_s
        self._look_s = max(min(interval_s, first_s) / 10, _SHORTEST_S)
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Heartbeat:
        """Starts the thread that writes."""
        if not has_bars(self._console):
            self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Ends the thread."""
        self._end.set()
        if self._thread is not None:
            self._thread.join()

    def tell(self) -> None:
        """Writes the line if it is due."""
        with self._lock:
            now = time.monotonic()
            if has_bars(self._console) or now - self._told < self._interval_s:
                return
            self._told = now
        self._console.print(self._words(), markup=False, highlight=False, soft_wrap=True)

    def _run(self) -> None:
        while not self._end.wait(self._look_s):
            self.tell()
