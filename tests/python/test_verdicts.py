"""Verdicts: values with errors, truths with three values, and conditions that can fail."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SMALL

from tradewind.config.experiment import Experiment
from tradewind.errors import ConfigError
from tradewind.plots import Plots
from tradewind.report.page.figures import figures
from tradewind.report.page.ledger import ledger_section
from tradewind.report.page.sources import Claim as Line
from tradewind.report.reach import Reach, reach_of
from tradewind.runs.sweep import simulate
from tradewind.studies import load_study, study_names
from tradewind.studies.catalogue import evaluator
from tradewind.studies.definition import Study
from tradewind.studies.evaluation import Context
from tradewind.studies.expression import parse
from tradewind.studies.ledger import VERDICTS, Findings, check_claims, judge
from tradewind.studies.model_error import PartError, part_errors
from tradewind.studies.seeds import with_idle_seeds
from tradewind.studies.uncertain import (
    NoLabel,
    NoValue,
    Shares,
    Uncertain,
    bounds,
    conjunction,
    disjunction,
    negated,
)

xarray = pytest.importorskip("xarray")

PARTS = {"times": object()}
EXTRA = Path(__file__).parents[2] / "docs" / "_extra"

YES, NO, OPEN = True, False, Uncertain(True, False, True)
TRUTHS = (YES, NO, OPEN)


def verdict_of(truth: Any) -> bool | None:
    """True, false, or None for undecided."""
    if isinstance(truth, Uncertain):
        return bool(truth.low) if truth.low == truth.high else None
    return bool(truth)


def times(*rows: list[float], **coordinates: list[Any]) -> dict[str, Any]:
    values = xarray.DataArray(np.array(rows), dims=tuple(coordinates), coords=coordinates)
    return {"times": xarray.Dataset({"time_s": values})}


def of(text: str, results: dict[str, Any], error: float = 0.0) -> bool | None:
    return parse(text, PARTS).truth(results, {"times": error})[0]


@pytest.mark.parametrize(("left", "right"), list(product(TRUTHS, TRUTHS)))
def test_and_and_or_are_decided_as_soon_as_the_rest_cannot_change_them(
    left: Any, right: Any
) -> None:
    known = (verdict_of(left), verdict_of(right))
    both = False if False in known else None if None in known else True
    either = True if True in known else None if None in known else False
    assert verdict_of(conjunction([left, right])) is both
    assert verdict_of(disjunction([left, right])) is either
    opposite = {True: False, False: True, None: None}
    assert verdict_of(negated(left)) is opposite[known[0]]
    # De Morgan
    assert verdict_of(negated(conjunction([left, right]))) is verdict_of(
        disjunction([negated(left), negated(right)])
    )


@pytest.mark.parametrize(
    ("text", "exact", "with_error"),
    [
        ("at(times.time_s, ranks=1) > at(times.time_s, ranks=2)", True, None),
        ("at(times.time_s, ranks=1) > at(times.time_s, ranks=4)", True, True),
        ("at(times.time_s, ranks=4) >= at(times.time_s, ranks=1)", False, False),
        ("at(times.time_s, ranks=1) == at(times.time_s, ranks=2)", False, None),
        ("at(times.time_s, ranks=1) != at(times.time_s, ranks=4)", True, True),
        ("not at(times.time_s, ranks=1) < at(times.time_s, ranks=2)", True, None),
        ("all(times.time_s < 11)", True, None),
        ("all(times.time_s < 12)", True, True),
        ("all(times.time_s < 9.1)", False, None),
        ("all(times.time_s < 5)", False, False),
        ("any(times.time_s > 10.5)", False, None),
        ("any(times.time_s > 12)", False, False),
        ("falls(times.time_s, 'ranks')", True, None),
        ("falls(at(times.time_s, ranks=[1, 4]), 'ranks')", True, True),
        ("rises(at(times.time_s, ranks=[1, 4]), 'ranks')", False, False),
        ("max(growth(times.time_s, 'ranks')) < 1", True, None),
        ("slope(times.time_s, 'ranks') < 0", True, True),
        ("slope(times.time_s, 'ranks') < -0.4", True, None),
        ("label_of_min(times.time_s, 'ranks') == 4", True, True),
        ("label_of_max(times.time_s, 'ranks') < 2", True, None),
        ("abs(ratio(at(times.time_s, ranks=1), at(times.time_s, ranks=2)) - 1) < 0.2", True, None),
        ("abs(ratio(at(times.time_s, ranks=1), at(times.time_s, ranks=2)) - 1) < 0.4", True, True),
        ("spread(times.time_s) > 0", True, True),
        ("spread(times.time_s) > 0.25", True, None),
        ("share(times.time_s < 10.5) >= 1", True, None),
        ("at(times.time_s, ranks=1) > 1 and at(times.time_s, ranks=2) > 9", True, None),
        ("at(times.time_s, ranks=1) < 1 and at(times.time_s, ranks=2) > 9", False, False),
    ],
)
def test_a_comparison_holds_if_it_does_over_the_whole_error(
    text: str, exact: bool, with_error: bool | None
) -> None:
    values = xarray.DataArray([10.0, 9.5, 5.0], {"ranks": [1, 2, 4]}, ["ranks"])
    results = {"times": xarray.Dataset({"time_s": values})}
    assert of(text, results) is exact
    assert of(text, results, 0.1) is with_error


def test_measured_times_and_counts_carry_no_error_of_the_model() -> None:
    data = xarray.Dataset({"time_s": 10.0, "wall_s": 10.0, "messages": 10.0, "delay_mean_s": 10.0})
    for name, expected in (
        ("time_s", None),
        ("delay_mean_s", None),
        ("wall_s", True),
        ("messages", True),
    ):
        assert of(f"times.{name} > 9.5", {"times": data}, 0.1) is expected


@pytest.mark.parametrize(
    ("name", "value", "low", "high"),
    [
        # Times of 2 and 1, each up to 10 % shorter or 20 % longer.
        ("time_s", 2.0, 1.8, 2.4),
        ("run_speedup", 2.0, 1.8 / 1.2, 2.4 / 0.9),
        ("gain", 1.0, 1.8 / 1.2 - 1, 2.4 / 0.9 - 1),
        ("mpi_loss_predicted", 1.0, 1.8 / 1.2 - 1, 2.4 / 0.9 - 1),
        # A time of 2 beside one of 1 that has no error.
        ("share", 2 / 3, 1.8 / 2.8, 2.4 / 3.4),
        ("gain_printed", 1.0, 1.0, 1.0),
    ],
)
def test_quantities_of_times_carry_the_error_of_these(
    name: str, value: float, low: float, high: float
) -> None:
    results = {"times": xarray.Dataset({name: xarray.DataArray(value)})}
    found, _ = parse(f"times.{name}", PARTS).value(results, {"times": Shares(0.1, 0.2)})
    assert [float(side) for side in bounds(found)] == pytest.approx([low, high])


def test_seeds_give_the_median_with_the_least_and_the_most_as_its_error() -> None:
    results = times([1.0, 5.0], [2.0, 6.0], [9.0, 7.0], seed=[1, 2, 3], ranks=[10, 20])
    value, _ = parse("at(times.time_s, ranks=10)", PARTS).value(results)
    assert (float(value.value), float(value.low), float(value.high)) == (2.0, 1.0, 9.0)
    assert of("at(times.time_s, ranks=10) < at(times.time_s, ranks=20)", results) is None
    assert of("at(times.time_s, ranks=20) > 4.5", results) is True
    assert of("at(times.time_s, ranks=20) > 4.5", results, 0.2) is None
    assert of("at(times.time_s, seed=3, ranks=10) == 9", results) is True


def test_histograms_are_compared_seed_by_seed() -> None:
    counts = xarray.DataArray(
        [[[2.0, 2.0], [4.0, 0.0]], [[2.0, 2.0], [3.0, 1.0]]],
        {"seed": [1, 2], "series": ["a", "b"]},
        ["seed", "series", "wait_bin"],
    )
    data = xarray.Dataset(
        {"wait_histogram": counts, "wait_edge": ("wait_edge", [1.0, 10.0, 100.0])}
    )
    results = {"times": data}
    of_series = "at(times.wait_histogram, series='{}')"
    apart = f"distance({of_series.format('a')}, {of_series.format('b')}, times.wait_edge)"
    value, _ = parse(apart, PARTS).value(results)
    assert (float(value.low), float(value.high)) == (0.25, 0.5)
    above, _ = parse(f"share_above({of_series.format('b')}, times.wait_edge, 10)", PARTS).value(
        results
    )
    assert (float(above.low), float(above.high)) == (0.0, 0.25)


def test_counts_of_two_parts_are_joined_and_diagonals_go_around_the_edge() -> None:
    values = xarray.DataArray([3.0, 2.0], {"ranks": [1, 2]}, ["ranks"])
    more = xarray.DataArray([7.0, 1.0], {"ranks": [2, 4]}, ["ranks"])
    matrix = xarray.DataArray(np.arange(9.0).reshape(3, 3), dims=("source_bin", "destination_bin"))
    data = xarray.Dataset({"matrix_bytes": matrix})
    results = {
        "times": xarray.Dataset({"time_s": values}),
        "far": xarray.Dataset({"time_s": more}),
        "m": data,
    }
    joined, _ = parse("joined(times.time_s, far.time_s)", dict.fromkeys(results)).value(results)
    assert joined.values.tolist() == [3.0, 2.0, 1.0]
    for offset, expected in ((0, [0, 4, 8]), (1, [1, 5, 6]), (-1, [2, 3, 7])):
        text = f"diagonal(m.matrix_bytes, {offset})"
        assert parse(text, dict.fromkeys(results)).value(results)[0].values.tolist() == expected


STUDY = """
[study]
title = "A tiny study"
source = "nobody2026"
[measured_error]
arbiter = "abs(ratio(ports.time_s, 1) - 1)"
[model_error]
arbiter = "arbiter"
[part.times]
title = "Times"
experiments = ["times"]
[part.ports]
title = "Ports"
experiments = ["times"]
model_error = { arbiter = 0, trains = 0.5 }
"""
EXPERIMENT = """
[machine]
name = "laptop"
[program]
name = "allreduce"
bytes = "1 MiB"
ranks = 4
[simulation]
packet_size = "auto"
error_target = 0.1
"""
CLAIMS = """
[[claim]]
id = "T{number}"
claim = "something"
{rest}
"""


def tiny_study(folder: Path, *claims: str, study: str = STUDY) -> Study:
    folder.mkdir()
    texts = [CLAIMS.format(number=number, rest=rest) for number, rest in enumerate(claims)]
    (folder / "study.toml").write_text(study, encoding="utf-8")
    (folder / "claims.toml").write_text("".join(texts), encoding="utf-8")
    (folder / "times.toml").write_text(EXPERIMENT, encoding="utf-8")
    return load_study(folder)


def tiny_results(**packets: float) -> dict[str, Any]:
    about = {"experiment": EXPERIMENT, "overrides": "{}"}
    counts = {"packets": packets.get("packets", 10.0), "messages": 2.0}
    data = xarray.Dataset({"time_s": 1.0, "ranks": 4, **counts}, attrs=about)
    return {"times": data, "ports": data.assign(time_s=1.2)}


def test_every_verdict_is_given_for_its_reason(tmp_path: Path) -> None:
    study = tiny_study(
        tmp_path / "tiny",
        'condition = "times.time_s < 2"',
        'condition = "times.time_s > 2"\nfinding = "it is too fast"',
        'condition = "times.time_s > 1.1"\nfinding = "it is close"',
        'condition = "times.time_s > 0"\nneeds = "times.ranks >= 6"\notherwise = "it takes six"',
        'untestable = "taste"',
    )
    results = tiny_results()
    findings = Findings.of(study, results, {})
    entries = [judge(claim, findings) for claim in check_claims(study, results)]
    assert [entry.verdict for entry in entries] == [
        "reproduced",
        "not reproduced",
        "undecided",
        "not testable here",
        "not testable here",
    ]
    assert {entry.verdict for entry in entries} == set(VERDICTS)
    assert "it is too fast" in entries[1].evidence
    assert "undecided" in entries[2].evidence and "it is close" in entries[2].evidence
    assert "it takes six; times.ranks = 4 >= 6: no" in entries[3].evidence
    assert entries[4].evidence == "taste"
    for entry in entries[:3]:
        assert "times was run on 4 ranks" in entry.evidence
        assert entry.to_dict()["reach"] == {"times": {"ranks": [4], "seeds": 1}}
        assert entry.model_error == {"times": "trains 0.1, arbiter 0.2"}
    json.dumps([entry.to_dict() for entry in entries])


def test_errors_come_from_the_runs_and_from_what_the_study_names(tmp_path: Path) -> None:
    study = tiny_study(tmp_path / "tiny", 'untestable = "taste"')
    errors = part_errors(study, tiny_results())
    assert sides(errors["times"]) == pytest.approx([np.hypot(0.1, 0.2)] * 2)
    assert sides(errors["ports"]) == pytest.approx([0.5, 0.5])
    # Messages of one packet are no trains.
    assert sides(part_errors(study, tiny_results(packets=2.0))["times"]) == pytest.approx(
        [0.2, 0.2]
    )
    alone = part_errors(study, {"times": tiny_results()["times"]})["times"]
    assert alone.text == "trains 0.1, arbiter unknown (needs ports)"
    assert PartError().text == "" and sides(PartError()) == [0.0, 0.0]


def sides(error: PartError) -> list[float]:
    """The shares below and above, of one run."""
    return [float(error.total.below), float(error.total.above)]


def test_without_the_part_that_measures_an_error_nothing_is_decided(tmp_path: Path) -> None:
    study = tiny_study(tmp_path / "tiny", 'condition = "times.time_s < 2"')
    (claim,) = check_claims(study, tiny_results())
    findings = Findings.of(study, {"times": tiny_results()["times"]}, {"ports": "not made"})
    entry = judge(claim, findings)
    assert entry.verdict == "not testable here"
    assert "the error of times is unknown: arbiter (needs ports)" in entry.evidence


def test_an_error_may_have_two_sides_and_differ_by_label(tmp_path: Path) -> None:
    measured = """
