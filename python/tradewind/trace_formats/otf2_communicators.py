"""Communicators: those of an archive of OTF2, with the numbers that they have on each rank of a trace."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tradewind.core import TraceBuilder
from tradewind.errors import TraceError


class Communicators:
    """The communicators of an archive with their numbers on each rank.

    Args:
        otf2: The package.
        archive: The archive.
        builder: The trace that gets them.
        rank_of: The ranks of locations.
    """

    def __init__(
        self, otf2: ModuleType, archive: Any, builder: TraceBuilder, rank_of: dict[Any, int]
    ) -> None:
        self._members: dict[Any, list[int]] = {}
        self._places: dict[Any, dict[int, int]] = {}
        self._numbers: dict[tuple[int, Any], int] = {}
        self._rank_of = rank_of
        has_world = False
        everybody = list(range(len(rank_of)))
        for comm in archive.definitions.comms:
            if comm.group.group_type == otf2.GroupType.COMM_SELF:
                self._numbers |= {(rank, comm): 1 for rank in everybody}
                continue
            members = [rank_of[one] for one in comm.group.members if one in rank_of]
            self._members[comm] = members
            self._places[comm] = {rank: place for place, rank in enumerate(members)}
            # Copies of the world have no name, either, but a parent.
            is_named = comm.name in ("MPI_COMM_WORLD", "MPI_WORLD", "")
            is_world = members == everybody and is_named and not (has_world or comm.parent)
            has_world = has_world or is_world
            for rank in members:
                number = 0 if is_world else builder.communicator(rank, members)
                self._numbers[rank, comm] = number

    def number(self, rank: int, comm: Any) -> int:
        """Returns the number of a communicator on a rank.

        Raises:
            TraceError: If the rank is not in it, or it joins two groups.
        """
        if (rank, comm) not in self._numbers:
            raise TraceError(
                f"rank {rank} uses {comm.name}: it is not in it, or it joins two groups"
            )
        return self._numbers[rank, comm]

    def place(self, rank: int, comm: Any) -> int:
        """Returns the rank within a communicator."""
        return self._places[comm][rank] if comm in self._places else 0

    def size(self, comm: Any) -> int:
        """Returns the number of ranks of a communicator."""
        return len(self._members[comm]) if comm in self._members else 1

    def places_of(self, comm: Any, group: Any) -> list[int]:
        """Returns the ranks of a group within a communicator."""
        return [self.place(self._rank_of[one], comm) for one in group.members]
