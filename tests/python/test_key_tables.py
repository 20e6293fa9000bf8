"""The reference of keys: each says what it means, its default, and where it acts."""

from __future__ import annotations

import pytest

from tradewind.config import keys
from tradewind.config.schema import Table


def all_tables() -> dict[str, Table]:
    tables: dict[str, Table] = {
        "machine": keys.MACHINE_FILE,
        "experiment": keys.EXPERIMENT,
        "algorithm": keys.algorithm(),
        "link": keys.link_table("dragonfly"),
        **keys.sections(),
        **{f"topology.{name}": entry.keys for name, entry in keys.topologies().items()},
        **{f"routing.{name}": table for name, table in keys.routings().items()},
        **{f"measurement.{name}": table for name, table in keys.measurements().items()},
    }
    return tables | {f"program.{name}": entry.keys for name, entry in keys.programs().items()}


@pytest.mark.parametrize("name", all_tables())
def test_every_key_says_what_it_means_and_what_holds_without_it(name: str) -> None:
    for key, entry in all_tables()[name].items():
        meaning, otherwise = entry.without
        assert meaning, key
        assert entry.required or entry.default is not None or otherwise, key


@pytest.mark.parametrize("name", keys.sections())
def test_every_key_of_a_machine_or_simulation_says_where_it_acts(name: str) -> None:
    for key, entry in keys.sections()[name].items():
        assert entry.acts, key
