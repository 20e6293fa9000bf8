"""The alignment of two lists: what is matched fits best, in order."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

_One = TypeVar("_One")
_Other = TypeVar("_Other")
# The places in the second list that an entry of the first one may be matched with, in order, and how well they fit.
_Row = Mapping[int, float]


def aligned(
    template: Sequence[_One],
    nodes: Sequence[_Other],
    like: Callable[[_One, _Other], float],
    kind: Callable[[Any], Hashable],
    certain: float = 0.0,
) -> list[tuple[_One | None, _Other | None]]:
    """Aligns two lists so that what is matched fits best, in order; returns pairs with None for gaps.

    Lists of the same length are taken as they are if each entry fits, at least as well as `certain`.

    Args:
        template: The first list.
        nodes: The second list.
        like: How well two entries fit; 0: they are different ones.
        kind: What entries have in common if they fit at all.
        certain: How well all entries fit if nothing else is tried.
    """
    if len(template) == len(nodes) and all(
        (score := like(one, node)) > 0 and score >= certain
        for one, node in zip(template, nodes, strict=True)
    ):
        return list(zip(template, nodes, strict=True))
    places: dict[Hashable, list[int]] = {}
    for place, node in enumerate(nodes):
        places.setdefault(kind(node), []).append(place)
    scores = [
        {place: score for place in places.get(kind(one), ()) if (score := like(one, nodes[place]))}
        for one in template
    ]
    return list(_pairs(template, nodes, scores, _sums(scores, len(nodes))))


def _sums(scores: Sequence[_Row], columns: int) -> list[list[float]]:
    """Returns the best sum of the scores from each pair of places on."""
    below = [0.0] * (columns + 1)
    best = [below]
    for row in reversed(scores):
        # Rows without a match are those below them.
        if row:
            below = _row_of_sums(row, below)
        best.append(below)
    best.reverse()
    return best


def _row_of_sums(row: _Row, below: Sequence[float]) -> list[float]:
    """Returns the best sums from the places of a row on, from those of the row below."""
    result = list(below)
    places = sorted(row, reverse=True)
    for place, end in zip(places, [*places[1:], -1], strict=True):
        # Sums do not grow to the right, so that a larger one lasts to the left until one below is as large.
        own = max(row[place] + below[place + 1], result[place + 1])
        at = place
        while at > end and result[at] < own:
            result[at] = own
            at -= 1
    return result


def _pairs(
    template: Sequence[_One],
    nodes: Sequence[_Other],
    scores: Sequence[_Row],
    best: Sequence[Sequence[float]],
) -> Iterator[tuple[_One | None, _Other | None]]:
    """Yields the pairs of the alignment with the best sum."""
    rows, columns = len(template), len(nodes)
    i = j = 0
    while i < rows and j < columns:
        score = scores[i].get(j)
        if score is not None and best[i][j] == score + best[i + 1][j + 1]:
            yield template[i], nodes[j]
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            yield template[i], None
            i += 1
        else:
            yield None, nodes[j]
            j += 1
    yield from ((one, None) for one in template[i:])
    yield from ((None, node) for node in nodes[j:])
