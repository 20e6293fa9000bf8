"""Seeds that no random choice reads: the runs that differ in them are one and the same."""

from __future__ import annotations

from dataclasses import replace

from tradewind.config.experiment import Member
from tradewind.config.spec import Settings, Spec

_RANDOM_ROUTINGS = ("random_up", "valiant", "ugal", "ugal_sstmacro")
_RANDOM_PLACEMENTS = ("random",)
_DEFAULT = 1


def with_idle_seeds(member: Member) -> Member:
    """Returns the run with the default for every seed that it does not read, so that it is made once.

    Args:
        member: A run of a sweep, resolved.
    """
    spec = member.spec
    if _is_idle(spec.simulation, _routes_at_random(spec)):
        spec = replace(spec, simulation=spec.simulation.changed(seed=_DEFAULT))
    if _is_idle(spec.placement, spec.placement.rule in _RANDOM_PLACEMENTS):
        spec = replace(spec, placement=spec.placement.changed(seed=_DEFAULT))
    return replace(member, spec=spec)


def _routes_at_random(spec: Spec) -> bool:
    is_random = spec.hardware.routing.name in _RANDOM_ROUTINGS
    return is_random and spec.simulation.network != "analytic"


def _is_idle(settings: Settings, is_read: bool) -> bool:
    return "seed" in settings and not is_read
