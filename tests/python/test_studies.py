"""Reproducing a study: conditions, verdicts, partial results, and a tiny study from end to end."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SWEEP_TOML, Cli, count_finished, wait_until

from tradewind.errors import ConfigError
from tradewind.results.netcdf import read_netcdf
from tradewind.studies import ledger_of, load_study, study_names
from tradewind.studies.catalogue import evaluator
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context
from tradewind.studies.expression import parse
from tradewind.studies.functions import FUNCTIONS, NoLabel, NoValue
from tradewind.studies.jamroz2016 import tables
from tradewind.studies.ledger import check_claims
from tradewind.studies.tables import Table, read_csv

xarray = pytest.importorskip("xarray")

PARTS = {"times": object()}
EXTRA = Path(__file__).parents[2] / "docs" / "_extra"

STUDY = """
[study]
title = "A tiny study"
source = "nobody2026"

[part.times]
title = "Allreduce over ranks"
place = "figure 1"
experiments = ["allreduce"]
reduced = { "sweep.program.ranks" = [2, 4] }
plots = ["scaling"]

[part.single]
title = "One ping-pong"
experiments = ["pingpong"]
"""

PINGPONG = """
[machine]
name = "laptop"

[program]
name = "pingpong"
bytes = "1 KiB"
ranks = 2
"""

LONG = '"program.repeat" = [1, 10000, 10001, 10002]'

CLAIMS = """
[[claim]]
id = "T1"
place = "figure 1"
claim = "the ring takes longer at 4 ranks"
condition = "at(times.time_s, ranks=4, algorithm='ring') > at(times.time_s, ranks=4, algorithm='recursive_doubling')"
evidence = { "ratio at 4 ranks" = "ratio(at(times.time_s, ranks=4, algorithm='ring'), at(times.time_s, ranks=4, algorithm='recursive_doubling'))" }

[[claim]]
id = "T2"
claim = "time falls with ranks"
condition = "falls(at(times.time_s, algorithm='ring'), 'ranks')"
finding = "more ranks mean more messages"

[[claim]]
id = "T3"
claim = "at 8 ranks it takes less than a second"
condition = "all(at(times.time_s, ranks=8) < 1)"

[[claim]]
id = "T4"
claim = "a ping-pong takes less than a second"
condition = "single.time_s < 1"

