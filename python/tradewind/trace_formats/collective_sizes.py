"""The arguments of collectives from what OTF2 records: the bytes that leave and reach a rank.

Score-P counts the blocks for all ranks, its own among them: an allreduce of n bytes on p ranks sends p n. With
MPI_IN_PLACE the own block is left out: (p - 1) n. OTF2 does not say which of both it was. The sums of all ranks
tell it where blocks differ. Else the divisor is taken that leaves a block of whole numbers of 8, 4 or 2 bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Collective:
    """A collective of one rank.

    Args:
        operation: Its name in traces.
        comm: The communicator.
        place: The rank in it.
        ranks: Its number of ranks.
        root: The root in it, or 0.
        sent: The bytes that leave the rank.
        received: The bytes that reach it.
    """

    operation: str
    comm: Any
    place: int
    ranks: int
    root: int
    sent: int
    received: int


def arguments_of(own: Collective, parts: Sequence[Collective]) -> list[int]:
    """Returns the arguments of a collective in a trace.

    Args:
        own: The collective on a rank.
        parts: The same on all ranks that recorded it, by their place.

    Raises:
        ValueError: If the bytes fit no size of a block.
    """
    rule = _RULES.get(own.operation)
    if rule is None:
        raise ValueError("OTF2 does not say how many bytes go to which rank")
    return rule(own, parts)


def _none(own: Collective, parts: Sequence[Collective]) -> list[int]:
    return []


def _block(own: Collective, parts: Sequence[Collective]) -> list[int]:
    if own.operation == "alltoall" and own.sent % own.ranks == 0:
        return [own.sent // own.ranks]  # Hardly any program has it in place.
    return [_divided(own.sent, own.ranks)]


def _scan(own: Collective, parts: Sequence[Collective]) -> list[int]:
    first = parts[0] if parts[0].place == 0 else own
    if own.operation == "scan" and first.received * first.ranks == first.sent:
        return [first.received]
    # In place, and for exscan, a rank sends to those behind it and receives from those before it.
    return [(own.sent + own.received) // max(own.ranks - 1, 1)]


def _from_root(own: Collective, parts: Sequence[Collective]) -> list[int]:
    if own.received or own.place != own.root:
        return [own.root, own.received]
    return [own.root, own.sent // max(own.ranks - 1, 1)]


def _to_root(own: Collective, parts: Sequence[Collective]) -> list[int]:
    if own.sent or own.place != own.root:
        return [own.root, own.sent]
    return [own.root, own.received // max(own.ranks - 1, 1)]


def _gatherv(own: Collective, parts: Sequence[Collective]) -> list[int]:
    counts = [part.sent for part in _all(own, parts)] if own.place == own.root else []
    return [own.root, own.sent, *counts]


def _scatterv(own: Collective, parts: Sequence[Collective]) -> list[int]:
    counts = [part.received for part in _all(own, parts)] if own.place == own.root else []
    return [own.root, own.received, *counts]


def _allgatherv(own: Collective, parts: Sequence[Collective]) -> list[int]:
    return _counts([part.sent for part in _all(own, parts)], own, own.received)


def _reduce_scatter(own: Collective, parts: Sequence[Collective]) -> list[int]:
    return _counts([part.received for part in _all(own, parts)], own, own.sent)


def _counts(sums: Sequence[int], own: Collective, whole: int) -> list[int]:
    """Divides the sums of all ranks, so that they add up to what the own rank has."""
    for divisor in (own.ranks, own.ranks - 1):
        counts = [one // divisor for one in sums] if divisor else [whole]
        if sum(counts) in (whole, whole + counts[own.place]):
            return counts
    raise ValueError(f"the sizes of the ranks do not add up to {whole} bytes")


def _all(own: Collective, parts: Sequence[Collective]) -> Sequence[Collective]:
    if len(parts) != own.ranks:
        raise ValueError(f"{len(parts)} of {own.ranks} ranks recorded it")
    return parts


def _divided(size: int, ranks: int) -> int:
    """Returns the size of a block, from that of all or of all but the own one."""
    blocks = _blocks(size, ranks)
    if not blocks:
        raise ValueError(f"{size} bytes are no blocks for {ranks} ranks")
    return max(blocks, key=lambda block: block & -block if block % 8 else 8)


def _blocks(size: int, ranks: int) -> list[int]:
    return [size // divisor for divisor in (ranks, ranks - 1) if divisor and size % divisor == 0]


def fits_two_sizes(own: Collective) -> bool:
    """Reports whether a block has one of two sizes, by whether the collective was in place."""
    return own.operation in _IN_PLACE and len(set(_blocks(own.sent, own.ranks))) == 2


# Their bytes are those of one block less if they are in place; those of the others tell what they were.
_IN_PLACE = ("allreduce", "allgather", "alltoall", "reduce_scatter_block")


_RULES: dict[str, Callable[[Collective, Sequence[Collective]], list[int]]] = {
    "barrier": _none,
    "bcast": _from_root,
    "scatter": _from_root,
    "reduce": _to_root,
    "gather": _to_root,
    "gatherv": _gatherv,
    "scatterv": _scatterv,
    "allgatherv": _allgatherv,
    "reduce_scatter": _reduce_scatter,
    "allreduce": _block,
    "allgather": _block,
    "alltoall": _block,
    "reduce_scatter_block": _block,
    "scan": _scan,
    "exscan": _scan,
}
