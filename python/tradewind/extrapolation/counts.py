"""Rank counts: what those of recordings have in common, and other counts of the same kind."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

POWERS, SQUARES, EVEN = "powers of two", "squares", "even counts"
# More counts tell hardly more.
_MOST_COUNTS = 4
_MOST_NAMED = 8


def kind_of(counts: Sequence[int]) -> str:
    """Returns what all counts are: powers of two, squares, or empty if they are neither."""
    if all(map(_is_power, counts)):
        return POWERS
    return SQUARES if all(map(_is_square, counts)) else ""


def common_kind(counts: Sequence[int]) -> str:
    """Returns the same, or that all counts are even, or multiples of another number."""
    kind, step = kind_of(counts), math.gcd(*counts)
    if kind or step < 2 or min(counts) < 1:
        return kind
    return EVEN if step == 2 else f"multiples of {step}"


def of_kind(kind: str, step: int = 1) -> Iterator[int]:
    """Yields powers of two from 2 on, squares from 4 on, or, if the kind is empty, multiples of a number; without end."""
    numbers = itertools.count(1)
    if kind == POWERS:
        return (2**number for number in numbers)
    if kind == SQUARES:
        return ((number + 1) ** 2 for number in numbers)
    return itertools.count(step, step)


def of_no_kind(counts: Sequence[int]) -> Iterator[int]:
    """Yields counts above the smallest of those given that have not what these have in common; without end.

    They are even, and neither powers of two nor squares, if the given ones are one of both; else no multiples of what
    divides all the given ones.
    """
    step = math.gcd(*counts)
    if not kind_of(counts) and step > 1:
        return (count for count in itertools.count(min(counts) + 1) if count % step)
    first = min(counts) // 2 * 2 + 2
    return (
        count for count in itertools.count(first, 2) if not (_is_power(count) or _is_square(count))
    )


def other_counts(counts: Sequence[int]) -> list[int]:
    """Returns four counts of the kind of those given that are none of them: one between them, and those beyond."""
    kind, step = kind_of(counts), math.gcd(*counts)
    low, high = min(counts), max(counts)
    below = itertools.takewhile(lambda count: count < high, of_kind(kind, step))
    between = [count for count in below if count > low and count not in counts]
    beyond = (count for count in of_kind(kind, step) if count > high)
    return [*between[-1:], *itertools.islice(beyond, _MOST_COUNTS)][:_MOST_COUNTS]


def best_first(counts: Sequence[int], recorded: Sequence[int]) -> list[int]:
    """Sorts rank counts by how well they suit as one more recording.

    Those below all recorded ones are last: programs do there what they do nowhere else. The others begin with those
    of the kind of the recorded ones, or multiples of what divides all of these, and the larger ones among them.
    """
    kind, step = kind_of(recorded), math.gcd(*recorded)
    low, high = min(recorded), max(recorded)

    def is_like(count: int) -> bool:
        if kind:
            return _is_power(count) if kind == POWERS else _is_square(count)
        return count % step == 0

    return sorted(counts, key=lambda count: (count < low, not is_like(count), count < high, count))


def made_from(counts: Sequence[int]) -> str:
    """Returns the end of a message that tells the counts of the recordings; empty if they are not known."""
    if not counts:
        return ""
    kind = common_kind(counts)
    few = ", ".join(map(str, counts[:_MOST_NAMED])) + (", ..." if len(counts) > _MOST_NAMED else "")
    return f"; the pattern was made from {few} ranks{kind and f', all {kind}'}"


def _is_power(count: int) -> bool:
    return count > 0 and count & (count - 1) == 0


def _is_square(count: int) -> bool:
    return count > 0 and math.isqrt(count) ** 2 == count