[[claim]]
id = "T5"
claim = "it looks good"
untestable = "taste is not measured"
"""


FAR = """
[part.far]
title = "Many ranks"
experiments = ["allreduce"]
long = true
full = { "sweep.program.ranks" = [8] }
"""


@pytest.fixture
def times() -> dict[str, Any]:
    values = xarray.DataArray(
        [[4.0, 8.0], [2.0, 7.0], [1.0, np.nan]],
        dims=("ranks", "machine"),
        coords={"ranks": [1, 10, 100], "machine": ["torus", "tree"]},
    )
    return {"times": xarray.Dataset({"time_s": values}, attrs={"later": ["delay_"]})}


def study_folder(tmp_path: Path, **files: str) -> Path:
    folder = tmp_path / "tiny"
    folder.mkdir()
    texts = {"study": STUDY, "claims": CLAIMS, "allreduce": SWEEP_TOML, "pingpong": PINGPONG}
    for name, text in (texts | files).items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at(times.time_s, ranks=10, machine='torus')", 2.0),
        ("median(at(times.time_s, machine='torus'))", 2.0),
        ("max(at(times.time_s, machine='torus', ranks=below(50)))", 4.0),
        ("sum(at(times.time_s, machine='torus', ranks=[1, 100]))", 5.0),
        ("label_of_min(at(times.time_s, machine='torus'), 'ranks')", 100),
        ("slope(at(times.time_s, machine='torus'), 'ranks')", np.log10(0.25) / 2),
        ("quantile(at(times.time_s, machine='torus'), 0.5)", 2.0),
        ("falls(at(times.time_s, machine='torus'), 'ranks')", 1),
        ("rises(at(times.time_s, machine='torus'), 'ranks')", 0),
        ("share(at(times.time_s, machine='torus') > 1.5)", 2 / 3),
        ("count(at(times.time_s, machine='torus') > 1.5)", 2),
        ("mean(known(times.time_s))", 4.4),
        ("1 < 2 < 3 and not 2 ** 3 == 9", 1),
        ("-abs(2 - 5) / 3", -1.0),
        ("at(times.time_s, ranks=1, machine='tree') <= 8.0 or 1 > 2", 1),
    ],
)
def test_an_expression_has_the_value_that_it_says(
    text: str, expected: float, times: dict[str, Any]
) -> None:
    value, _ = parse(text, PARTS).value(times)
    assert float(value) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("__import__('os').system('true')", "is not allowed"),
        ("times.time_s.values.tolist()", "is not allowed"),
        ("times.__class__", "is no name of a result"),
        ("open('/etc/passwd')", "`open` is no function"),
        ("(lambda: 1)()", "is not allowed"),
        ("[x for x in times.time_s]", "is not allowed"),
        ("times.time_s[0]", "is not allowed"),
        ("f'{times.time_s}'", "is not allowed"),
        ("max(**times)", "is not allowed"),
        ("1 if 2 else 3", "is not allowed"),
        ("time.time_s < 1", "`time` is no part of the study; did you mean"),
        ("medain(times.time_s)", 'did you mean "median"'),
        ("times.time_s <", "is no expression"),
        ("times", "is not allowed"),
        ("2 @ 3", "is not allowed"),
        ("1" * 3000, "more than"),
    ],
)
def test_an_expression_with_anything_else_is_refused(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match="(?s).*" + said.replace("*", r"\*").replace("(", r"\(")):
        parse(text, PARTS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("times.time_s > 1", "use all"),
        ("times.time_s", "not one truth value"),
        ("times.speed > 1", "times has no `speed`"),
        ("at(times.time_s, rank=1) > 1", "there is no rank"),
        ("max(times.time_s, 'rank') > 1", "there is no dimension rank"),
        ("all(times.time_s)", "expects a comparison"),
        ("median(times.time_s, 1, 2) > 1", "positional argument"),
        ("9 ** 9 ** 9 ** 9 > 1", "out of range"),
    ],
)
def test_a_condition_that_does_not_fit_the_results_is_refused(
    text: str, said: str, times: dict[str, Any]
) -> None:
    complete = {"times": times["times"].fillna(1.0)}
    with pytest.raises(ConfigError, match=f"(?is).*{said}"):
        parse(text, PARTS).truth(complete)


def test_a_missing_value_decides_nothing(times: dict[str, Any]) -> None:
    for text in ("all(times.time_s > 0)", "max(times.time_s) > 7", "times.delay_median > 1"):
        with pytest.raises(NoValue):
            parse(text, PARTS).truth(times)
    with pytest.raises(NoLabel, match="ranks = 1e\\+06"):
        parse("at(times.time_s, ranks=1e6, machine='torus') > 1", PARTS).truth(times)
    with pytest.raises(NoLabel, match='machine = torsu; did you mean "torus"'):
        parse("at(times.time_s, machine='torsu') > 1", PARTS).truth(times)


def test_every_comparison_is_told_with_both_values(times: dict[str, Any]) -> None:
    text = "all(at(times.time_s, machine='torus') < 3) or min(at(times.time_s, ranks=1)) == 4"
    holds, compared = parse(text, PARTS).truth(times)
    assert holds
    assert compared == [
        "at(times.time_s, machine='torus') = 4, 2, 1 < 3: 2 of 3",
        "min(at(times.time_s, ranks=1)) = 4 == 4: yes",
    ]


def test_every_function_says_what_it_does() -> None:
    for name, function in FUNCTIONS.items():
        assert function.summary.startswith(name)


def test_a_table_in_csv_can_be_read_back(tmp_path: Path) -> None:
    table = Table("a", ("mesh", "time_s"), [["4x4", 30.123456], ["4x8", None]])
    (tmp_path / "a.csv").write_text("# a remark\n" + table.to_csv(), encoding="utf-8")
    rows = read_csv(tmp_path / "a.csv")
    assert rows == [{"mesh": "4x4", "time_s": "30.123456"}, {"mesh": "4x8", "time_s": ""}]
    assert "| 4x4 | 30.12 |" in table.to_markdown()


def test_a_tiny_study_from_end_to_end(cli: Cli, tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    done = cli("reproduce", folder, "-o", "out", "--json")
    assert done.returncode == 0, done.stderr
    entries = {entry["id"]: entry for entry in json.loads(done.stdout)["ledger"]}
    written = json.loads((tmp_path / "out/ledger.json").read_text(encoding="utf-8"))
    assert [entry["id"] for entry in written] == ["T1", "T2", "T3", "T4", "T5"]
    assert all({"id", "claim", "verdict", "evidence"} <= set(entry) for entry in written)
    verdicts = {name: entry["verdict"] for name, entry in entries.items()}
    assert verdicts == {
        "T1": "reproduced",
        "T2": "not reproduced",
        "T3": "not testable here",
        "T4": "reproduced",
        "T5": "not testable here",
    }
    assert "ratio at 4 ranks: " in entries["T1"]["evidence"]
    assert "more ranks mean more messages" in entries["T2"]["evidence"]
    assert "ranks = 8" in entries["T3"]["evidence"]
    assert entries["T5"]["evidence"] == "taste is not measured"
    assert len(read_csv(tmp_path / "out/tables/times.csv")) == 4
    for ending in ("png", "svg"):
        assert (tmp_path / f"out/figures/times.{ending}").is_file()
    assert "2 reproduced, 1 not reproduced" in (tmp_path / "out/ledger.md").read_text()


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "part p: settings.a: expected a"),
        ({"a": 3}, "part p: settings.a = 3: expected a"),
        ({"a": [1]}, "part p: settings.a = [1]: expected a"),
        ({"a": True}, "part p: settings.a = true: expected a"),
        ({"a": math.inf}, "part p: settings.a = Infinity: expected a"),
    ],
)
def test_settings_of_a_part_are_read_strictly(settings: dict[str, Any], told: str) -> None:
    part = Part("p", "", "", (), {}, {}, "runs", (), settings, {})
    readers = [part.word, part.words, part.pairs, part.tables]
    if settings.get("a") != [1]:
        readers.append(part.counts)
    if settings:
        readers.append(part.counts_by_name)
    if settings.get("a") != 3:
        readers.append(part.number)
    for read in readers:
        with pytest.raises(ConfigError) as caught:
            read("a")
        assert told in str(caught.value)
    given = {
        "a": "b",
        "c": ["d"],
        "e": 2,
        "f": [3, 4],
        "g": [[5, 6]],
        "h": {"i": 7},
        "j": {"k": {}},
    }
    right = Part("p", "", "", (), {}, {}, "runs", (), given, {})
    assert (right.word("a"), right.words("c"), right.number("e")) == ("b", ("d",), 2.0)
    assert (right.counts("f"), right.pairs("g")) == ((3, 4), ((5, 6),))
    assert (right.counts_by_name("h"), right.counts_by_name("z")) == ({"i": 7}, {})
    assert right.tables("j") == {"k": {}}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"cases": [[16, 96, 3]]}, "settings.cases = [[16, 96, 3]]: expected a list of pairs"),
        ({"ways": ["dg synchronous", "dg putts"]}, 'dg putts: unknown; did you mean "dg puts"?'),
        ({"ways": ["dg puts"]}, "settings.ways: dg puts needs dg synchronous"),
        ({"ways": ["dg synchronous"] * 2}, "expected a list of texts, each one once"),
        ({"machines": {"fugaku": 3}}, "settings.machines"),
        ({"most_ranks": 3}, "settings.most_ranks = 3: expected a table"),
    ],
)
def test_wrong_ways_and_cases_are_refused(settings: dict[str, Any], told: str) -> None:
    study = load_study("jamroz2016")
    right = study.parts["million"]
    wrong = dataclasses.replace(right, settings=dict(right.settings) | settings)
    make = evaluator(right.evaluate).experiments
    assert make(right, study, True)
    with pytest.raises(ConfigError, match=re.escape(told)):
        make(wrong, study, True)


@pytest.mark.parametrize(
    ("found", "told"),
    [('"magic"', "settings.operation = magic: unknown"), ("3", "expected a string")],
)
def test_an_unknown_operation_is_refused_before_anything_runs(
    cli: Cli, tmp_path: Path, found: str, told: str
) -> None:
    here = f"""
