"""Seeds that no random choice reads: the runs that differ in them are one and the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from tradewind.config.experiment import Member, Spec

_RANDOM_ROUTINGS = ("random_up", "valiant", "ugal", "ugal_sstmacro")
_RANDOM_PLACEMENTS = ("random",)
# The sections with a seed, and the condition by which a run reads it.
_READERS: Mapping[str, Callable[[Spec], bool]] = {
    "simulation": lambda spec: (
        spec["routing"]["name"] in _RANDOM_ROUTINGS and spec["simulation"]["network"] != "analytic"
    ),
    "placement": lambda spec: spec["placement"]["rule"] in _RANDOM_PLACEMENTS,
}
_DEFAULT = 1


def with_idle_seeds(member: Member) -> Member:
    """Returns the run with the default for every seed that it does not read, so that it is made once."""
    spec = dict(member.spec)
    for section, reads in _READERS.items():
        if "seed" in spec[section] and not reads(spec):
            spec[section] = {**spec[section], "seed": _DEFAULT}
    return replace(member, spec=spec)
