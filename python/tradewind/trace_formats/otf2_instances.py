"""Instances: collectives whose arguments need the bytes of all their ranks, until all have recorded them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tradewind.errors import TraceError
from tradewind.trace_formats.collective_sizes import Collective, arguments_of, fits_two_sizes
from tradewind.trace_formats.otf2_calls import Call


class Instances:
    """The collectives of an archive that some of their ranks have not recorded yet.

    Args:
        path: The archive, for errors.
    """

    def __init__(self, path: Path) -> None:
        # The number of those whose bytes fit two sizes of a block.
        self.doubtful = 0
        self._path = path
        self._counts: dict[tuple[int, Any], int] = {}
        self._parts: dict[tuple[Any, ...], list[tuple[Collective, Call]]] = {}

    def add(self, rank: int, call: Call) -> None:
        """Takes the next collective of a rank; with the last rank all calls of it get their arguments."""
        own = call.arguments
        assert isinstance(own, Collective)
        count = self._counts[rank, own.comm] = self._counts.get((rank, own.comm), 0) + 1
        # One definition stands for the communicators of all ranks that are alone.
        key = (own.comm, rank if own.ranks == 1 else -1, count)
        parts = self._parts.setdefault(key, [])
        parts.append((own, call))
        if len(parts) == own.ranks:
            self._resolve(self._parts.pop(key))

    def close(self) -> None:
        """Gives arguments to calls of collectives that some ranks did not record."""
        for parts in self._parts.values():
            self._resolve(parts)
        self._parts = {}

    def _resolve(self, parts: list[tuple[Collective, Call]]) -> None:
        parts.sort(key=lambda part: part[0].place)
        collectives = [collective for collective, _ in parts]
        for own, call in parts:
            try:
                call.arguments = arguments_of(own, collectives)
            except ValueError as error:
                raise TraceError(f"{self._path}: {own.operation}: {error}") from None
        self.doubtful += fits_two_sizes(collectives[0])
