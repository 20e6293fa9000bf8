"""Collectives as messages, for formats that know messages only.

    barrier                      dissemination: in round k to the rank 2^k further on
    bcast, reduce                binomial tree
    allreduce                    recursive doubling; if the ranks are no power of two, reduce and bcast
    scan, exscan                 from rank to rank
    gather(v), scatter(v)        all with the root
    allgather(v)                 ring
    reduce_scatter(_block)       in round i a block to the rank i further on
    alltoall(v), neighbor_*      all messages at once

A round begins when the messages of the one before are complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from tradewind.trace_file import NO_PEER

Messages = list[tuple[int, int]]


@dataclass(frozen=True)
class Round:
    """Messages of a rank that begin together.

    Args:
        sends: Rank in the communicator and bytes of each message.
        receives: The same of those that come.
    """

    sends: Messages = field(default_factory=list)
    receives: Messages = field(default_factory=list)


@dataclass(frozen=True)
class Member:
    """A collective as one rank calls it.

    Args:
        rank: The rank in the communicator.
        ranks: The number of ranks.
        arguments: The arguments, without the slot.
    """

    rank: int
    ranks: int
    arguments: Sequence[int]


def rounds_of(call: str, member: Member) -> list[Round]:
    """Returns the rounds of a collective; there are none for other calls.

    Raises:
        ValueError: If the arguments are not those of a communicator of that size.
    """
    rule = _RULES.get(call)
    return list(rule(member)) if rule is not None else []


def is_collective(call: str) -> bool:
    """Reports whether a call is a collective."""
    return call in _RULES


def starts_at_once(call: str) -> bool:
    """Reports whether all messages of a collective can begin when it is called."""
    return call in ("alltoall", "alltoallv", "neighbor_allgatherv", "neighbor_alltoallv")


def _barrier(own: Member) -> Iterator[Round]:
    step = 1
    while step < own.ranks:
        yield Round([((own.rank + step) % own.ranks, 1)], [((own.rank - step) % own.ranks, 1)])
        step *= 2


def _tree(own: Member, root: int) -> tuple[int | None, list[int]]:
    """Returns parent and children in a binomial tree, the largest subtree first."""
    place = (own.rank - root) % own.ranks
    children = []
    step = 1
    while step < own.ranks and not place & step:
        if place + step < own.ranks:
            children.append((place + step + root) % own.ranks)
        step *= 2
    parent = (place - step + root) % own.ranks if place else None
    return parent, children[::-1]


def _broadcast(own: Member, root: int, size: int) -> Iterator[Round]:
    parent, children = _tree(own, root)
    if parent is not None:
        yield Round(receives=[(parent, size)])
    if children:
        yield Round(sends=[(child, size) for child in children])


def _reduction(own: Member, root: int, size: int) -> Iterator[Round]:
    parent, children = _tree(own, root)
    for child in children[::-1]:
        yield Round(receives=[(child, size)])
    if parent is not None:
        yield Round(sends=[(parent, size)])


def _bcast(own: Member) -> Iterator[Round]:
    return _broadcast(own, *_root(own))


def _reduce(own: Member) -> Iterator[Round]:
    return _reduction(own, *_root(own))


def _allreduce(own: Member) -> Iterator[Round]:
    size = own.arguments[0]
    if own.ranks & (own.ranks - 1):
        yield from _reduction(own, 0, size)
        yield from _broadcast(own, 0, size)
        return
    step = 1
    while step < own.ranks:
        yield Round([(own.rank ^ step, size)], [(own.rank ^ step, size)])
        step *= 2


def _scan(own: Member) -> Iterator[Round]:
    size = own.arguments[0]
    if own.rank > 0:
        yield Round(receives=[(own.rank - 1, size)])
    if own.rank + 1 < own.ranks:
        yield Round(sends=[(own.rank + 1, size)])


def _gather(own: Member) -> Iterator[Round]:
    root, size = _root(own)
    counts = list(own.arguments[2:]) or [size] * own.ranks
    if own.rank != root:
        yield Round(sends=[(root, size)])
    else:
        yield Round(receives=_others(own, _checked(own, counts)))


def _scatter(own: Member) -> Iterator[Round]:
    for one in _gather(own):
        yield Round(one.receives, one.sends)


def _allgather(own: Member) -> Iterator[Round]:
    return _ring(own, [own.arguments[0]] * own.ranks)


def _allgatherv(own: Member) -> Iterator[Round]:
    return _ring(own, _checked(own, own.arguments))


def _ring(own: Member, counts: Sequence[int]) -> Iterator[Round]:
    right, left = (own.rank + 1) % own.ranks, (own.rank - 1) % own.ranks
    for step in range(own.ranks - 1):
        given, taken = (own.rank - step) % own.ranks, (own.rank - step - 1) % own.ranks
        yield Round([(right, counts[given])], [(left, counts[taken])])


def _reduce_scatter(own: Member) -> Iterator[Round]:
    counts = own.arguments
    if len(counts) == 1:
        counts = [counts[0]] * own.ranks
    counts = _checked(own, counts)
    for step in range(1, own.ranks):
        to, source = (own.rank + step) % own.ranks, (own.rank - step) % own.ranks
        yield Round([(to, counts[to])], [(source, counts[own.rank])])


def _alltoall(own: Member) -> Iterator[Round]:
    blocks = [own.arguments[0]] * own.ranks
    yield Round(_others(own, blocks), _others(own, blocks))


def _alltoallv(own: Member) -> Iterator[Round]:
    half = len(own.arguments) // 2
    to, source = own.arguments[:half], own.arguments[half:]
    # Blocks of no bytes are no messages.
    yield Round(
        [one for one in _others(own, _checked(own, to)) if one[1]],
        [one for one in _others(own, _checked(own, source)) if one[1]],
    )


def _neighbors(own: Member) -> Iterator[Round]:
    sides = []
    at = 0
    for _ in range(2):
        count = own.arguments[at]
        numbers = own.arguments[at + 1 : at + 1 + 2 * count]
        edges = list(zip(numbers[::2], numbers[1::2], strict=True))
        sides.append([(own.rank + peer, size) for peer, size in edges if peer != NO_PEER])
        at += 1 + 2 * count
    if any(not 0 <= peer < own.ranks for side in sides for peer, _ in side):
        raise ValueError(f"names a rank outside its communicator of {own.ranks}")
    # Empty messages and those of a rank to itself are not sent.
    yield Round(*([one for one in side if one[0] != own.rank and one[1]] for side in sides))


def _others(own: Member, counts: Sequence[int]) -> Messages:
    order = [(own.rank + step) % own.ranks for step in range(1, own.ranks)]
    return [(rank, counts[rank]) for rank in order]


def _root(own: Member) -> tuple[int, int]:
    root, size = own.arguments[:2]
    if root >= own.ranks:
        raise ValueError(f"has root {root} in a communicator of {own.ranks}")
    return root, size


def _checked(own: Member, counts: Sequence[int]) -> Sequence[int]:
    if len(counts) != own.ranks:
        raise ValueError(f"has {len(counts)} counts in a communicator of {own.ranks}")
    return counts


_RULES: dict[str, Callable[[Member], Iterator[Round]]] = {
    "barrier": _barrier,
    "bcast": _bcast,
    "reduce": _reduce,
    "allreduce": _allreduce,
    "scan": _scan,
    "exscan": _scan,
    "gather": _gather,
    "gatherv": _gather,
    "scatter": _scatter,
    "scatterv": _scatter,
    "allgather": _allgather,
    "allgatherv": _allgatherv,
    "reduce_scatter": _reduce_scatter,
    "reduce_scatter_block": _reduce_scatter,
    "alltoall": _alltoall,
    "alltoallv": _alltoallv,
    "neighbor_allgatherv": _neighbors,
    "neighbor_alltoallv": _neighbors,
}
