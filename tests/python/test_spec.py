"""A resolved run keeps its settings, its order and its key on the way through JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tradewind.config.experiment import Experiment, Member
from tradewind.config.spec import Settings, Spec, tables_key


def member_of(raw: dict[str, Any]) -> Member:
    (member,) = Experiment.load(raw).members()
    return member


def test_a_member_is_the_same_after_json(small: dict[str, Any]) -> None:
    member = member_of(small)
    again = Member.of(json.loads(json.dumps(member.record())))
    assert again == member
    assert json.dumps(again.spec.tables()) == json.dumps(member.spec.tables())
    assert again.key == member.key


def test_parts_of_a_run_have_types(small: dict[str, Any]) -> None:
    spec = member_of(small).spec
    assert (spec.hardware.topology.name, spec.hardware.routing.name) == ("torus", "dimension_order")
    assert (spec.program.name, spec.program.ranks) == ("transposition", 8)
    assert (spec.placement.rule, spec.simulation.network) == ("linear", "packet")
    assert (spec.simulation.threads, spec.simulation.memory_limit) == (1, None)


def test_the_key_leaves_out_what_cannot_change_the_result(small: dict[str, Any]) -> None:
    spec = member_of(small).spec
    other = spec.simulation.changed(threads=7, memory_limit=10**9)
    assert replace(spec, simulation=other).key == spec.key == tables_key(spec.tables())
    assert other.memory_limit == 10**9
    assert replace(spec, simulation=spec.simulation.changed(seed=2)).key != spec.key
    assert replace(spec, program=spec.program.changed(ranks=4)).key != spec.key


def test_tables_are_copies(small: dict[str, Any]) -> None:
    spec = member_of(small).spec
    spec.tables()["program"]["ranks"] = 3
    assert spec.program.ranks == 8


def test_a_missing_part_is_named(small: dict[str, Any]) -> None:
    tables = member_of(small).spec.tables()
    del tables["nic"]
    with pytest.raises(KeyError, match="nic"):
        Spec.of(tables)


def test_settings_are_read_by_their_kind() -> None:
    settings = Settings({"count": 3, "share": 0.5, "word": "ring", "sizes": [1, 2], "flag": True})
    assert settings.whole("count") == 3
    assert settings.number("count") == 3.0 and settings.number("share") == 0.5
    assert settings.text("word") == "ring"
    for read in (settings.whole, settings.number):
        for key in ("word", "sizes", "flag"):
            with pytest.raises(TypeError, match=key):
                read(key)
    with pytest.raises(TypeError, match="count"):
        settings.text("count")
    with pytest.raises(KeyError, match="absent"):
        settings.whole("absent")


def test_settings_cannot_be_changed_in_place() -> None:
    settings = Settings({"count": 3})
    with pytest.raises(TypeError):
        settings["count"] = 4  # type: ignore[index]
    assert settings.changed(count=4) == {"count": 4}
    assert settings == {"count": 3}
