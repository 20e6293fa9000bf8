"""Messages as fluids, a model written apart from the simulators: what the order at a link does.

Time advances in equal steps. In each one a link carries what its bandwidth allows of the bytes that wait before it, and
what it has carried waits before the next link of its message.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from networks import Spec
from tradewind import core

_PICOSECOND = 1e-12
# Bytes that rounding may leave of a message.
_REST = 1e-3

# Between what a link is divided evenly: not at all, so that messages are served as they arrive; the
# inputs of its switch, each as it arrives; the messages. Interfaces divide theirs between messages.
Service = Literal["arrival", "inputs", "messages"]
_Queues = dict[int, "_Queue"]


@dataclass(frozen=True)
class Exchange:
    """Messages of one size in stages; a rank begins one when all messages of those before have come.

    Args:
        stages: The destinations of each stage, by rank.
        size: Of a message, in bytes.
    """

    stages: Sequence[Sequence[Sequence[int]]]
    size: float


def transposition(side: int, grid: Sequence[int], radix: int) -> Exchange:
    """The transposition of `cases.transposition` on a square process grid.

    Args:
        side: Rows and columns of processes.
        grid: Points in x, y and z, 8 bytes each.
        radix: Messages of a stage of ring-k.
    """

    def stages(rank: int) -> Iterator[list[int]]:
        row, column = divmod(rank, side)
        for along_row in (True, False, True):
            for begin in range(1, side, radix):
                steps = range(begin, min(begin + radix, side))
                if along_row:
                    yield [row * side + (column + step) % side for step in steps]
                else:
                    yield [(row + step) % side * side + column for step in steps]

    ranks = range(side * side)
    return Exchange([list(stages(rank)) for rank in ranks], math.prod(grid) * 8 / side**3)


class _Progress:
    """The stages that ranks have begun, and the messages that they still wait for."""

    def __init__(self, exchange: Exchange) -> None:
        self._missing = [[0] * len(stages) for stages in exchange.stages]
        for stages in exchange.stages:
            for stage, destinations in enumerate(stages):
                for rank in destinations:
                    self._missing[rank][stage] += 1
        self._begun = [0] * len(exchange.stages)
        self.left = sum(map(sum, self._missing))

    def first_stages(self) -> list[tuple[int, int]]:
        """Each rank with the stages that wait for no message."""
        ranks = range(len(self._begun))
        return [(rank, stage) for rank in ranks for stage in (0, *self._next_stages(rank))]

    def received(self, rank: int, stage: int) -> list[int]:
        """Counts a message of a stage; returns the stages that its receiver can begin now."""
        self._missing[rank][stage] -= 1
        self.left -= 1
        return list(self._next_stages(rank))

    def _next_stages(self, rank: int) -> Iterator[int]:
        missing = self._missing[rank]
        while missing[self._begun[rank]] == 0 and self._begun[rank] + 1 < len(missing):
            self._begun[rank] += 1
            yield self._begun[rank]


class _Message:
    """A message under way, with the bytes that wait before each of its links; the last ones have come."""

    def __init__(self, way: Sequence[int], size: float, destination: int, stage: int) -> None:
        self.way = way
        self.waiting = [size, *[0.0] * len(way)]
        self.destination = destination
        self.stage = stage


class _Queue:
    """Bytes before a link in order of arrival; those of one step are mixed evenly."""

    def __init__(self) -> None:
        self.total = 0.0
        self._batches: deque[tuple[float, dict[tuple[_Message, int], float]]] = deque()

    def put(self, batch: dict[tuple[_Message, int], float]) -> None:
        """Appends bytes, by message and number of the link on its way."""
        total = sum(batch.values())
        self.total += total
        # Bytes of one message need no order, which keeps its queue short.
        if self._batches and len(batch) == 1 and self._batches[-1][1].keys() == batch.keys():
            before, _ = self._batches.pop()
            total += before
            batch = dict.fromkeys(batch, total)
        self._batches.append((total, batch))

    def take(self, amount: float) -> Iterator[tuple[_Message, int, float]]:
        """Removes bytes from the front, and says whose they are."""
        self.total -= amount
        while self._batches and amount > 0.0:
            total, batch = self._batches.popleft()
            share = 1.0 if total <= amount + _REST else amount / total
            for (message, hop), part in batch.items():
                yield message, hop, part * share
            if share < 1.0:
                rest = {key: part * (1.0 - share) for key, part in batch.items()}
                self._batches.appendleft((total - amount, rest))
            amount -= total

    def next_one(self) -> tuple[_Message, int]:
        """The message at the front, and the number of the link on its way."""
        return next(iter(self._batches[0][1]))


def even_shares(wanted: Mapping[int, float], capacity: float) -> dict[int, float]:
    """Divides a capacity evenly; what one does not want goes to the others.

    Args:
        wanted: By key.
        capacity: For all together.
    """
    given = {}
    for left, key in zip(
        range(len(wanted), 0, -1), sorted(wanted, key=lambda key: wanted[key]), strict=True
    ):
        given[key] = min(wanted[key], capacity / left)
        capacity -= given[key]
    return given


class FluidNetwork:
    """The links of a machine, each serving in the same way the messages that wait before it.

    Args:
        spec: The sections of a run in base units; rank r sits on node r.
        service: How links inside the network are divided.
        room: Bytes of a message that may wait before a link inside the network, more than a link
            carries in a step. Only messages that share a link evenly can have one.
    """

    def __init__(self, spec: Spec, service: Service, room: float = math.inf) -> None:
        if room < math.inf and service != "messages":
            raise ValueError(f"room = {room}: with service = {service!r}, expected infinity")
        nic, link, message = spec["nic"], spec["link"], spec["message"]
        ranks = self._ranks = int(spec["program"]["ranks"])
        network = core.load().routes(spec, ranks)
        self._routes = network["routes"]
        kinds = [kind for _, _, kind in network["links"]]
        self._inner = len(kinds)
        self._bandwidths = [link.get(f"{kind}_bandwidth", link["bandwidth"]) for kind in kinds]
        self._bandwidths += [nic["injection_bandwidth"]] * ranks
        self._bandwidths += [nic["ejection_bandwidth"]] * ranks
        latency = nic["injection_latency"] + nic["ejection_latency"]
        overheads = message["overhead_send"] + message["overhead_receive"]
        self._stage_s = float(latency + overheads) * _PICOSECOND
        self._service = service
        self._room = room

    def time_s(self, exchange: Exchange, step_s: float) -> float:
        """Returns when the last rank has all of its messages.

        Args:
            exchange: What the ranks send.
            step_s: Length of a step, short beside the time of a message.
        """
        progress = _Progress(exchange)
        begins = [(0.0, rank, stage) for rank, stage in progress.first_stages()]
        links: dict[int, _Queues] = {}
        now = 0.0
        while progress.left:
            for begin in [begin for begin in begins if begin[0] <= now]:
                begins.remove(begin)
                for message in self._stage(exchange, *begin[1:]):
                    self._put(links, {(message, 0): exchange.size})
            now += step_s
            for message in self._pass_on(links, step_s):
                for stage in progress.received(message.destination, message.stage):
                    begins.append((now + self._stage_s, message.destination, stage))
        return now + self._stage_s

    def _stage(self, exchange: Exchange, rank: int, stage: int) -> Iterator[_Message]:
        for to in exchange.stages[rank][stage]:
            route = self._routes[rank * self._ranks + to]
            way = [self._inner + rank, *route, self._inner + self._ranks + to]
            yield _Message(way, exchange.size, to, stage)

    def _queue_of(self, message: _Message, hop: int) -> int:
        if self._service == "messages" or hop == 0:
            return id(message)
        return message.way[hop - 1] if self._service == "inputs" else 0

    def _put(self, links: dict[int, _Queues], arrived: dict[tuple[_Message, int], float]) -> None:
        batches: dict[tuple[int, int], dict[tuple[_Message, int], float]] = {}
        for (message, hop), amount in arrived.items():
            key = message.way[hop], self._queue_of(message, hop)
            batches.setdefault(key, {})[message, hop] = amount
        for (link, queue), batch in batches.items():
            links.setdefault(link, {}).setdefault(queue, _Queue()).put(batch)

    def _wanted(self, queue: _Queue) -> float:
        if self._room == math.inf:
            return queue.total
        message, hop = queue.next_one()
        # Bytes that come out of the network wait for nobody.
        if hop + 1 == len(message.way):
            return queue.total
        return min(queue.total, self._room - message.waiting[hop + 1])

    def _pass_on(self, links: dict[int, _Queues], step_s: float) -> list[_Message]:
        """Carries the bytes of one step over all links; returns the messages that have come."""
        carried: dict[tuple[_Message, int], float] = {}
        for link, queues in links.items():
            wanted = {key: self._wanted(queue) for key, queue in queues.items()}
            shares = even_shares(wanted, self._bandwidths[link] * step_s)
            for key, amount in shares.items():
                for message, hop, part in queues[key].take(amount):
                    carried[message, hop] = carried.get((message, hop), 0.0) + part
                if queues[key].total <= _REST:
                    del queues[key]
        come: list[_Message] = []
        onward: dict[tuple[_Message, int], float] = {}
        for (message, hop), amount in carried.items():
            message.waiting[hop] -= amount
            message.waiting[hop + 1] += amount
            if hop + 1 < len(message.way):
                onward[message, hop + 1] = amount
            elif sum(message.waiting[:-1]) <= _REST:
                come.append(message)
        self._put(links, onward)
        for link in [link for link, queues in links.items() if not queues]:
            del links[link]
        return come
