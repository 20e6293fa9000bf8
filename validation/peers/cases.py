"""The cases: a pattern on a network, for Tradewind, for patterns.c, and as a formula."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from loggp import LogGP, face_bytes
from networks import DRAGONFLY, GROUP, TAPERED_TREE, Network, ring, star, torus

Formula = Callable[[LogGP], float]


@dataclass(frozen=True)
class Case:
    """One row of the comparison.

    Args:
        name: Names it in results.
        network: Where it runs.
        program: The table [program] of Tradewind.
        arguments: Of patterns.c for the same messages.
        formula: Its time where nothing is in anything's way.
        hops: Links between switches on the route of every message; 0 where they differ.
        congested: Whether messages share links between switches, so that the formula is a lower bound.
    """

    name: str
    network: Network
    program: dict[str, Any]
    arguments: list[str] = field(compare=False)
    formula: Formula
    hops: int = 0
    congested: bool = False

    @property
    def ranks(self) -> int:
        """Ranks, one on each node from the first one on."""
        return int(self.program["ranks"])


def _words(name: str, *numbers: int) -> list[str]:
    return [name, *map(str, numbers)]


def pingpong(network: Network, ranks: int, size: int, hops: int) -> Case:
    """A message from the first rank to the last one and back."""
    return Case(
        f"ping-pong, {size} B over {hops} links",
        network,
        {"name": "pingpong", "ranks": ranks, "bytes": f"{size} B"},
        _words("pingpong", size),
        lambda model: 2 * model.stage_s(size, hops),
        hops,
    )


def alltoallv(network: Network, ranks: int, size: int, radix: int) -> Case:
    """Ring-k over all ranks."""
    algorithm = {"algorithm": "ring_k", "radix": radix}
    return Case(
        f"alltoallv ring_k, k = {radix}, {size} B",
        network,
        {"name": "alltoallv", "ranks": ranks, "bytes": f"{size} B", "alltoallv": algorithm},
        _words("alltoall", radix, size),
        lambda model: model.ring_k_s(ranks, size, radix),
    )


def transposition(
    network: Network, processes: Sequence[int], grid: Sequence[int], radix: int, *, congested: bool
) -> Case:
    """The transposition of a spectral model, three stages of ring-k."""
    ranks = processes[0] * processes[1]
    points = grid[0] * grid[1] * grid[2]
    program = {
        "name": "transposition",
        "ranks": ranks,
        "grid": list(grid),
        "processes": list(processes),
        "alltoallv": {"algorithm": "ring_k", "radix": radix},
    }
    return Case(
        f"transposition, ring_k, k = {radix}",
        network,
        program,
        _words("transposition", *processes, *grid, radix),
        lambda model: model.transposition_s(processes, points * 8 // ranks, radix),
        congested=congested,
    )


def halo(
    network: Network,
    processes: Sequence[int],
    grid: Sequence[int],
    width: int,
    *,
    hops: int = 1,
    congested: bool = False,
) -> Case:
    """A wide halo, first in x, then in y."""
    program = {
        "name": "halo",
        "ranks": processes[0] * processes[1],
        "grid": list(grid),
        "processes": list(processes),
        "width": width,
    }
    faces = face_bytes(grid, processes, width)
    return Case(
        f"halo of {width} points",
        network,
        program,
        _words("halo", *processes, *grid, width),
        lambda model: model.halo_s(faces, hops),
        hops,
        congested,
    )


def allreduce(network: Network, ranks: int, size: int, *, congested: bool = False) -> Case:
    """Recursive doubling."""
    algorithm = {"algorithm": "recursive_doubling"}
    return Case(
        f"allreduce recursive doubling, {size} B",
        network,
        {"name": "allreduce", "ranks": ranks, "bytes": f"{size} B", "allreduce": algorithm},
        _words("allreduce", size),
        lambda model: model.recursive_doubling_s(ranks, size),
        congested=congested,
    )


GRID = (256, 128, 64)
_CROWDED = torus(4, 4, nodes_per_switch=4)


def cases() -> list[Case]:
    """The comparison of simulated times."""
    return [
        pingpong(torus(4, 4), 11, 8, 4),
        pingpong(torus(4, 4), 11, 1 << 20, 4),
        alltoallv(star(16), 16, 16384, 1),
        alltoallv(star(16), 16, 16384, 4),
        transposition(star(16), (4, 4), GRID, 1, congested=False),
        halo(torus(4, 4), (4, 4), GRID, 4),
        allreduce(star(16), 16, 8),
        allreduce(star(16), 16, 65536),
        transposition(_CROWDED, (8, 8), GRID, 1, congested=True),
        transposition(_CROWDED, (8, 8), GRID, 4, congested=True),
        transposition(TAPERED_TREE, (8, 8), GRID, 4, congested=True),
        transposition(DRAGONFLY, (8, 8), GRID, 4, congested=True),
        halo(_CROWDED, (8, 8), GRID, 4, hops=0, congested=True),
        halo(TAPERED_TREE, (8, 8), GRID, 4, hops=0, congested=True),
        allreduce(_CROWDED, 64, 65536, congested=True),
        allreduce(DRAGONFLY, 64, 65536, congested=True),
    ]


def sstmacro_cases() -> list[Case]:
    """Cases under congestion for SST/macro: in rings of five links no message has two shortest ways."""
    found = []
    for network in (torus(5, 5, nodes_per_switch=4), GROUP):
        found += [
            transposition(network, (8, 8), GRID, 1, congested=True),
            transposition(network, (8, 8), GRID, 4, congested=True),
            halo(network, (8, 8), GRID, 4, hops=0, congested=True),
            allreduce(network, 64, 65536, congested=True),
        ]
    return found


def routing_case(network: Network) -> Case:
    """The case of the routing rules and of fast links: 100 ranks in order.

    Args:
        network: A dragonfly whose groups have at least as many nodes, or a tree.
    """
    return transposition(network, (10, 10), (400, 400, 100), 4, congested=True)


# 33 packets of 4 KiB.
RING_BYTES = 135168
# Switches of the ring that have ranks.
RING_SWITCHES = 36


def ring_case(nodes_per_switch: int, apart: int = 2, size: int = RING_BYTES) -> Case:
    """Every rank sends to those in its place some switches on and as many switches back.

    It is a halo: rows of processes are `apart` switches long, and domains so flat that what goes to
    the neighbours in the row is 8 bytes.

    Args:
        nodes_per_switch: Of the ring.
        apart: Switches between sender and receiver; a divisor of `RING_SWITCHES`.
        size: Of a message; a multiple of 8 bytes.
    """
    processes = (apart * nodes_per_switch, RING_SWITCHES // apart)
    # A message has the corners of both sides, too.
    columns = size // 8 - 2
    grid = (processes[0] * columns, processes[1], 1)
    return halo(ring(nodes_per_switch), processes, grid, 1, hops=0, congested=True)


def tree_cases(network: Network) -> list[Case]:
    """The patterns on a tree of at least 64 nodes."""
    return [
        transposition(network, (8, 8), GRID, 1, congested=True),
        transposition(network, (8, 8), GRID, 4, congested=True),
        halo(network, (8, 8), GRID, 4, hops=0, congested=True),
        allreduce(network, 64, 65536, congested=True),
    ]


def cost_case(ranks: int) -> Case:
    """The case whose costs are measured: a transposition on a torus of 4 nodes per switch.

    Args:
        ranks: 4 times the square of a power of two.
    """
    side = round((ranks / 4) ** 0.5)
    network = torus(side, side, nodes_per_switch=4)
    return transposition(network, (2 * side, 2 * side), (256, 256, 64), 4, congested=True)
