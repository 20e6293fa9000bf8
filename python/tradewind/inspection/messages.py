"""The messages of a trace: bytes of calls, pairs of ranks, sizes, and sends without their receives."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from tradewind.inspection.calls import Calls, check_sum, joined, numbered
from tradewind.trace_file import NO_PEER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tradewind.trace_file import Numbers

SENDS = ("send", "ssend", "rsend", "bsend")
ONE_SIDED = ("put", "get", "accumulate", "put_signal")


@dataclass(frozen=True, eq=False)
class Ends:
    """The ends of point-to-point messages, sends and receives, without those of MPI_PROC_NULL.

    Args:
        is_send: Whether an end sends.
        at: The row of its call.
        rank: Its rank.
        peer: The rank at the other end.
        context: The communicator, by a number that both ends have.
        tag: The tag.
        bytes: The size of a message.
        turns: How many messages.
    """

    is_send: NDArray[np.bool_]
    at: Numbers
    rank: Numbers
    peer: Numbers
    context: Numbers
    tag: Numbers
    bytes: Numbers
    turns: Numbers

    def with_others(self, others: Ends) -> Ends:
        """Returns these ends with others behind them."""
        pairs = ((getattr(self, one.name), getattr(others, one.name)) for one in fields(self))
        return Ends(*(np.concatenate(pair) for pair in pairs))

    def only(self, chosen: NDArray[np.bool_] | Numbers) -> Ends:
        """Returns some of the ends."""
        return Ends(
            self.is_send[chosen],
            self.at[chosen],
            self.rank[chosen],
            self.peer[chosen],
            self.context[chosen],
            self.tag[chosen],
            self.bytes[chosen],
            self.turns[chosen],
        )


@dataclass(frozen=True)
class Unmatched:
    """Messages between two ranks of which one end is missing, or whose ends have different sizes.

    Args:
        call: The calls whose other ends are missing.
        site: Where they are called.
        rank: Their rank.
        peer: The other rank.
        tag: The tag.
        bytes: The bytes of all of them.
        sends: The sends of this channel.
        receives: Its receives.
        reason: What is wrong.
    """

    call: str
    site: str
    rank: int
    peer: int
    tag: int
    bytes: int
    sends: int
    receives: int
    reason: str


def ends_of(calls: Calls) -> Ends:
    """Returns the ends of all point-to-point messages.

    Raises:
        TraceError: If a call names a communicator or a rank that does not exist.
    """
    sends = np.flatnonzero(calls.is_call(*SENDS))
    receives = np.flatnonzero(calls.is_call("recv"))
    both = np.flatnonzero(calls.is_call("sendrecv"))
    at = np.concatenate([sends, both, receives, both])
    is_send = np.arange(len(at)) < len(sends) + len(both)
    skip = np.zeros(len(at), np.int64)
    skip[len(at) - len(both) :] = 3
    return _ends(calls, at, is_send, skip)


def probes_of(calls: Calls) -> Ends:
    """Returns the probes that have found a message, as ends that receive it.

    Raises:
        TraceError: If a call names a communicator or a rank that does not exist.
    """
    at = np.flatnonzero(calls.is_call("probe"))
    return _ends(calls, at, np.zeros(len(at), bool), np.zeros(len(at), np.int64))


def _ends(calls: Calls, at: Numbers, is_send: NDArray[np.bool_], skip: Numbers) -> Ends:
    """Returns the ends in some rows, whose arguments begin after those to skip."""
    arguments = calls.trace.arrays["arguments"]
    first = calls.of_event("first")[at] + skip
    offset = arguments[first]
    keep = offset != NO_PEER
    at, first, offset = at[keep], first[keep], offset[keep]
    rank = calls.rank[at]
    bytes_ = np.array(arguments[first + 2])
    check_sum(calls.turns[at], bytes_, "bytes")
    return Ends(
        is_send[keep],
        at,
        rank,
        calls.communicators.world(rank, calls.group[at], offset),
        calls.communicators.context(rank, calls.of_event("comm")[at]),
        np.array(arguments[first + 1]),
        bytes_,
        calls.turns[at],
    )


def transfers_of(calls: Calls, ends: Ends) -> Ends:
    """Returns the sends among these ends, and puts, gets and accumulates, which have one end only.

    A get goes from its target to the rank that calls it.

    Args:
        calls: All calls of a trace.
        ends: What `ends_of` returns.

    Raises:
        TraceError: If a call names a communicator or a rank that does not exist.
    """
    at = np.flatnonzero(calls.is_call(*ONE_SIDED))
    arguments = calls.trace.arrays["arguments"]
    first = calls.of_event("first")[at]
    keep = arguments[first + 1] != NO_PEER
    at, first = at[keep], first[keep]
    rank = calls.rank[at]
    group = calls.communicators.group(rank, calls.of_event("comm")[at], [])
    target = calls.communicators.world(rank, group, arguments[first + 1])
    is_get = calls.is_call("get")[at]
    size = np.array(arguments[first + 2])
    check_sum(calls.turns[at], size, "bytes")
    sends = ends.only(ends.is_send)
    nothing = np.zeros(len(at), np.int64)
    return Ends(
        np.ones(len(sends.at) + len(at), bool),
        np.concatenate([sends.at, at]),
        np.concatenate([sends.rank, np.where(is_get, target, rank)]),
        np.concatenate([sends.peer, np.where(is_get, rank, target)]),
        np.concatenate([sends.context, nothing]),
        np.concatenate([sends.tag, nothing]),
        np.concatenate([sends.bytes, size]),
        np.concatenate([sends.turns, calls.turns[at]]),
    )


def bytes_of(calls: Calls) -> Numbers:
    """Returns the bytes of one turn of each row.

    A send and a receive have those of their message, a combined one those that it sends. A collective
    has those that the rank contributes: a root what it distributes, other ranks of a broadcast none.
    """
    trace = calls.trace
    arguments = np.array(trace.arrays["arguments"])
    first, count = calls.of_event("first"), calls.of_event("count")
    count = count - ((calls.of_event("flags") & 4) != 0)
    size = np.zeros(len(calls), np.int64)

    def take(place: int, *names: str) -> None:
        rows = calls.is_call(*names)
        size[rows] = arguments[first[rows] + place]

    take(2, *SENDS, "recv", "sendrecv", *ONE_SIDED)
    take(0, "allreduce", "scan", "exscan", "reduce_scatter_block", "allgather", "alltoall", "file")
    take(1, "bcast", "reduce", "gather", "gatherv", "scatter", "scatterv", "win_create")
    members = np.where(calls.group >= 0, calls.communicators.sizes[calls.group], 1)
    whole = calls.is_call("reduce_scatter_block", "alltoall", "scatter")
    check_sum(members[whole], size[whole], "bytes")
    size[whole] *= members[whole]
    _take_counts(calls, arguments, count, size)
    rooted = np.flatnonzero(calls.is_call("bcast", "scatter", "scatterv"))
    own = calls.communicators.index(calls.rank[rooted], calls.group[rooted])
    size[rooted[own != arguments[first[rooted]]]] = 0
    check_sum(calls.turns, size, "bytes")
    return size


def _take_counts(calls: Calls, arguments: Numbers, count: Numbers, size: Numbers) -> None:
    """Sets the sizes of collectives that have lists of counts."""
    first = calls.of_event("first")
    # Differences of wrapped sums are right as long as the sums of the calls themselves are.
    sums = np.concatenate([[0], np.cumsum(arguments)])
    rows = calls.is_call("reduce_scatter")
    size[rows] = sums[first[rows] + count[rows]] - sums[first[rows]]
    rows = calls.is_call("alltoallv")
    size[rows] = sums[first[rows] + count[rows] // 2] - sums[first[rows]]
    rows = calls.is_call("scatterv") & (count > 2)
    size[rows] = sums[first[rows] + count[rows]] - sums[first[rows] + 2]
    gathers = np.flatnonzero(calls.is_call("allgatherv"))
    own = calls.communicators.index(calls.rank[gathers], calls.group[gathers])
    inside = own < count[gathers]
    size[gathers[inside]] = arguments[first[gathers[inside]] + own[inside]]
    rows = calls.is_call("neighbor_allgatherv", "neighbor_alltoallv")
    for row in np.flatnonzero(rows).tolist():
        begin = int(first[row])
        edges = arguments[begin + 1 : begin + 1 + 2 * int(arguments[begin])].reshape(-1, 2)
        size[row] = edges[edges[:, 0] != NO_PEER, 1].sum()


@dataclass(frozen=True, eq=False)
class Pairs:
    """Point-to-point messages and one-sided transfers by sender and receiver.

    Args:
        ranks: The number of ranks.
        source: The senders.
        destination: The receivers.
        messages: Their messages.
        bytes: The bytes of these.
    """

    ranks: int
    source: Numbers
    destination: Numbers
    messages: Numbers
    bytes: Numbers

    def binned(self, most: int) -> tuple[NDArray[np.float64], int]:
        """Returns the bytes as a matrix of at most `most` rows, and the ranks of a row."""
        width = -(-self.ranks // most)
        rows = -(-self.ranks // width)
        matrix = np.zeros((rows, rows))
        np.add.at(matrix, (self.source // width, self.destination // width), self.bytes)
        return matrix, width


def pairs_of(ends: Ends, ranks: int) -> Pairs:
    """Sums up the sends by sender and receiver."""
    sends = ends.only(ends.is_send)
    keys, index = numbered(sends.rank * ranks + sends.peer)
    messages = np.zeros(len(keys), np.int64)
    bytes_ = np.zeros(len(keys), np.int64)
    np.add.at(messages, index, sends.turns)
    np.add.at(bytes_, index, sends.turns * sends.bytes)
    return Pairs(ranks, keys // ranks, keys % ranks, messages, bytes_)


def sizes_of(ends: Ends) -> list[tuple[int, int, int, int]]:
    """Returns a histogram of the sends in powers of two: smallest, largest size, messages, bytes."""
    sends = ends.only(ends.is_send)
    power = np.where(sends.bytes > 0, np.frexp(np.maximum(sends.bytes, 1))[1], 0)
    rows = []
    for one in np.unique(power).tolist():
        chosen = power == one
        low, high = (2 ** (one - 1), 2**one - 1) if one else (0, 0)
        total = int((sends.turns * sends.bytes)[chosen].sum())
        rows.append((low, high, int(sends.turns[chosen].sum()), total))
    return rows


def channels_of(ends: Ends) -> Numbers:
    """Returns numbers of the channels of ends: communicator, sender, receiver and tag."""
    source = np.where(ends.is_send, ends.rank, ends.peer)
    destination = np.where(ends.is_send, ends.peer, ends.rank)
    return joined(ends.context, source, destination, ends.tag)


def unmatched(calls: Calls, ends: Ends) -> list[Unmatched]:
    """Compares sends and receives of each communicator, pair of ranks and tag, by number and bytes.

    Receives may be larger than their messages. They are not listed for that.
    """
    channel = channels_of(ends)
    count = int(channel.max(initial=-1)) + 1
    number, volume = np.zeros((2, count), np.int64), np.zeros((2, count), np.int64)
    side = (~ends.is_send).astype(np.int64)
    np.add.at(number, (side, channel), ends.turns)
    np.add.at(volume, (side, channel), ends.turns * ends.bytes)
    wrong = (number[0] != number[1]) | (volume[0] > volume[1])
    order = np.flatnonzero(wrong[channel])
    order = order[np.argsort(channel[order], kind="stable")]
    places = np.flatnonzero(wrong)
    begin = np.searchsorted(channel[order], places)
    end = np.searchsorted(channel[order], places, side="right")
    sums = np.stack([*number, *volume])[:, places].T.tolist()
    return [
        _unmatched(calls, ends.only(order[begin[i] : end[i]]), sums[i]) for i in range(len(places))
    ]


def _unmatched(calls: Calls, channel: Ends, sums: list[int]) -> Unmatched:
    sends, receives, sent, received = sums
    of_sends = sends >= receives
    reason, size = "larger than its receive", sent
    if sends != receives:
        reason, size = "no receive" if of_sends else "no send", abs(sent - received)
    side = channel.only(channel.is_send == of_sends)
    kinds = np.unique(calls.kind[side.at]).tolist()
    index, sites = calls.sites
    places = np.unique(index[side.at]).tolist()
    return Unmatched(
        call=", ".join(calls.names[kind] for kind in kinds),
        site=", ".join(sites[place] for place in places),
        rank=int(side.rank[0]),
        peer=int(side.peer[0]),
        tag=int(side.tag[0]),
        bytes=size,
        sends=sends,
        receives=receives,
        reason=reason,
    )
