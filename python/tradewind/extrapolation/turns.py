"""The turns of calls in loops of rounds, by the distance of their peers, and the tags that follow them."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from tradewind.extrapolation.pairs_in_turns import shifts_of
from tradewind.extrapolation.rounds import growing_tag
from tradewind.extrapolation.template import Member
from tradewind.extrapolation.tree import CallNode

# Calls of a rank that follow each other in one pass through a loop of rounds, with the rank.
Segment = tuple[Member, Sequence[CallNode]]


def turns_by_distance(
    segments: Sequence[Segment], *, is_folded: bool = False
) -> list[list[int]] | None:
    """Returns the turn of each call; None if the distances are not 2 ** k in order, from small to large or back.

    Args:
        segments: Calls that follow each other on a rank, with the rank.
        is_folded: Whether distances are those among the ranks that go on after the first ones have formed pairs.
    """
    powers = [[power_of(call, is_folded=is_folded) for call in calls] for _, calls in segments]
    known = [[power for power in one if power is not None] for one in powers]
    if any(-1 in one for one in known):
        return None
    if all(one == sorted(one) for one in known):
        turns = powers
    elif all(one == sorted(one, reverse=True) for one in known):
        last: dict[int, int] = {}
        for (member, _), one in zip(segments, known, strict=True):
            last[member[0]] = max(last.get(member[0], 0), *one, 0)
        turns = [
            [None if power is None else last[member[0]] - power for power in one]
            for (member, _), one in zip(segments, powers, strict=True)
        ]
    else:
        return None
    return [_filled(calls, one) for (_, calls), one in zip(segments, turns, strict=True)]


def power_of(call: CallNode, *, is_folded: bool = False) -> int | None:
    """Returns k if the peers of a call are 2 ** k ranks away; -1 if they are not, None if there are none.

    Args:
        call: The call.
        is_folded: Whether distances are those among the ranks that go on after the first ones have formed pairs.
    """
    distances = {distance for _, distance in shifts_of(call, is_folded=is_folded)}
    if not distances:
        return None
    distance = distances.pop()
    return distance.bit_length() - 1 if not distances and distance & (distance - 1) == 0 else -1


def _filled(calls: Sequence[CallNode], turns: Sequence[int | None]) -> list[int]:
    """Returns the turns with those of calls without a peer, which are in each turn; a wait is in that before it."""
    result: list[int] = []
    last: dict[tuple[str | int, ...], int] = {}
    for call, known in zip(calls, turns, strict=True):
        key = call.key.without_tags
        if known is not None:
            turn = known
        elif call.peers:
            turn = last.get(key, -1) + 1
        else:
            turn = max(result[-1] if result else 0, last.get(key, -1) + 1)
        last[key] = turn
        result.append(turn)
    return result


def turns_grow(segments: Sequence[Segment], turns: Sequence[Sequence[int]], traces: int) -> bool:
    """Reports whether rounds have two turns or more in each trace, and not the same number in all."""
    found: dict[int, set[int]] = {}
    for (member, _), own in zip(segments, turns, strict=True):
        found.setdefault(member[0], set()).update(own)
    counts = {max(some) for some in found.values()}
    return len(found) == traces and len(counts) > 1 and min(map(len, found.values())) > 1


def tags_of(seen: Sequence[tuple[int, CallNode]]) -> tuple[int | str, ...] | None:
    """Returns the tags of a call, as texts where they grow with the turn; None if they follow no turn."""
    result: list[int | str] = []
    for place, first in enumerate(seen[0][1].key.tags):
        known = {(turn, one.key.tags[place]) for turn, one in seen if one.peers[place] is not None}
        tag = _tag(known) if known else first
        if tag is None:
            return None
        result.append(tag)
    return tuple(result)


def _tag(known: AbstractSet[tuple[int, int | str]]) -> int | str | None:
    """Returns the tag that a message has in these turns; None if there is none."""
    numbers = {(turn, tag) for turn, tag in known if isinstance(tag, int)}
    if len(numbers) < len(known):
        texts = {tag for _, tag in known}
        return texts.pop() if len(texts) == 1 else None
    (first, tag), (last, other) = min(numbers), max(numbers)
    step = (other - tag) // max(last - first, 1)
    start = tag - step * first
    if any(tag != start + step * turn for turn, tag in numbers):
        return None
    grown = growing_tag(start, step)
    return grown.removeprefix("0 + ") if isinstance(grown, str) else grown