[part.here]
title = "measured"
evaluate = "collectives_here"
settings = {{ operation = {found}, sizes = ["8 B"], repetitions = 3, reduced_repetitions = 1 }}
"""
    done = cli("reproduce", study_folder(tmp_path, study=STUDY + here), "-o", tmp_path / "out")
    assert done.returncode == 2, done.stderr
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_full_series_goes_on_from_the_reduced_one(cli: Cli, tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    assert cli("reproduce", folder, "-o", "out").returncode == 0
    again = cli("reproduce", folder, "-o", "out", "--full", "--json")
    assert again.returncode == 0, again.stderr
    assert again.stderr.count("kept: ") == 5
    assert again.stderr.count("done: ") == 2
    assert json.loads(again.stdout)["ledger"][2]["verdict"] == "reproduced"


def test_the_runs_up_to_so_many_ranks_are_a_step_on_the_way(cli: Cli, tmp_path: Path) -> None:
    claim = """
[[claim]]
id = "F1"
claim = "8 ranks take some time"
condition = "all(at(far.time_s, ranks=8) > 0)"
"""
    folder = study_folder(tmp_path, study=STUDY + FAR, claims=CLAIMS + claim)

    def made(*options: str) -> tuple[list[int], list[dict[str, str]], int]:
        done = cli("reproduce", folder, "-o", "out", "--json", "--full", *options)
        assert done.returncode == 0, done.stderr
        with xarray.open_dataset(tmp_path / "out" / "data" / "times.nc") as data:
            ranks = data.ranks.values.tolist()
        return ranks, json.loads(done.stdout)["ledger"], done.stderr.count("done: ")

    ranks, ledger, runs = made("--max-ranks", "4")
    assert (ranks, runs) == ([2, 4], 5)
    assert [ledger[2]["verdict"], ledger[5]["verdict"]] == ["not testable here"] * 2
    assert "far: has no runs with at most 4 ranks" in ledger[5]["evidence"]
    ranks, ledger, runs = made()
    assert (ranks, runs) == ([2, 4, 8], 2)
    assert [ledger[2]["verdict"], ledger[5]["verdict"]] == ["reproduced"] * 2
    # Finished runs of other counts stay in the results: all runs of a count, or none.
    ranks, ledger, runs = made("--max-ranks", "4")
    assert (ranks, runs) == ([2, 4, 8], 0)
    assert [ledger[2]["verdict"], ledger[5]["verdict"]] == ["reproduced"] * 2
    with xarray.open_dataset(tmp_path / "out" / "data" / "times.nc") as data:
        assert data.series == "full, up to 4 ranks, and 8"
    for run in (tmp_path / "out" / "runs").glob("*.json"):
        if json.loads(run.read_text())["parameters"] == {"ranks": 8, "algorithm": "ring"}:
            run.unlink()
    assert made("--max-ranks", "4")[0] == [2, 4]
    assert cli("reproduce", folder, "-o", "out", "--max-ranks", "0").returncode == 2


def test_a_count_that_one_machine_has_no_room_for_stays_in_the_results(
    cli: Cli, tmp_path: Path
) -> None:
    sweep = SWEEP_TOML.replace("[2, 4, 8]", '[2, 4, 8]\n"machine.topology.nodes" = [4, 8]')
    assert sweep != SWEEP_TOML
    claim = '[[claim]]\nid = "T1"\nclaim = "time passes"\ncondition = "all(times.time_s > 0)"\n'
    folder = study_folder(tmp_path, allreduce=sweep, claims=claim)
    for options in ((), ("--max-ranks", "4")):
        done = cli("reproduce", folder, "-o", "out", "--json", "--full", *options)
        assert done.returncode == 1
        assert "4 nodes" in json.loads(done.stdout)["failed"][0]["message"]
        with xarray.open_dataset(tmp_path / "out" / "data" / "times.nc") as data:
            assert data.ranks.values.tolist() == [2, 4, 8]
            assert data.time_s.sel(ranks=8).notnull().sum() == 2


def test_a_partial_ledger_says_what_is_missing(cli: Cli, tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    first = cli("reproduce", folder, "--only", "single", "-o", "out", "--json")
    entries = json.loads(first.stdout)["ledger"]
    assert [entry["verdict"] for entry in entries[:4]] == ["not testable here"] * 3 + ["reproduced"]
    assert "times: not made" in entries[0]["evidence"]
    assert "times: not made" in (tmp_path / "out/ledger.md").read_text(encoding="utf-8")
    second = cli("reproduce", folder, "--only", "times", "-o", "out", "--json")
    verdicts = [entry["verdict"] for entry in json.loads(second.stdout)["ledger"]]
    assert verdicts[0] == verdicts[3] == "reproduced"


def test_a_run_that_fails_is_recorded_and_stops_no_other(cli: Cli, tmp_path: Path) -> None:
    broken = SWEEP_TOML.replace("[2, 4, 8]", "[2, 4, 2000000]")
    study = STUDY.replace("[2, 4]", "[4, 2000000]")
    claims = CLAIMS.replace("ranks=8", "ranks=2000000")
    folder = study_folder(tmp_path, allreduce=broken, study=study, claims=claims)
    done = cli("reproduce", folder, "-o", "out", "--json")
    assert done.returncode == 1
    result = json.loads(done.stdout)
    assert len(result["failed"]) == 2
    assert result["ledger"][0]["verdict"] == "reproduced"
    assert result["ledger"][1]["verdict"] == "not testable here"
    assert "2 runs failed" in result["ledger"][1]["evidence"]
    rows = read_csv(tmp_path / "out/tables/times.csv")
    assert [bool(row["error"]) for row in rows] == [False, False, True, True]


def test_a_wrong_condition_is_told_with_its_id_before_anything_runs(
    cli: Cli, tmp_path: Path
) -> None:
    for wrong, said in (
        ("time.time_s < 1", "no part of the study"),
        ("single.times < 1", "single has no `times`"),
        ("at(times.time_s, ranks=9) < 1", "ranks = 9"),
        ("__import__('os')", "no function"),
    ):
        folder = study_folder(tmp_path, claims=CLAIMS.replace("single.time_s < 1", wrong))
        done = cli("reproduce", folder, "-o", "out")
        assert done.returncode == 2, done.stderr
        assert "claim T4: " in done.stderr and said in done.stderr
        assert not (tmp_path / "out").exists()
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()


def test_wrong_evidence_is_told_with_the_id_of_its_claim(cli: Cli, tmp_path: Path) -> None:
    folder = study_folder(tmp_path, claims=CLAIMS.replace('"ratio(at(', '"ratoi(at('))
    done = cli("reproduce", folder, "-o", "out")
    assert done.returncode == 2
    assert "claim T1: " in done.stderr and 'did you mean "ratio"' in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody"], "no such study"),
        (["{folder}", "--only", "timse"], 'did you mean "times"'),
    ],
)
def test_wrong_names_are_refused(arguments: list[str], said: str, cli: Cli, tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    done = cli("reproduce", *(word.format(folder=folder) for word in arguments))
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("study", "title =", "a_title =", 'did you mean "title"'),
        ("study", '["allreduce"]', '["alreduce"]', "no such file"),
        ("study", '["scaling"]', '["scale"]', "allowed: scaling"),
        (
            "study",
            "[part.single]\n",
            '[part.single]\nevaluate = "x"\n',
            "allowed: collectives_here, jamroz2016.beyond",
        ),
        ("claims", 'id = "T2"', 'id = "T1"', "is given twice"),
        ("claims", 'untestable = "taste is not measured"', "", "give either"),
    ],
)
def test_a_wrong_study_names_file_and_key(
    file: str, old: str, new: str, said: str, cli: Cli, tmp_path: Path
) -> None:
    text = {"study": STUDY, "claims": CLAIMS}[file]
    folder = study_folder(tmp_path, **{file: text.replace(old, new, 1)})
    done = cli("reproduce", folder)
    assert done.returncode == 2
    assert said in done.stderr


def test_machines_of_a_study_are_written_once_and_named_by_its_parts(tmp_path: Path) -> None:
    machines = (
        '[machines.one]\nname = "laptop"\nnode = { ranks_per_node = 2 }\n'
        '[machines.two]\nlike = "one"\nlink = { latency = "1 us" }\n'
    )
    part = '[part.single]\nsettings = { machines = ["two", "one"] }\n'
    text = machines + STUDY.replace("[part.single]\n", part, 1)
    found = load_study(study_folder(tmp_path, study=text)).parts["single"].tables("machines")
    assert list(found) == ["two", "one"]
    assert found["one"] == {"name": "laptop", "node": {"ranks_per_node": 2}}
    assert found["two"] == {**found["one"], "link": {"latency": "1 us"}}
    for old, new, said in (
        ('["two"', '["tow"', r'machines = "tow": no machine of this study; did you mean "two"'),
        ('like = "one"', 'like = "two"', r'like = "two": no machine of this study'),
    ):
        wrong = tmp_path / said[:4]
        wrong.mkdir()
        with pytest.raises(ConfigError, match=said):
            load_study(study_folder(wrong, study=text.replace(old, new, 1)))


@pytest.mark.parametrize("name", study_names())
def test_the_conditions_of_every_shipped_study_are_sound(name: str, tmp_path: Path) -> None:
    from tradewind.studies.catalogue import evaluator

    study = load_study(name)
    outlines = {}
    for part in study.parts.values():
        experiments = study.experiments(part, full=True)
        context = Context(study, True, experiments, {}, print, {}, tmp_path)
        outlines[part.name] = evaluator(part.evaluate).outline(part, context)
        study.experiments(part, full=False)
    assert len(check_claims(study, outlines)) == len(study.claims)


def test_a_long_part_is_made_when_it_is_named_or_the_full_series_is(
    cli: Cli, tmp_path: Path
) -> None:
    claim = """
