"""The search for the formula that gives the recorded values: exactly, or not at all."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.extrapolation.cuts import CUTS
from tradewind.extrapolation.fit_sizes import fit_sizes, gives
from tradewind.extrapolation.formula import FUNCTIONS, Formula, evaluate, written
from tradewind.extrapolation.grids import AXES
from tradewind.extrapolation.quotients import (
    products_of_shares,
    quotients,
    roundest,
    with_offsets,
)
from tradewind.extrapolation.samples import Samples

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Extents of a domain that a formula may name.
_LARGEST_EXTENT = 10**9
# Bytes of double and single precision, the first of which is in most programs.
_ELEMENTS = (8, 4)
_LARGEST_UNIT = 4096
_LESSENED_SHARE = re.compile(r"\d+ / .* - \d+")
# Points around a block that are common, on both sides together.
_BORDERS = (2, 4, 6, 1)
_BORDERS_OF_SHARES = (*_BORDERS, 8, 3)
_ROUNDED_ALREADY = re.compile(r"(?:ceil|floor)\([^()]*(?:\([^()]*\)[^()]*)*\)")
# The turns of rounds in which ranks beyond the largest power of two pause.
POWERS_OF_TWO = "floor(log2(P))"


# The formulas of samples, by a digest of these: templates of different views have many in common.
_found: dict[bytes, Formula | None] = {}
_MOST_FOUND = 2**14


def fit_whole(samples: Samples) -> Formula | None:
    """Returns the simplest formula that gives all values exactly; None if there is none."""
    return _remembered(samples.digest, lambda: _fitted(samples))


def _remembered(key: bytes, found: Callable[[], Formula | None]) -> Formula | None:
    if key not in _found:
        if len(_found) >= _MOST_FOUND:
            _found.clear()
        _found[key] = found()
    return _found[key]


def _fitted(samples: Samples) -> Formula | None:
    found = next(_exact(samples), None)
    return _with_sizes(samples) if found is None else found


def _with_sizes(samples: Samples) -> Formula | None:
    return fit_sizes(samples, _exact) if samples.sizes else None


def fit_turns(samples: Samples, *, with_pauses: bool = False) -> Formula | None:
    """Returns the simplest formula that gives the turns of a loop exactly; None if there is none.

    Args:
        samples: The turns on each rank.
        with_pauses: Whether the loop may have rounds in which ranks pause.
    """
    if with_pauses and np.any(samples.values != samples.values[0]):
        for rounds in ("ceil(log2(P))", POWERS_OF_TWO):
            if gives(rounds, samples.names, samples.values):
                return rounds
    return _remembered(b"turns" + samples.digest, lambda: _whole_turns(samples))


def _whole_turns(samples: Samples) -> Formula | None:
    """Returns the simplest formula, one that need not be rounded first."""
    rounded: Formula | None = None
    for found in _exact(samples):
        if not is_rounded(found):
            return found
        rounded = found if rounded is None else rounded
    return _with_sizes(samples) if rounded is None else rounded


def is_rounded(formula: Formula) -> bool:
    """Reports whether a formula is no whole number at some rank counts, so that it must be rounded."""
    text = _ROUNDED_ALREADY.sub("", str(formula).replace("//", ""))
    return "/" in text or "." in text


def _exact(samples: Samples) -> Iterator[Formula]:
    """Yields formulas without sizes of the problem that give all values exactly, the simplest first."""
    values = samples.values
    if np.all(values == values[0]):
        yield int(values[0])
    known: dict[Formula, bool] = {}
    for candidate in _candidates(samples):
        if candidate not in known:
            known[candidate] = gives(candidate, samples.names, values)
        if known[candidate]:
            yield candidate


def _features(names: Mapping[str, Any]) -> Iterator[str]:
    """Yields what a value may be proportional to."""
    extents = [f"n{axis}" for axis in AXES if f"n{axis}" in names] + (["m"] if "m" in names else [])
    if "weight" in names:
        yield "weight"
    if "k" in names:
        yield from ("2 ** k", "1 / (2 ** k)", "1 / (2 ** (k + 1))", "k", "k + 1")
        yield from _branches(names)
        yield from ("P / (2 ** (k + 1))", "min(2 ** k, P - 2 ** k)")
    yield from ("P", "1 / P", "P - 1")
    for count in (1, 2, 3):
        for some in itertools.combinations(extents, count):
            product = " * ".join(some)
            yield f"1 / ({product})" if count > 1 else f"1 / {product}"
            yield product
    for axis in AXES:
        if f"n{axis}" in names:
            yield f"1 / (P * n{axis})"
    # Two extents alone have these, and a logarithm as well, which is rarer.
    yield from (f"{extent} - 1" for extent in extents)
    yield from ("sqrt(P)", "1 / sqrt(P)", "ceil(log2(P))", "rank", "P - 1 - rank")
    yield from (f"ceil(log2({extent}))" for extent in extents)
    yield from (axis for axis in AXES if axis in names)
    if "j" in names:
        yield "j"


def _branches(names: Mapping[str, Any]) -> Iterator[str]:
    """Yields the ranks in a branch of a binomial tree, which are less than a power of two at the last rank."""
    for axis in AXES:
        for place in (axis, f"peer_{axis}"):
            if place in names:
                yield f"min(2 ** k, n{axis} - {place})"
                yield f"min(2 ** (ceil(log2(n{axis})) - 1 - k), n{axis} - {place})"


def _candidates(samples: Samples) -> Iterator[Formula]:
    """Yields formulas from those with one number on, so that two values alone do not make a line."""
    names, values = samples.names, samples.values.astype(float)
    known = [
        (feature, np.broadcast_to(np.asarray(evaluate(feature, names), float), values.shape))
        for feature in _features(names)
    ]
    usable = [(feature, one) for feature, one in known if np.all(np.isfinite(one))]
    for feature, one in usable:
        yield from _proportional(feature, one, values)
    yield from _parts(samples)
    for feature, one in usable:
        if feature.startswith("1 / "):
            yield from _quotient(feature.removeprefix("1 / "), np.rint(1 / one), values)
    lines = [line for feature, one in usable for line in _affine(feature, one, values)]
    # Points around a block add to its size; where something is taken away, a quotient was cut off.
    yield from (line for line in lines if not _takes_from_share(line))
    # On a line the only extent is the number of ranks.
    extents = [f"n{axis}" for axis in AXES if f"n{axis}" in names and "ny" in names]
    divisors = {name: names[name] for name in ("P", *extents, "m") if name in names}
    for unit in units(samples):
        for feature, one in usable:
            if feature.startswith("1 / "):
                divisor = feature.removeprefix("1 / ")
                yield from in_units(unit, divisor, np.rint(1 / one), values)
        yield from products_of_shares(samples, divisors, unit)
    yield from filter(_takes_from_share, lines)
    yield from _whole_quotients(samples)
    yield from _parts(samples, bordered=True)
    for unit in units(samples):
        yield from bordered_shares(samples, divisors, unit)


def bordered_shares(samples: Samples, divisors: Mapping[str, Any], unit: int) -> Iterator[str]:
    """Yields multiples of a quotient with points around it, such as 8 * (590 // P + 2).

    Args:
        samples: The values.
        divisors: The formulas of what a number is divided by, and their values.
        unit: What the values are multiples of.
    """
    values = samples.values / unit
    for border in _BORDERS_OF_SHARES:
        for divisor, known in divisors.items():
            for quotient in _quotient(divisor, known, values - border):
                yield f"{unit} * ({quotient} + {border})"


def _takes_from_share(line: str) -> bool:
    """Reports whether a straight line is a share with a number taken away, such as 40032 / P - 8."""
    return _LESSENED_SHARE.fullmatch(line) is not None


def units(samples: Samples) -> list[int]:
    """Returns of what values may be multiples: the bytes of a number first, then their common divisors, from small to large."""
    common = samples.common_divisor
    small = [one for one in range(2, min(_LARGEST_UNIT, common) + 1) if common % one == 0]
    ordered = dict.fromkeys((*_ELEMENTS, *small, common))
    return [one for one in ordered if one > 1 and common % one == 0]


def in_units(unit: int, divisor: str, known: NDArray[Any], values: NDArray[Any]) -> Iterator[str]:
    """Yields multiples of a number divided by something, with the rest cut off or rounded up.

    Args:
        unit: What the values are multiples of.
        divisor: The formula of what the number is divided by.
        known: The values of this formula.
        values: The values.
    """
    for quotient in _quotient(divisor, known, values / unit):
        yield f"{unit} * {quotient if quotient.startswith('ceil') else f'({quotient})'}"


def _whole_quotients(samples: Samples) -> Iterator[str]:
    """Yields whole quotients of rank counts, roots and logarithms, with a number added and as a multiple."""
    for name in ("P", *(f"n{axis}" for axis in AXES), "m"):
        if name in samples.names:
            roots = (
                f"{cut}({root}({name}))" for cut in ("floor", "ceil") for root in ("sqrt", "log2")
            )
            yield from sorted(with_offsets(samples, quotients(name)), key=len)
            yield from with_offsets(samples, roots)


def _proportional(feature: str, known: NDArray[Any], values: NDArray[Any]) -> Iterator[str]:
    at = int(np.argmax(np.abs(known)))
    if known[at] == 0:
        return
    factor = values[at] / known[at]
    if factor > 0 and _are_close(factor * known, values):
        # With a rounded factor first, so that formulas have round numbers.
        for number in dict.fromkeys((written(round(factor)), f"{factor:.12g}")):
            yield _times(number, feature)


def _are_close(found: NDArray[Any], values: NDArray[Any]) -> bool:
    return bool(np.allclose(found, values, rtol=1e-9, atol=1e-6))


def _quotient(divisor: str, known: NDArray[Any], values: NDArray[Any]) -> Iterator[str]:
    """Yields a number divided by something, with the rest cut off or rounded up."""
    low, high = np.max(values * known), np.min((values + 1) * known)
    if 0 < low < high:
        yield f"{roundest(low - 1, high - 1)} // {divisor}"
    low, high = np.max((values - 1) * known), np.min(values * known)
    if 0 < low < high:
        # All numbers between these explain the values.
        yield f"ceil({roundest(low, high)} / {divisor})"


def _times(number: str, feature: str) -> str:
    if number == "1" and not feature.startswith("1 /"):
        return _grouped(feature)
    return (
        f"{number}{feature[1:]}" if feature.startswith("1 /") else f"{number} * {_grouped(feature)}"
    )


def _grouped(feature: str) -> str:
    return f"({feature})" if " + " in feature or " - " in feature else feature


def _affine(feature: str, known: NDArray[Any], values: NDArray[Any]) -> Iterator[str]:
    low, high = int(np.argmin(known)), int(np.argmax(known))
    if known[low] == known[high]:
        return
    slope = (values[high] - values[low]) / (known[high] - known[low])
    start = values[low] - slope * known[low]
    if not slope or not _are_close(start + slope * known, values):
        return
    if slope < 0 and feature.startswith("1 / ") and not np.isclose(start, -slope):
        # All but a share is sent to others: N - N / P. With other numbers it fits by chance.
        return
    if slope > 0:
        sign = "+" if start > 0 else "-"
        yield f"{_times(written(slope), feature)} {sign} {written(abs(start))}"
    else:
        yield f"{written(start)} - {_times(written(-slope), feature)}"


def _parts(samples: Samples, *, bordered: bool = False) -> Iterator[str]:
    """Yields multiples of block sizes along one axis, two, or three; with points around blocks, if that is wanted."""
    names = samples.names
    pairs = [(axis, f"n{axis}") for axis in AXES if axis in names]
    if "j" in names:
        pairs.append(("j", "m"))
    pairs.append(("rank", "P"))
    # A message may have the size of the block of its peer, or of a part of it for which the own block counts, too.
    peers = [
        (f"peer_{axis}", f"n{axis}")
        for axis in AXES
        if f"peer_{axis}" in names and not np.array_equal(names[f"peer_{axis}"], names[axis])
    ]
    # The usual cut of the peer's extent is likelier than a rare one of the own extent.
    rare: list[str] = []
    for some in [pairs, [*pairs, *peers]] if peers else [pairs]:
        for formula in _parts_along(samples, some, bordered):
            if "part_" in formula:
                rare.append(formula)
            else:
                yield formula
    yield from dict.fromkeys(rare)
    if "k" in names and not bordered:
        yield from _parts_in_turn(samples, pairs)
    if "j" in names and "ny" in names and not bordered and np.array_equal(names["m"], names["P"]):
        yield from _parts_of_all(samples)


def _parts_of_all(samples: Samples) -> Iterator[str]:
    """Yields the same for a list with the blocks of all ranks of a grid, such as one that the root gathers."""
    names, places, product = samples.names, [], ""
    for extent in [f"n{axis}" for axis in AXES if f"n{axis}" in samples.names]:
        place = f"j // {product}" if " " not in product else f"j // ({product})"
        places.append((f"{place if product else 'j'} % {extent}", extent))
        product = f"{product} * {extent}" if product else extent
    known = replace(
        samples,
        names={
            **names,
            **{place: np.asarray(evaluate(place, names), np.int64) for place, _ in places},
        },
    )
    for some in itertools.permutations(places):
        yield from _products(known, some, bordered=False)


def _parts_in_turn(samples: Samples, pairs: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yields the same for the blocks that ranks pass on in a ring, where that of turn k is from k ranks away."""
    for axis in [name for name in AXES if name in samples.names]:
        for shift in ("- k", "- k - 1", "- k + 1", "+ k", "+ k + 1", "+ k - 1"):
            turning = f"({axis} {shift}) % n{axis}", f"n{axis}"
            place = np.asarray(evaluate(turning[0], samples.names), np.int64)
            # The place has a name of its own for the search, which is also how the formula is written.
            known = replace(samples, names={**samples.names, turning[0]: place})
            for unit, block in _blocks(known, *turning, bordered=False):
                yield f"{unit} * {block}" if unit != 1 else block
            for other in pairs:
                if other[0] not in (axis, "rank"):
                    yield from _products(known, [turning, other], bordered=False)
                    yield from _products(known, [other, turning], bordered=False)


def _parts_along(
    samples: Samples, pairs: Sequence[tuple[str, str]], bordered: bool
) -> Iterator[str]:
    """Yields the same for these pairs of a place and the number of places."""
    single = [one for index, parts in pairs for one in _blocks(samples, index, parts, bordered)]
    yield from (f"{unit} * {block}" if unit != 1 else block for unit, block in single)
    for (index, parts), (other, others) in itertools.permutations(pairs, 2):
        yield from _products(samples, [(index, parts), (other, others)], bordered)
        for feature in (f"1 / {others}", others):
            scaled = samples.values / np.asarray(evaluate(feature, samples.names), float)
            if np.array_equal(np.rint(scaled), scaled):
                inner = replace(samples, values=np.rint(scaled).astype(np.int64))
                for unit, block in _blocks(inner, index, parts, bordered):
                    yield f"{_times(str(unit), feature)} * {block}"
    # Blocks of ranks in the world are none of a grid: they are no third factor.
    for three in itertools.permutations([pair for pair in pairs if pair[0] != "rank"], 3):
        yield from _products(samples, three, bordered)


def _products(samples: Samples, pairs: Sequence[tuple[str, str]], bordered: bool) -> Iterator[str]:
    """Yields products of the block sizes of some axes."""
    for unit, blocks in _factors(samples, pairs, bordered):
        yield " * ".join([str(unit), *blocks])


def _factors(
    samples: Samples, pairs: Sequence[tuple[str, str]], bordered: bool
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yields unit and block sizes along these axes whose product gives the values."""
    if len(pairs) == 1:
        yield from ((unit, (block,)) for unit, block in _blocks(samples, *pairs[0], bordered))
        return
    for block, rest in _leading(samples, pairs[0], pairs[1:], bordered):
        yield from ((unit, (block, *more)) for unit, more in _factors(rest, pairs[1:], bordered))


def _leading(
    samples: Samples,
    one: tuple[str, str],
    others: Sequence[tuple[str, str]],
    bordered: bool,
) -> Iterator[tuple[str, Samples]]:
    """Yields block sizes of the first of some axes, and what is left of the values without them.

    They are found where the other axes are at their start, or at their end: a rank sends nothing to itself, so that
    one of the blocks may not be seen from either.
    """
    names = samples.names
    start = np.all([names[index] == 0 for index, _ in others], axis=0)
    end = np.all([names[index] == names[parts] - 1 for index, parts in others], axis=0)
    for where in (start, end):
        edges = []
        for trace in np.unique(samples.trace):
            edge = samples.where(where & (samples.trace == trace))
            steps = np.unique(edge.values)
            if len(steps) == 2:
                # Blocks differ by one item: the difference is the unit times the sizes of the other blocks.
                blocks = np.rint(edge.values / (steps[1] - steps[0])).astype(np.int64)
                edges.append((edge, blocks))
        if not edges:
            continue
        borders = [*_borders(edges, one), 0] if bordered else [0]
        for block, sizes in _cuts(*edges[0], one, borders, names):
            if np.any(sizes <= 0):
                continue
            rest = samples.values / sizes
            if np.array_equal(np.rint(rest), rest):
                yield block, replace(samples, values=np.rint(rest).astype(np.int64))
        return


def _blocks(samples: Samples, index: str, parts: str, bordered: bool) -> Iterator[tuple[int, str]]:
    """Yields unit and block size if the values are a unit times the blocks of one extent."""
    values = samples.values
    differences = [
        steps[1] - steps[0] for own in samples.of_traces if len(steps := own.distinct) == 2
    ]
    # Blocks differ by one item, or only the last one is another, whose difference says nothing. Where all of them are
    # equal, an item is taken for one number: with larger items the blocks of other rank counts would differ by more.
    first = differences[:1] or [unit for unit in _ELEMENTS if unit > 1]
    for unit in dict.fromkeys([*map(int, first), samples.common_divisor]):
        if unit <= 0 or np.any(values % unit):
            continue
        of_traces = [(own, own.values // unit) for own in samples.of_traces]
        borders = [*_borders(of_traces, (index, parts)), 0] if bordered else [0]
        for block, sizes in _cuts(*of_traces[0], (index, parts), borders, samples.names):
            if np.all(unit * sizes == values):
                yield unit, block


def _borders(
    of_traces: Sequence[tuple[Samples, NDArray[np.int64]]], one: tuple[str, str]
) -> list[int]:
    """Returns how many points may be around each block of traces along an axis.

    They add to the sum of the blocks as often as there are blocks. Where their number is the same in all traces
    nothing tells them, and some common ones are returned.
    """
    index, parts = one
    sums: dict[int, int] = {}
    for own, blocks in of_traces:
        places, first = own.first_at(index)
        # A block that is not seen may have any size, and so may the border.
        if len(places) == own.names[parts][0]:
            sums.setdefault(len(places), int(blocks[first].sum()))
    if len(sums) < 2:
        return list(_BORDERS) if sums else []
    (count, total), (other, another) = list(sums.items())[:2]
    border, rest = divmod(another - total, other - count)
    same = {total - border * count for count, total in sums.items()}
    return [border] if border and not rest and len(same) == 1 else []


def _cuts(
    own: Samples,
    blocks: NDArray[np.int64],
    one: tuple[str, str],
    borders: Sequence[int],
    names: Mapping[str, Any],
) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Yields formulas for block sizes of a trace along an axis, and what they give for names.

    So many points may be around a block.
    """
    index, parts = one
    for border in borders:
        totals = _totals(own, blocks - border, one)
        for total, function in itertools.product(totals, CUTS):
            if 0 < total <= _LARGEST_EXTENT:
                block = f"{function}({total}, {parts}, {index})"
                sign = "+" if border > 0 else "-"
                sizes = np.asarray(FUNCTIONS[function](total, names[parts], names[index]))
                yield f"({block} {sign} {abs(border)})" if border else block, sizes + border


def _totals(own: Samples, blocks: NDArray[np.int64], one: tuple[str, str]) -> list[int]:
    """Returns what the blocks of a trace along an axis may add up to.

    One block may be missing: a rank at an open end has no neighbour, and no rank sends messages to itself.
    """
    index, parts = one
    places, first = own.first_at(index)
    missing = int(own.names[parts][0]) - len(places)
    if missing not in (0, 1):
        return []
    some = blocks[first]
    ends = sorted({int(some.min()), int(some.max())}) if missing else [0]
    if missing and len(ends) == 1:
        # The one that is missing may be the only larger one, or the only smaller one.
        ends += [ends[0] + 1, ends[0] - 1]
    return [int(some.sum()) + end for end in ends]
