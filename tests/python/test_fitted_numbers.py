"""Numbers that grow or shrink with the ranks: what is fitted holds at other counts, or a remark tells what may be."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tradewind.extrapolation.cuts import remarks_on_cuts
from tradewind.extrapolation.fit import fit_whole, is_rounded
from tradewind.extrapolation.formula import evaluate
from tradewind.extrapolation.grids import AXES, GridRule, coordinates
from tradewind.extrapolation.other_numbers import remarks_on_numbers
from tradewind.extrapolation.samples import Samples, Setups
from tradewind.extrapolation.universe import Universe

# A number by the ranks and the extents of a balanced grid.
Number = Callable[[int, int, int], int]


def up(one: int, other: int) -> int:
    return -(-one // other)


NUMBERS: dict[str, Number] = {
    "8 * (590 // P)": lambda p, nx, ny: 8 * (590 // p),
    "8 * ceil(590 / P)": lambda p, nx, ny: 8 * up(590, p),
    "8 * 590 // P": lambda p, nx, ny: 8 * 590 // p,
    "440 * (590 // P)": lambda p, nx, ny: 440 * (590 // p),
    "440 * ceil(590 / P)": lambda p, nx, ny: 440 * up(590, p),
    "8 * (590 // P) * (622 // P)": lambda p, nx, ny: 8 * (590 // p) * (622 // p),
    "8 * ceil(590 / P) * ceil(622 / P)": lambda p, nx, ny: 8 * up(590, p) * up(622, p),
    "8 * (590 // nx) * (622 // ny)": lambda p, nx, ny: 8 * (590 // nx) * (622 // ny),
    "8 * ceil(590 / nx) * ceil(622 / ny)": lambda p, nx, ny: 8 * up(590, nx) * up(622, ny),
    "8 * (590 // P + 2)": lambda p, nx, ny: 8 * (590 // p + 2),
    "440 * (ceil(590 / ny) + 4)": lambda p, nx, ny: 440 * (up(590, ny) + 4),
    "blocks of 64 bytes": lambda p, nx, ny: 64 * up(up(590, p), 8),
    "blocks of 16 bytes": lambda p, nx, ny: 16 * up(590 // p, 4),
    "an extent or a root": lambda p, nx, ny: math.ceil(math.sqrt(p)) + 55,
    "an extent or a logarithm": lambda p, nx, ny: math.ceil(math.log2(p)) + 3,
}
# Those that are found where counts are of many kinds.
FOUND = [name for name in NUMBERS if name[0].isdigit()]
COUNTS = ((4, 6, 9), (3, 4, 6, 8), (4, 5, 6, 8), (6, 9, 12, 16), (5, 7, 10))
RULE = GridRule("balanced 2")


def samples_of(number: Number, counts: tuple[int, ...]) -> Samples:
    members = [(trace, rank) for trace, ranks in enumerate(counts) for rank in range(ranks)]
    values = [number(counts[trace], *RULE.extents(counts[trace])) for trace, _ in members]
    return Universe(members, Setups(list(counts), [{} for _ in counts])).samples(
        RULE, members, values
    )


def holds(formula: int | float | str, number: Number, ranks: int) -> bool:
    extents = RULE.extents(ranks)
    everybody = np.arange(ranks)
    names = {"P": np.full(ranks, ranks), "rank": everybody}
    for axis, place, extent in zip(AXES, coordinates(extents, everybody), extents, strict=False):
        names |= {axis: place, f"n{axis}": np.full(ranks, extent)}
    found = np.rint(np.asarray(evaluate(formula, names), float))
    return bool(np.all(found == number(ranks, *extents)))


@pytest.mark.parametrize("counts", COUNTS, ids=str)
@pytest.mark.parametrize("name", NUMBERS)
def test_what_does_not_hold_at_other_counts_is_told(name: str, counts: tuple[int, ...]) -> None:
    number = NUMBERS[name]
    samples = samples_of(number, counts)
    formula = fit_whole(samples)
    assert formula is not None or name not in FOUND
    if formula is None:
        return
    assert all(holds(formula, number, ranks) for ranks in counts)
    remarks = [
        *remarks_on_numbers("a number", formula, samples, RULE),
        *remarks_on_cuts(formula, samples, RULE),
    ]
    wrong = [ranks for ranks in range(2, 65) if not holds(formula, number, ranks)]
    assert not wrong or remarks or is_rounded(formula), (formula, wrong)
