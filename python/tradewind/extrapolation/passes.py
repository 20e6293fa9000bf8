"""The passes of a program through its loops of rounds: one loop may run several times in a row, or beside others.

    rank 1 of 5             sends to 2    receives from 0    sends to 2    receives from 0
    its distance            1             1                  1             1
    pass through the loop   0             0                  1             1

Distances go from small to large in a pass, or back. Where they begin again the next pass does. All ranks that take part
have the same number of passes, and the same turns in each.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tradewind.extrapolation.lines import Entry, Line
from tradewind.extrapolation.pairs_in_turns import shifts_of
from tradewind.extrapolation.template import Member
from tradewind.extrapolation.turns import power_of

# The properties that tell a call of the program from others.
Label = tuple[Any, ...]
# A pass: the number of barriers before it, and of passes of the same loop between.
Pass = tuple[int, int]
Lines = Mapping[Member, Line]


@dataclass(frozen=True)
class Passes:
    """The passes of a call through its loop.

    Args:
        of: The pass of each entry, by its identity.
        counts: For each trace the passes between barriers, by the number of barriers before them.
        is_folded: Whether distances are those among the ranks that go on after the first ones have formed pairs.
    """

    of: Mapping[int, Pass]
    counts: tuple[tuple[tuple[int, int], ...], ...]
    is_folded: bool = False


def plain_labels(lines: Lines) -> dict[int, Label]:
    """Returns the label of each message, by the identity of its entry: all but peers, numbers and tags."""
    return {
        id(one): one.message.key.without_tags
        for line in lines.values()
        for one in line
        if one.message
    }


def labels_by_use(lines: Lines) -> dict[int, Label]:
    """Returns labels that tell what the same lines of a program are used for, such as a fold and what is between.

    They have the tags of a message if these follow no turn, what is waited for together with it, and whether its peers
    are before or after the rank.
    """
    tags: dict[Label, dict[int, set[Any]]] = {}
    together: dict[int, Label] = {}
    for member, line in lines.items():
        for one in line:
            if one.message:
                own = tags.setdefault(one.message.key.without_tags, {})
                own.setdefault(member[0], set()).add(one.message.key.tags)
        for _, started in waits_of(line):
            names = {str(one.message.key.without_tags) for one in started if one.message}
            for one in started:
                together[id(one)] = tuple(sorted(names))
    result: dict[int, Label] = {}
    for line in lines.values():
        for one in line:
            if one.message:
                key = one.message.key.without_tags
                is_fixed = len({frozenset(some) for some in tags[key].values()}) == 1
                fixed = one.message.key.tags if is_fixed else ()
                signs = tuple(peer and peer.other > peer.rank for peer in one.message.peers)
                result[id(one)] = (*key, fixed, together.get(id(one), ()), signs)
    return result


def waits_of(line: Line) -> Iterator[tuple[Entry, list[Entry]]]:
    """Yields the waits of a rank, each with what started its requests, as far as it is known."""
    opened: dict[int, Entry] = {}
    for one in line:
        if one.wait:
            yield one, [opened.pop(slot) for slot in one.wait.waits if slot in opened]
        elif one.call:
            for slot in one.call.slots:
                opened[slot] = one


def passes_by_distance(lines: Lines, labels: Mapping[int, Label]) -> dict[Label, Passes]:
    """Returns the passes of those calls whose distances are 2 ** k, and more of them on more ranks."""
    entries: dict[Label, dict[Member, list[Entry]]] = {}
    for member, line in lines.items():
        for one in line:
            label = labels.get(id(one))
            if label is not None:
                entries.setdefault(label, {}).setdefault(member, []).append(one)
    traces = sorted({member[0] for member in lines})
    result: dict[Label, Passes] = {}
    for label, of_members in entries.items():
        for is_folded in (False, True):
            powers = {
                member: [power_of(one.message, is_folded=is_folded) for one in some if one.message]
                for member, some in of_members.items()
            }
            found = _cut(of_members, powers, traces) if _grow(powers, traces) else None
            if found is not None and _has_one_axis(of_members):
                result[label] = replace(found, is_folded=is_folded)
                break
    return result


def _has_one_axis(entries: Mapping[Member, Sequence[Entry]]) -> bool:
    """Reports whether all peers of a call are elsewhere on the same axis."""
    calls = (one.message for some in entries.values() for one in some)
    return len({axis for call in calls if call for axis, _ in shifts_of(call)}) == 1


def _grow(powers: Mapping[Member, Sequence[int | None]], traces: Sequence[int]) -> bool:
    """Reports whether the distances of each trace are all up to the largest, which is not the same in all."""
    found: dict[int, set[int]] = {trace: set() for trace in traces}
    for member, some in powers.items():
        found[member[0]].update(power for power in some if power is not None)
    return (
        all(len(some) > 1 and some == set(range(max(some) + 1)) for some in found.values())
        and len({max(some) for some in found.values()}) > 1
    )


def _cut(
    entries: Mapping[Member, Sequence[Entry]],
    powers: Mapping[Member, Sequence[int | None]],
    traces: Sequence[int],
) -> Passes | None:
    """Cuts the calls of all ranks into passes; None if these are not the same on all of them."""
    for sign, may_repeat in ((1, False), (-1, False), (1, True), (-1, True)):
        begun: list[dict[int, int]] = [{} for _ in range(max(traces) + 1)]
        is_equal = True
        for member, own in entries.items():
            if all(power is None for power in powers[member]):
                continue
            counts = _begun(own, powers[member], sign, may_repeat)
            known = begun[member[0]]
            is_equal &= may_repeat or not known or known == counts
            for segment, count in counts.items():
                known[segment] = max(known.get(segment, 0), count)
        if not is_equal:
            continue
        of: dict[int, Pass] = {}
        if all(
            _divide(own, powers[member], begun[member[0]], sign, of)
            for member, own in entries.items()
        ):
            return Passes(of, tuple(tuple(sorted(one.items())) for one in begun))
    return None


def _begun(
    entries: Sequence[Entry], powers: Sequence[int | None], sign: int, may_repeat: bool
) -> dict[int, int]:
    """Returns how many passes begin on a rank between barriers, by the number of barriers before them."""
    counts: dict[int, int] = {}
    last: int | None = None
    for one, power in zip(entries, powers, strict=True):
        if one.segment not in counts:
            counts[one.segment], last = 1, None
        if power is None:
            continue
        if last is not None and (sign * power < sign * last or (power == last and not may_repeat)):
            counts[one.segment] += 1
        last = power
    return counts


def _divide(
    entries: Sequence[Entry],
    powers: Sequence[int | None],
    counts: Mapping[int, int],
    sign: int,
    of: dict[int, Pass],
) -> bool:
    """Gives each call of a rank its pass; reports whether it has the same turns in all of them."""
    segments: dict[int, list[tuple[Entry, int | None]]] = {}
    for one, power in zip(entries, powers, strict=True):
        segments.setdefault(one.segment, []).append((one, power))
    turns = set()
    for segment, some in segments.items():
        length, rest = divmod(len(some), counts[segment])
        if rest:
            return False
        for first in range(0, len(some), length):
            turns.add(tuple(power for _, power in some[first : first + length]))
        of.update({id(one): (segment, place // length) for place, (one, _) in enumerate(some)})
    known = [sign * power for power in next(iter(turns)) if power is not None]
    return len(turns) == 1 and set(segments) == set(counts) and known == sorted(known)


def loops_of(
    lines: Lines, labels: Mapping[int, Label], passes: Mapping[Label, Passes]
) -> list[tuple[Label, ...]]:
    """Returns the calls that share a loop: of two of them each comes after the other in a pass, on some ranks."""
    after: dict[Label, set[Label]] = {label: {label} for label in passes}
    # The calls that come after each call in a pass of a trace; passes with the same ones are looked at once.
    orders: dict[tuple[int, Any, Pass], set[tuple[Label, Label]]] = {}
    for member, line in lines.items():
        seen: dict[tuple[Any, Pass], Label] = {}
        for one in line:
            label = labels.get(id(one))
            if label is None or label not in passes:
                continue
            known = passes[label]
            where = (known.counts, known.is_folded), known.of[id(one)]
            if where in seen and seen[where] != label:
                orders.setdefault((member[0], *where), set()).add((seen[where], label))
            seen[where] = label
    for pairs in {frozenset(some) for some in orders.values()}:
        reached: dict[Label, set[Label]] = {}
        for before, behind in pairs:
            reached.setdefault(before, {before}).add(behind)
            reached.setdefault(behind, {behind})
        close(reached)
        for label, others in reached.items():
            after[label] |= {other for other in others if label in reached[other]}
    close(after)
    return list(dict.fromkeys(tuple(o for o in passes if o in after[one]) for one in passes))


def with_waits(lines: Lines, of: Mapping[int, Pass], *, is_folded: bool) -> dict[int, Pass]:
    """Returns the passes of messages of a loop with those of the waits for requests of one turn.

    Requests of several turns are waited for behind the loop, by ranks with a single turn, too.

    Args:
        lines: The lines of all ranks.
        of: The pass of each message of the loop, by the identity of its entry.
        is_folded: Whether distances are those among the ranks that go on after the first ones have formed pairs.
    """
    result = dict(of)
    inside: set[Any] = set()
    elsewhere: set[Any] = set()
    for line in lines.values():
        for wait, started in waits_of(line):
            passes = {of.get(id(one)) for one in started}
            one_pass = passes.pop() if len(passes) == 1 else None
            messages = [one.message for one in started if one.message]
            powers = {power_of(message, is_folded=is_folded) for message in messages}
            if one_pass is not None and len(powers) > 1:
                return dict(of)
            if one_pass is not None:
                result[id(wait)] = one_pass
            if started and wait.wait:
                (elsewhere if one_pass is None else inside).add(wait.wait.key)
    # A wait for nothing is one of those that are always in these rounds.
    for line in lines.values():
        for before, one in itertools.pairwise(line):
            is_empty = one.wait is not None and not one.wait.waits
            if (
                is_empty
                and one.wait
                and one.wait.key in inside - elsewhere
                and id(before) in result
            ):
                result[id(one)] = result[id(before)]
    return result


def close(reached: dict[Label, set[Label]]) -> None:
    """Adds to what each call reaches what is reached from there."""
    is_complete = False
    while not is_complete:
        is_complete = True
        for call, known in reached.items():
            more = set().union(*(reached[other] for other in known))
            if len(more) > len(known):
                reached[call], is_complete = more, False