[[claim]]
id = "L1"
claim = "the ring takes longer on more ranks"
condition = "at(far.time_s, ranks=8, algorithm='ring') > at(times.time_s, ranks=4, algorithm='ring')"
"""
    folder = study_folder(tmp_path, study=STUDY + FAR, claims=claim)

    def verdict(*options: str) -> tuple[str, str, int]:
        done = cli("reproduce", folder, "-o", "out", "--json", *options)
        assert done.returncode == 0, done.stderr
        (entry,) = json.loads(done.stdout)["ledger"]
        return entry["verdict"], entry["evidence"], done.stderr.count("done: ")

    first, why, _ = verdict()
    assert first == "not testable here" and "--only far" in why
    assert not (tmp_path / "out" / "data" / "far.nc").exists()
    assert verdict("--only", "far")[0] == "reproduced"
    # A run that was made once counts from then on.
    assert verdict()[0] == "reproduced"
    (judged,) = ledger_of(load_study(folder), tmp_path / "out")
    assert judged.verdict == "reproduced"
    (tmp_path / "out" / "data" / "far.nc").unlink()
    (judged,) = ledger_of(load_study(folder), tmp_path / "out")
    assert judged.verdict == "not testable here" and "--only far" in judged.evidence
    assert verdict("--full")[0] == "reproduced"


def test_a_verdict_does_not_wait_for_evidence(cli: Cli, tmp_path: Path) -> None:
    claim = """
