"""The ranks that may make a call, and the values of names on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.extrapolation.grids import GridRule
from tradewind.extrapolation.samples import Samples, Setups, names_of
from tradewind.extrapolation.template import Member

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Universe:
    """The ranks of all traces that may make a call, in loops that count their turns for each turn.

    Args:
        members: The ranks.
        setups: The setups of the traces.
    """

    def __init__(self, members: Sequence[Member], setups: Setups) -> None:
        self.members, self._setups = members, setups
        self._place = {member: number for number, member in enumerate(members)}
        self._names: dict[GridRule, dict[str, NDArray[Any]]] = {}

    def names(self, rule: GridRule) -> dict[str, NDArray[Any]]:
        """Returns the values of the names of formulas on a grid."""
        if rule not in self._names:
            extents = [rule.extents(count) for count in self._setups.ranks]
            self._names[rule] = names_of(self.members, self._setups, extents)
        return self._names[rule]

    def samples(self, rule: GridRule, members: Sequence[Member], values: Sequence[int]) -> Samples:
        """Returns values of some of the ranks."""
        places = np.asarray([self._place[member] for member in members])
        names = {name: known[places] for name, known in self.names(rule).items()}
        traces = np.asarray([member[0] for member in members])
        return Samples(names, np.asarray(values), traces, self._setups.sizes)
