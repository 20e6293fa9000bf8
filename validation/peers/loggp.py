"""LogGP by formula: how long each pattern takes where nothing is in anything's way.

A message of s bytes over h links between switches takes o_s + L(h) + s G + o_r, where L is the latency of its route. An
interface sends k messages of one stage one after another, s G each (s G >= o_s), so that a stage of k messages takes
o_s + L + k s G + o_r. The printed form has (s - 1) G (hoefler2010), as LogGOPSim; links that carry all s bytes take s G.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from networks import Spec

_PICOSECOND = 1e-12


@dataclass(frozen=True)
class LogGP:
    """The parameters, in seconds, of a network whose links are all alike.

    Args:
        overhead_send_s: o of a send.
        overhead_receive_s: o of a receive.
        ends_s: Latency of interfaces and the first switch: L of a route without links.
        hop_s: Latency of a link between switches, with that of the switch behind it.
        gap_per_byte_s: G, of the slowest link.
        envelope: Bytes that a simulator adds to every message: SMPI 16, LogGOPSim -1.
    """

    overhead_send_s: float
    overhead_receive_s: float
    ends_s: float
    hop_s: float
    gap_per_byte_s: float
    envelope: int = 0

    @classmethod
    def of(cls, spec: Spec, envelope: int = 0) -> LogGP:
        """The parameters of a machine.

        Args:
            spec: The sections of a run in base units; all its links have one speed.
            envelope: Bytes that a simulator adds to every message.
        """
        link, nic, message = spec["link"], spec["nic"], spec["message"]
        switch_ps = spec["switch"]["latency"]
        slowest = min(link["bandwidth"], nic["injection_bandwidth"], nic["ejection_bandwidth"])
        return cls(
            message["overhead_send"] * _PICOSECOND,
            message["overhead_receive"] * _PICOSECOND,
            (nic["injection_latency"] + nic["ejection_latency"] + switch_ps) * _PICOSECOND,
            (link["latency"] + switch_ps) * _PICOSECOND,
            1.0 / slowest,
            envelope,
        )

    def stage_s(self, size: int, hops: int = 0, messages: int = 1) -> float:
        """Time of a stage in which every rank sends and receives.

        Args:
            size: Bytes of each message.
            hops: Links between switches on the longest route.
            messages: Messages that each rank sends before it waits.
        """
        latency = self.ends_s + hops * self.hop_s
        carried = messages * (size + self.envelope) * self.gap_per_byte_s
        return self.overhead_send_s + latency + carried + self.overhead_receive_s

    def ring_k_s(self, members: int, size: int, radix: int, hops: int = 0) -> float:
        """An alltoallv of equal blocks: stages of up to `radix` messages to the next partners.

        Args:
            members: Ranks that exchange.
            size: Bytes of a block.
            radix: Messages of a stage.
            hops: As in `stage_s`, in every stage.
        """
        left = members - 1
        stages = [min(radix, left - done) for done in range(0, left, radix)]
        return sum(self.stage_s(size, hops, count) for count in stages)

    def transposition_s(self, processes: Sequence[int], field: int, radix: int) -> float:
        """Three stages: in the rows, the columns and the rows of a process grid.

        Args:
            processes: Its columns and rows, (cx, cy).
            field: Bytes that each rank holds; both numbers divide it.
            radix: Of ring-k.
        """
        cx, cy = processes
        row = self.ring_k_s(cx, field // cx, radix)
        return 2 * row + self.ring_k_s(cy, field // cy, radix)

    def halo_s(self, faces: Sequence[int], hops: int = 0) -> float:
        """Two sweeps, each with a message to either side.

        Args:
            faces: Bytes of a message of each sweep, x and y.
            hops: Links between neighbours.
        """
        return sum(self.stage_s(face, hops, 2) for face in faces)

    def recursive_doubling_s(self, ranks: int, size: int) -> float:
        """An allreduce over a power of two of ranks; adding up costs nothing.

        Args:
            ranks: A power of two.
            size: Bytes of the vector.
        """
        return (ranks.bit_length() - 1) * self.stage_s(size)


class Fluid(LogGP):
    """The same where the messages of a stage flow side by side, as in SimGrid.

    A flow waits for its latency, then shares the interface evenly with those under way. The last one ends when the last
    message of LogGP does, but all end close together, so that the overheads of their receives queue up.
    """

    def stage_s(self, size: int, hops: int = 0, messages: int = 1) -> float:
        """Returns the time of a stage, with the parameters of LogGP."""
        latency = self.ends_s + hops * self.hop_s
        begins = [(i + 1) * self.overhead_send_s + latency for i in range(messages)]
        work = (size + self.envelope) * self.gap_per_byte_s
        free = messages * self.overhead_send_s
        for end in sorted(shared_ends(begins, work)):
            free = max(free, end) + self.overhead_receive_s
        return free


def shared_ends(begins: Sequence[float], work: float) -> list[float]:
    """When equal flows end that share one link evenly.

    Args:
        begins: When each begins, in order, in seconds.
        work: How long each would take by itself, in seconds.

    Returns:
        When each ends; the first to begin is the first to end.
    """
    left: list[float] = []
    ends: list[float] = []
    now = begins[0]
    for begin in [*begins, math.inf]:
        while left and now + left[0] * len(left) <= begin:
            passed = left.pop(0)
            now += passed * (len(left) + 1)
            left = [rest - passed for rest in left]
            ends.append(now)
        if begin < math.inf:
            left = [rest - (begin - now) / len(left) for rest in left]
            left.append(work)
            now = begin
    return ends


def starved_ring_s(switches: int, nodes: int, size: int, bandwidth: float) -> float:
    """The time of an exchange along a ring whose packets in transit starve.

    Every node sends to the node in its place on the second next switch. Where many nodes inject at
    each switch, all buffers hold packets that need one link more, and that link's buffer is full,
    too: the ring passes on messages at the rate of a single link, whatever its length.

    Args:
        switches: That have ranks.
        nodes: Per switch.
        size: Of a message.
        bandwidth: Of a link, in bytes per second.
    """
    return switches * nodes * size / bandwidth


def shared_port_s(nodes: int, size: int, link: float, interface: float) -> float:
    """The time in which the nodes of a switch send a message each over one port, then one over another.

    The packets of an interface come in at its own rate. A port that is faster lets several of them
    pass at the same time and is the limit only where all together are faster than itself; interfaces
    then wait for room behind it with the first message, and with the second one after that.

    Args:
        nodes: At the switch.
        size: Of a message; a node sends two of them.
        link: Bandwidth of a port, in bytes per second.
        interface: That of a node.
    """
    return 2 * max(size / interface, nodes * size / link)


def face_bytes(grid: Sequence[int], processes: Sequence[int], width: int) -> tuple[int, int]:
    """Bytes of a halo's messages in x and in y, 8 per point; the process grid divides the grid.

    Args:
        grid: (nx, ny, nz).
        processes: (cx, cy).
        width: Of the halo, in points.
    """
    columns, rows = grid[0] // processes[0], grid[1] // processes[1]
    return rows * width * grid[2] * 8, (columns + 2 * width) * width * grid[2] * 8
