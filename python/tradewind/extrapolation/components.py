"""Calls that the two components of a coupled model share, each of which passes numbers of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tradewind.extrapolation.grids import GridRule, coordinates
from tradewind.extrapolation.template import Member, Template, TemplateCall, TemplateLoop

_TWO = ("nx = 2", "ny = 2")
# Fewer ranks of a component, or fewer rank counts, tell no formula.
_FEWEST_RANKS, _FEWEST_COUNTS = 4, 3


def with_components(
    template: Sequence[Template], shared: TemplateCall, rule: GridRule, ranks: Sequence[int]
) -> list[Template] | None:
    """Returns a template with one call for each component in the place of a call that both make.

    Args:
        template: The calls.
        shared: One of them.
        rule: The process grid.
        ranks: The number of ranks of each trace.

    Returns:
        The template; None if the grid has no two components, or these are too small to tell them apart.
    """
    if rule.words not in _TWO or shared.key.grid:
        return None
    parts = [
        [member for member in shared.seen if _component(member, rule, ranks) == number]
        for number in (0, 1)
    ]
    for part in parts:
        counts = {ranks[member[0]] for member in part}
        some = {member[:2] for member in part if ranks[member[0]] == max(counts)}
        if len(counts) < _FEWEST_COUNTS or len(some) < _FEWEST_RANKS:
            return None
    own = [_part_of(shared, part) for part in parts]
    return _replaced(template, shared, own)


def _component(member: Member, rule: GridRule, ranks: Sequence[int]) -> int:
    """Returns the place of a rank along the axis with two places."""
    places = coordinates(rule.extents(ranks[member[0]]), member[1])
    return int(places[_TWO.index(rule.words)])


def _part_of(call: TemplateCall, members: Sequence[Member]) -> TemplateCall:
    """Returns the same call of some of its ranks only."""
    kept = set(members)
    seen = {member: call.seen[member] for member in members}
    lists = [
        replace(one, seen={member: peer for member, peer in one.seen.items() if member in kept})
        for one in call.neighbors
    ]
    return replace(call, seen=seen, neighbors=[one for one in lists if one.seen])


def _replaced(
    template: Sequence[Template], old: TemplateCall, new: Sequence[TemplateCall]
) -> list[Template]:
    """Returns a template with some calls in the place of one."""
    result: list[Template] = []
    for one in template:
        if one is old:
            result += new
        elif isinstance(one, TemplateLoop):
            result.append(replace(one, body=_replaced(one.body, old, new)))
        else:
            result.append(one)
    return result