[[claim]]
id = "E1"
claim = "4 ranks take some time"
condition = "all(at(times.time_s, ranks=4) > 0)"
evidence = { "on 8 ranks" = "all(at(far.time_s, ranks=8) > 0)" }
"""
    folder = study_folder(tmp_path, study=STUDY + FAR, claims=claim)
    seen = []
    for options in ((), ("--only", "far")):
        done = cli("reproduce", folder, "-o", "out", "--json", *options)
        (entry,) = json.loads(done.stdout)["ledger"]
        assert entry["verdict"] == "reproduced"
        told = entry["evidence"].split("; ")
        seen += [words for words in told if words.startswith("on 8 ranks")]
    assert seen == ["on 8 ranks: needs far", "on 8 ranks: yes"]


def number_words() -> dict[str, int]:
    small = [
        "no",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ]
    words = {word: number for number, word in enumerate(small)}
    for tens, word in enumerate(("twenty", "thirty", "forty"), 2):
        words |= {word: 10 * tens}
        words |= {f"{word}-{small[one]}": 10 * tens + one for one in range(1, 10)}
    return words


def counts_of_verdicts(page: str) -> dict[str, int]:
    """Reads them from the answer: "Four claims are reproduced, two are not, one is undecided"."""
    numbers = number_words()
    verdicts = {
        "reproduced": "reproduced",
        "not": "not reproduced",
        "undecided": "undecided",
        "cannot be tested here": "not testable here",
    }
    answer = " ".join(page.partition("**Answer.**")[2].partition("\n\n")[0].split())
    number = "|".join(sorted(numbers, key=len, reverse=True))
    told = rf"\b({number})(?: claims?)? (?:(?:is|are) )?({'|'.join(verdicts)})\b"
    found = re.findall(told, answer, re.IGNORECASE)
    return {verdicts[verdict.lower()]: numbers[word.lower()] for word, verdict in found}


def test_counts_of_verdicts_are_read_from_words() -> None:
    page = """