[measured_error.arbiter]
least = "0.4 * ports.time_s / ports.time_s"
most = 1.1
"""
    by_label = '{ machine = { torus = "arbiter", other = 0.2 } }'
    text = STUDY.replace(
        '[measured_error]\narbiter = "abs(ratio(ports.time_s, 1) - 1)"\n', measured
    )
    text = text.replace(
        '[model_error]\narbiter = "arbiter"', f"[model_error]\narbiter = {by_label}"
    )
    text = text.replace("arbiter = 0, trains = 0.5", "arbiter = 0, trains = 0")
    study = tiny_study(tmp_path / "tiny", 'untestable = "taste"', study=text)
    given = xarray.DataArray([10.0, 10.0], {"machine": ["torus", "tree"]}, ["machine"])
    results = tiny_results(packets=2.0)
    results["times"] = results["times"].assign(time_s=given)
    check_claims(study, results)
    error = part_errors(study, results)["times"]
    assert error.total.below.values.tolist() == pytest.approx([0.6, 0.2])
    assert error.total.above.values.tolist() == pytest.approx([0.1, 0.2])
    assert error.text == "arbiter -0.6..+0.2"
    shares = {"times": error.total}
    for condition, truth in (
        ("at(times.time_s, machine='torus') > 3.9", True),
        ("at(times.time_s, machine='torus') > 4.1", None),
        ("at(times.time_s, machine='torus') > 11.1", False),
        ("at(times.time_s, machine='tree') > 7.9", True),
    ):
        assert parse(condition, study.parts).truth(results, shares)[0] is truth


def test_labels_without_an_error_of_their_own_have_the_largest() -> None:
    results = times([10.0, 10.0, 10.0], machine=["torus"], ranks=[1, 2, 4])
    share = xarray.DataArray([0.1, 0.3], {"ranks": [1, 2]}, ["ranks"])
    for ranks, limit, truth in ((1, 8.9, True), (4, 8.9, None), (4, 6.9, True)):
        condition = parse(f"at(times.time_s, ranks={ranks}, machine='torus') > {limit}", PARTS)
        assert condition.truth(results, {"times": share})[0] is truth


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [0.1]),
        ({"simulation.packet_size": "4 KiB"}, [0.0]),
        ({"simulation.network": "analytic"}, [0.0]),
        ({"sweep.simulation.error_target": [0.02, 0.3]}, [0.02, 0.3]),
        ({"sweep.simulation.network": ["packet", "analytic"]}, [0.1, 0.0]),
    ],
)
def test_the_error_of_trains_is_that_of_the_run(
    changes: dict[str, Any], expected: list[float], tmp_path: Path
) -> None:
    study = tiny_study(tmp_path / "tiny", 'untestable = "taste"')
    data = tiny_results()["times"].assign_attrs(overrides=json.dumps(changes))
    error = part_errors(study, {"times": data, "ports": tiny_results()["ports"].assign(time_s=1.0)})
    assert np.atleast_1d(error["times"].total.above).tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("arbiter = 0,", "arbiter = 2,", "a share from 0 to 1"),
        ('"arbiter"', '"max(nothing.time_s)"', "`nothing` is no part"),
        ('"arbiter"', '"ports.speed"', "no `speed`"),
        ("arbiter = 0,", "arbiter = { least = -1 },", "a positive factor"),
        ("arbiter = 0,", "arbiter = { machine = { torus = 0 } },", "`other`"),
        ("arbiter = 0,", "arbiter = { machine = { torus = 0, other = 0 } },", "no dimension"),
        ("arbiter = 0,", "arbiter = { a = 1, b = 2 },", "least and most, or one dimension"),
    ],
)
def test_a_wrong_error_is_refused(old: str, new: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=said):
        study = tiny_study(tmp_path / "tiny", 'untestable = "x"', study=STUDY.replace(old, new))
        check_claims(study, tiny_results())


def test_what_a_part_was_run_with_is_told() -> None:
    counts = [100, 200, 300, 1000, 3000, 10000]
    values = xarray.DataArray(np.ones((2, 6)), {"seed": [1, 2], "ranks": counts}, ["seed", "ranks"])
    data = xarray.Dataset({"time_s": values})
    found = reach_of(data)
    assert found is not None and found.text == "100 to 10,000 ranks (6 counts), 2 seeds"
    few = reach_of(data.where(data.ranks < 300).isel(seed=[0]))
    assert few == Reach((100, 200)) and few.text == "100, 200 ranks"
    assert reach_of(xarray.Dataset({"median_s": 1.0})) is None


@cache
def stored(name: str) -> tuple[Study, dict[str, Any]]:
    """The results of a study that the documentation has; else what they will look like."""
    study = load_study(name)
    files = {path.stem: path for path in (EXTRA / name / "data").glob("*.nc")}
    if files:
        return study, {key: xarray.load_dataset(path) for key, path in files.items()}
    outlines = {}
    for part in study.parts.values():
        made_by = evaluator(part.evaluate)
        context = Context(
            study, True, made_by.experiments(part, study, True), {}, print, {}, Path()
        )
        outlines[part.name] = made_by.outline(part, context)
    return study, outlines


def changed(data: Any, random: np.random.Generator, used: Container[str]) -> Any:
    """Results in which every label of every dimension has a factor of its own, or nothing but such factors.

    Seeds have factors near one: they are repetitions, and their spread is an error that decides nothing. Variables that
    are not used stay as they are; the random numbers are the same with them.
    """
    made = {}
    strength = random.choice([0.03, 0.5, 3.0])
    alone = random.random() < 0.5
    ordered = random.random() < 0.5
    for name, values in data.data_vars.items():
        if values.dtype.kind not in "iuf":
            continue
        is_used = name in used
        factor = np.ones(values.shape if is_used else 1)
        for axis, dim in enumerate(values.dims):
            width = min(strength, 0.01) if dim == "seed" else strength
            effects = np.exp(width * random.normal(size=values.sizes[dim]))
            if ordered:
                effects = np.sort(effects)[:: random.choice([1, -1])]
            if is_used:
                shape = [-1 if i == axis else 1 for i in range(values.ndim)]
                factor = factor * effects.reshape(shape)
        if values.ndim == 0:
            factor = np.exp(strength * random.normal())
        order = np.arange(len(values)) if values.ndim else None
        if values.ndim and random.random() < 0.3:
            order = random.permutation(len(values))
        if is_used:
            new = factor if alone else values.values * factor
            made[name] = values.copy(data=new if order is None else np.take(new, order, axis=0))
    # All at once, since xarray compares the labels of all variables each time.
    return data.assign(made)


def outcomes(text: str, parts: Mapping[str, Any], results: dict[str, Any]) -> Iterator[bool | None]:
    """Evaluates a condition over results, and over ever new changes of them."""
    random = np.random.default_rng(1)
    condition, used = parse(text, parts), set(re.findall(r"\w+", text))
    needed = {name: results[name] for name in condition.parts}
    for attempt in range(200):
        some = needed
        if attempt:
            some = {name: changed(data, random, used) for name, data in needed.items()}
        try:
            yield condition.truth(some)[0]
        except (NoLabel, NoValue):
            continue


CONDITIONS = [
    (name, claim.id)
    for name in study_names()
    for claim in load_study(name).claims
    if claim.condition
]


# So much must come together for these to hold that changes at random do not find it.
NARROW = (
    "J1",
    "J2",
    "J3",
    "J6",
    "P5",
    "P7",
    "P8",
    "W3",
    "W4",
    "W5",
    "W7",
    "Z11",
    "Z12",
    "Z14",
    "Z16",
    "Z17",
    "Z18",
    "Z27",
)


@pytest.mark.parametrize(("name", "number"), CONDITIONS)
def test_every_condition_can_fail_and_hold(name: str, number: str) -> None:
    study, results = stored(name)
    (claim,) = [claim for claim in study.claims if claim.id == number]
    wanted = {False} if number in NARROW else {True, False}
    seen: set[bool | None] = set()
    for outcome in outcomes(claim.condition, study.parts, results):
        seen.add(outcome)
        if wanted <= seen:
            return
    pytest.fail(f"{name} {number} came out as {seen} whatever the results were")


def test_the_order_of_routing_rules_that_the_paper_prints_makes_its_claim_hold() -> None:
    study, results = stored("zheng2018")
    (claim,) = [claim for claim in study.claims if claim.id == "Z12"]
    condition = parse(claim.condition, study.parts)
    printed = results["fig5d"].copy()
    valiant = printed["time_s"].sel(routing="valiant")
    factors = xarray.DataArray(
        [
            {"valiant": 1.0, "minimal": 3.0}.get(str(rule), 10.0)
            for rule in printed["routing"].values
        ],
        {"routing": printed["routing"]},
    )
    printed["time_s"] = (valiant.drop_vars("routing") * factors).transpose(*printed["time_s"].dims)
    assert condition.truth({"fig5d": printed})[0] is True
    assert condition.truth({"fig5d": results["fig5d"]})[0] is False


def as_printed(number: str, data: Any) -> Any:
    """Results of a figure as the paper prints it, for the claims whose conditions leave little room."""
    times = data["time_s"]
    if number == "Z9":
        factors = {"fattree-m": 1.0, "dragonfly-mm": 3.0, "torus-m": 12.0}
        return data.assign(time_s=scaled(times, "machine", "fattree-m", factors))
    if number == "Z16":
        factors = {"1 GB/s": 9.0, "10 GB/s": 1.0, "100 GB/s": 1.0, "1000 GB/s": 1.0}
        return data.assign(time_s=scaled(times, "link_bandwidth", "10 GB/s", factors))
    factors = {"10 ns": 1.0, "100 ns": 1.0, "1 us": 1.35, "10 us": 3.0}
    return data.assign(time_s=scaled(times, "link_latency", "10 ns", factors))


def scaled(times: Any, dim: str, base: str, factors: Mapping[str, float]) -> Any:
    """The times of one label, times a factor for each."""
    by_label = xarray.DataArray(
        [factors[str(label)] for label in times[dim].values], {dim: times[dim]}
    )
    return (times.sel({dim: base}, drop=True) * by_label).transpose(*times.dims)


@pytest.mark.parametrize(
    ("number", "figure"), [("Z9", "fig5b"), ("Z16", "fig5e"), ("Z17", "fig5f")]
)
def test_figures_as_the_paper_prints_them_hold_over_the_error_of_the_model(
    number: str, figure: str
) -> None:
    study, results = stored("zheng2018")
    (claim,) = [claim for claim in study.claims if claim.id == number]
    printed = results | {figure: as_printed(number, results[figure])}
    shares = Findings.of(study, printed, {}).shares
    truth, compared = parse(claim.condition, study.parts).truth(printed, shares)
    assert truth is True, compared


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("jamroz2016", "J1"),
        ("jamroz2016", "J2"),
        ("worley1998", "W3"),
        ("worley1998", "W4"),
        ("worley1998", "W5"),
    ],
)
def test_the_printed_tables_make_their_claims_hold(name: str, number: str) -> None:
    study, results = stored(name)
    (claim,) = [claim for claim in study.claims if claim.id == number]
    condition = parse(claim.condition, study.parts)
    printed = {}
    for part in condition.parts:
        data = results[part]
        for variable in re.findall(r"\w+_predicted", claim.condition):
            shown = variable.replace("_predicted", "_printed")
            data = data.assign({variable: data[shown]})
        printed[part] = data
    truth, compared = condition.truth(printed)
    assert truth is True, compared


def test_a_spike_at_one_count_is_no_jump() -> None:
    study, results = stored("zheng2018")
    (claim,) = [claim for claim in study.claims if claim.id == "Z22"]
    times = results["fig9b"]["time_s"]
    flat = times.where(
        times.ranks < 300, times.sel(ranks=300, drop=True) * (100 / times.ranks) ** 0.1
    )
    spike = flat.where(times.ranks != 900, 5 * flat).transpose(*times.dims)
    jump = flat.where(times.ranks < 2000, 5 * flat).transpose(*times.dims)
    condition = parse(claim.condition.split(" and ")[2], study.parts)
    for case, truth in ((spike, False), (jump, True)):
        assert condition.truth({"fig9b": results["fig9b"].assign(time_s=case)})[0] is truth


@pytest.mark.parametrize(
    "text",
    [
        "max(times.time_s) > 0",
        "share(times.time_s > 0) > 0.5",
        "min(times.time_s) <= max(times.time_s)",
        "all(at(times.time_s, ranks=1) >= min(times.time_s))",
    ],
)
def test_a_condition_that_cannot_fail_is_noticed(text: str) -> None:
    results = times([3.0, 2.0, 1.0], machine=["a"], ranks=[1, 2, 4])
    assert False not in outcomes(text, PARTS, results)


def test_one_seed_in_a_sweep_is_that_of_all_random_choices() -> None:
    given = {**SMALL, "sweep": {"seed": [1, 2], "machine.routing": ["dimension_order", "valiant"]}}
    experiment = Experiment.load(given)
    assert [axis.name for axis in experiment.axes] == ["seed", "routing"]
    members = experiment.members()
    assert [one.spec.simulation["seed"] for one in members] == [1, 1, 2, 2]
    assert [one.spec.placement["seed"] for one in members] == [1, 1, 2, 2]
    keys = [with_idle_seeds(one).key for one in members]
    assert keys[0] == keys[2] and len(set(keys)) == 3


def test_pictures_have_the_median_of_the_seeds_with_bars() -> None:
    sweep = {
        "seed": [1, 2, 3],
        "machine.routing": ["dimension_order", "valiant"],
        "program.ranks": [8, 16],
    }
    runs = simulate({**SMALL, "sweep": sweep})
    for kind in ("scaling", "relative"):
        panel = Plots(runs.runs, runs.axes).figure(kind).axes[0]
        _, labels = panel.get_legend_handles_labels()
        assert labels == ["dimension_order", "valiant"]
        # Dimension order reads no seed and so has no bars.
        assert len(panel.containers) == 1
    for kind in ("matrix", "delay"):
        assert Plots(runs.runs, runs.axes).figure(kind).axes
    (scaling, *_) = figures(runs.to_xarray())
    fixed, random = scaling["views"]["simulated time"]["traces"]
    assert "above" not in fixed and max(random["above"]) > 0 and max(random["below"]) > 0


def test_undecided_looks_unlike_the_other_verdicts() -> None:
    lines = [Line(str(i), "x", "", verdict, "y") for i, verdict in enumerate(VERDICTS)]
    text = ledger_section(lines)
    for looks, verdict in zip(("good", "bad", "unsure", "open"), VERDICTS, strict=True):
        assert f'class="verdict {looks}"' in text and f'data-verdict="{verdict}"' in text
