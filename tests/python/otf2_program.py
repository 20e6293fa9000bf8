"""An archive of OTF2 as Score-P writes it, for tests: records of a program on a few ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

TICKS_PER_S = 10**9


class Program:
    """Writes the regions and records of each rank; times are in ns.

    Args:
        folder: The folder of the archive.
        ranks: The number of ranks.
        has_stacks: Whether calls are entered by their call stacks.
    """

    def __init__(self, folder: Path, ranks: int, has_stacks: bool = False) -> None:
        import otf2
        import otf2.writer

        self.otf2 = otf2
        self._archive = otf2.writer.Writer(str(folder), timer_resolution=TICKS_PER_S)
        self.anchor = folder / "traces.otf2"
        definitions = self._archive.definitions
        root = definitions.system_tree_node("node")
        self.locations = []
        for rank in range(ranks):
            group = definitions.location_group(
                f"rank {rank}",
                system_tree_parent=root,
                location_group_type=otf2.LocationGroupType.PROCESS,
            )
            self.locations.append(
                definitions.location(f"rank {rank}", type=otf2.LocationType.CPU_THREAD, group=group)
            )
        mpi = otf2.Paradigm.MPI
        definitions.group(
            "", group_type=otf2.GroupType.COMM_LOCATIONS, paradigm=mpi, members=self.locations
        )
        self._writers = [self._archive.event_writer_from_location(one) for one in self.locations]
        self._regions: dict[str, Any] = {}
        self._functions: dict[str, Any] = {}
        self._has_stacks = has_stacks
        self._time = [0] * ranks
        self.world = self.comm("MPI_COMM_WORLD", range(ranks))

    def comm(self, name: str, ranks: Any, parent: Any = None) -> Any:
        """Defines a communicator, other than the world with the one that it was made of."""
        definitions = self._archive.definitions
        group = definitions.group(
            name,
            group_type=self.otf2.GroupType.COMM_GROUP,
            paradigm=self.otf2.Paradigm.MPI,
            members=tuple(self.locations[rank] for rank in ranks),
        )
        return definitions.comm(name, group=group, parent=parent)

    def alone(self) -> Any:
        """Defines the communicator that stands for all with one rank."""
        mpi = self.otf2.Paradigm.MPI
        group = self._archive.definitions.group(
            "", group_type=self.otf2.GroupType.COMM_SELF, paradigm=mpi, members=()
        )
        return self._archive.definitions.comm("MPI_COMM_SELF", group=group)

    def window(self) -> Any:
        """Defines a window of all ranks."""
        return self._archive.definitions.rma_win("window", comm=self.world)

    def group(self, *ranks: int) -> Any:
        """Defines a group."""
        return self._archive.definitions.group(
            "",
            group_type=self.otf2.GroupType.COMM_GROUP,
            paradigm=self.otf2.Paradigm.MPI,
            members=tuple(self.locations[rank] for rank in ranks),
        )

    def call(self, rank: int, region: str, *records: tuple[str, Any], before: int = 100) -> None:
        """Writes a region of 50 ns after a computation, with records in it."""
        writer = self._writers[rank]
        self._time[rank] += before
        place = self._region(region)
        context = (
            self._archive.definitions.calling_context(place, parent=None)
            if self._has_stacks
            else None
        )
        if context is None:
            writer.enter(self._time[rank], place)
        else:
            writer.calling_context_enter(self._time[rank], context, 1)
        for name, arguments in records:
            getattr(writer, name)(self._time[rank] + 10, *arguments)
        self._time[rank] += 50
        if context is None:
            writer.leave(self._time[rank], place)
        else:
            writer.calling_context_leave(self._time[rank], context)

    def collective(self, rank: int, region: str, operation: str, *values: Any) -> None:
        """Writes a collective: communicator, root, bytes sent and received."""
        end = (getattr(self.otf2.CollectiveOp, operation), *values)
        self.call(rank, region, ("mpi_collective_begin", ()), ("mpi_collective_end", end))

    def function(self, rank: int, name: str, *, is_entered: bool) -> None:
        """Enters or leaves a function of the program."""
        if name not in self._functions:
            self._functions[name] = self._archive.definitions.region(
                name, paradigm=self.otf2.Paradigm.COMPILER
            )
        self._time[rank] += 100
        writer = self._writers[rank]
        (writer.enter if is_entered else writer.leave)(self._time[rank], self._functions[name])

    def pause(self, rank: int, length: int, record: str, *arguments: Any) -> None:
        """Writes a record outside calls and lets time pass."""
        getattr(self._writers[rank], record)(self._time[rank], *arguments)
        self._time[rank] += length

    def now(self, rank: int) -> int:
        """Returns the time of a rank in ns."""
        return self._time[rank]

    def close(self) -> Path:
        """Writes the archive and returns its anchor."""
        self._archive.close()
        return self.anchor

    def _region(self, name: str) -> Any:
        if name not in self._regions:
            self._regions[name] = self._archive.definitions.region(
                name, paradigm=self.otf2.Paradigm.MPI
            )
        return self._regions[name]