**Answer.** Four claims are reproduced, twenty-one are not, one is
undecided, and two cannot be tested here. It does not matter.

Three claims are reproduced.
"""
    assert counts_of_verdicts(page) == {
        "reproduced": 4,
        "not reproduced": 21,
        "undecided": 1,
        "not testable here": 2,
    }
    assert counts_of_verdicts("**Answer.** It is not so.") == {}


def test_stored_results_name_no_folder_of_the_machine_that_made_them() -> None:
    paths = list(EXTRA.glob("*/data/*.nc"))
    assert len(paths) > 50
    for path in paths:
        assert "/" not in read_netcdf(path).attrs.get("experiment_source", ""), path


@pytest.mark.parametrize("name", sorted(path.parent.name for path in EXTRA.glob("*/data")))
def test_the_page_of_a_study_says_what_its_results_say(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The ledger reads stored results. Rates of cores, which test_jamroz2016 calibrates, are in no outline.
    monkeypatch.setattr(tables, "calibrated_flops", lambda table, ne, mode: 1e9)
    ledger = ledger_of(load_study(name), EXTRA / name)
    computed = {entry.id: entry.verdict for entry in ledger}
    assert all(entry.evidence for entry in ledger)
    text = (EXTRA.parent / "studies" / f"{name}.md").read_text(encoding="utf-8")
    assert counts_of_verdicts(text) == Counter(computed.values())
    told: dict[str, str] = {}
    for line in text.splitlines():
        if row := re.match(r"\| ([A-Z]\d+(?:, [A-Z]\d+)*) \|.*\| (.*) \|$", line):
            told |= dict.fromkeys(row[1].split(", "), row[2])
    assert set(told) <= set(computed)
    assert name != "zheng2018" or set(told) == set(computed)
    wrong = {claim for claim, verdict in told.items() if not verdict.startswith(computed[claim])}
    assert not wrong


def test_an_interrupt_ends_with_130_and_the_next_call_goes_on(cli: Cli, tmp_path: Path) -> None:
    slow = SWEEP_TOML.replace("[2, 4, 8]", "[2, 3, 4]").replace("[sweep]", "[sweep]\n" + LONG)
    folder = study_folder(tmp_path, allreduce=slow, claims=CLAIMS[CLAIMS.index("T4") - 17 :])
    call = [
        sys.executable,
        "-m",
        "tradewind",
        "reproduce",
        str(folder),
        "-o",
        str(tmp_path / "out"),
    ]
    process = subprocess.Popen([*call, "--full"], stderr=subprocess.PIPE, text=True)
    wait_until(lambda: count_finished(tmp_path / "out") >= 2 or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "the same command goes on from there" in told and "--resume" not in told
    kept = count_finished(tmp_path / "out")
    assert 2 <= kept < 25
    assert not (tmp_path / "out" / "ledger.json").exists()
    done = cli("reproduce", folder, "-o", "out", "--only", "times")
    assert done.returncode == 0, done.stderr
    assert "kept: " in done.stderr
