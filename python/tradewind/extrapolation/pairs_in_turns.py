"""The turns of exchanges between ranks at one distance, such as those of a sort by odd and even pairs.

    P = 5       rank 0    rank 1    rank 2    rank 3    rank 4
    turn 0      with 1    with 0    with 3    with 2
    turn 1                with 2    with 1    with 4    with 3
    turn 2      with 1    with 0    with 3    with 2

An exchange is one turn later than the exchanges of both ranks before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tradewind.extrapolation.template import Member
from tradewind.extrapolation.tree import CallNode

# Calls of a rank that follow each other: the one peer of all of them, or None, and their number.
Exchange = tuple[int | None, int]


def turns_of_pairs(segments: Sequence[tuple[Member, Sequence[CallNode]]]) -> list[list[int]] | None:
    """Returns the turn of each call; None if these are no exchanges at one distance.

    Args:
        segments: Calls that follow each other on a rank, with the rank.
    """
    shifts = {shift for _, calls in segments for call in calls for shift in shifts_of(call)}
    if len(shifts) != 1 or (0, 0) in shifts:
        return None
    result: list[list[int]] = [[] for _ in segments]
    for places in _at_once(segments):
        ranks: dict[int, list[Exchange]] = {}
        for place in places:
            exchanges = _exchanges(segments[place][1])
            if exchanges is None:
                return None
            ranks[segments[place][0][1]] = exchanges
        turns = _in_order(ranks)
        if turns is None:
            return None
        for place, (rank, own) in zip(places, ranks.items(), strict=True):
            pairs = zip(turns[rank], own, strict=True)
            result[place] = [turn for turn, (_, calls) in pairs for _ in range(calls)]
    return result


def shifts_of(call: CallNode, *, is_folded: bool = False) -> set[tuple[int, int]]:
    """Returns the axes and distances of the peers of a call; 0 on axis 0 if one is elsewhere on several axes.

    Args:
        call: The call.
        is_folded: Whether distances are those among the ranks that go on after the first ones have formed pairs.
    """
    peers = [peer for peer in call.peers if peer is not None]
    shifts = [peer.folded_shift if is_folded else peer.shift for peer in peers]
    return {(axis, abs(step)) for axis, step in shifts}


def _at_once(segments: Sequence[tuple[Member, Sequence[CallNode]]]) -> list[list[int]]:
    """Returns the places of the first segments of the ranks of a trace, of the second ones, and so on."""
    places: dict[tuple[int, int], list[int]] = {}
    seen: dict[Member, int] = {}
    for place, (member, _) in enumerate(segments):
        number = seen.get(member, 0)
        seen[member] = number + 1
        places.setdefault((member[0], number), []).append(place)
    return list(places.values())


def _exchanges(calls: Sequence[CallNode]) -> list[Exchange] | None:
    """Returns the exchanges of a rank; None if a call has several peers.

    Calls belong to one exchange as long as their peer is the same and none comes twice. A wait has no peer of its own.
    """
    result: list[Exchange] = []
    made: set[tuple[str | int, ...]] = set()
    for call in calls:
        others = {None if peer is None else peer.other for peer in call.peers}
        if len(others) > 1 or (not others and not result):
            return None
        peer = others.pop() if others else result[-1][0]
        key = call.key.without_tags
        if result and result[-1][0] == peer and key not in made:
            result[-1] = peer, result[-1][1] + 1
        else:
            result.append((peer, 1))
            made = set()
        made.add(key)
    return result


def _in_order(exchanges: Mapping[int, Sequence[Exchange]]) -> dict[int, list[int]] | None:
    """Returns the turns of the exchanges of each rank; None if some have no counterpart."""
    turns: dict[int, list[int]] = {rank: [] for rank in exchanges}

    def is_next(rank: int, peer: int | None) -> bool:
        done = len(turns.get(rank, ()))
        own = exchanges.get(rank, ())
        return done < len(own) and own[done][0] == peer

    left = list(exchanges)
    while left:
        rank = left.pop()
        while len(turns[rank]) < len(exchanges[rank]):
            peer = exchanges[rank][len(turns[rank])][0]
            if peer is not None and not is_next(peer, rank):
                break
            both = (rank,) if peer is None else (rank, peer)
            turn = max(turns[one][-1] + 1 if turns[one] else 0 for one in both)
            for one in both:
                turns[one].append(turn)
            left += both[1:]
    is_complete = all(len(turns[rank]) == len(some) for rank, some in exchanges.items())
    return turns if is_complete else None
