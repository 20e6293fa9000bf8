"""The rules of arbitration that benchmarks compare."""

from __future__ import annotations

# The one of the cases without another choice first.
ARBITERS = ("first_come", "round_robin", "oldest_first", "transit_first", "weighted")
