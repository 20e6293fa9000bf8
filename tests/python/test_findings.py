"""The summary of a report: sentences on a sweep, and the table of speed-up, efficiency and ratio."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("xarray")

import xarray

import tradewind as tw
from tradewind.report.page import comparison
from tradewind.report.page.findings import findings, findings_section


def sweep(
    times: Sequence[Sequence[float]], ranks: Sequence[int] = (), names: Sequence[str] = ("a", "b")
) -> xarray.Dataset:
    """Returns simulated times over ranks and series."""
    values = np.array(times, dtype=float)
    dims = ("ranks", "series")
    about = {"time_s": (dims, values), "hash": (dims, np.full(values.shape, "h"))}
    return xarray.Dataset(about, {"ranks": list(ranks), "series": list(names)})


def cells(text: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(<td.*?)</tr>", text)
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]


def busy(data: xarray.Dataset, shares: Mapping[str, Sequence[Sequence[float]]]) -> xarray.Dataset:
    """Adds how busy the busiest resource of each class is."""
    values = np.stack([np.array(one) for one in shares.values()], axis=-1)
    return data.assign(
        busiest_utilisation=(("ranks", "series"), values.max(axis=-1)),
        class_utilisation_max=(("ranks", "series", "link_class"), values),
    ).assign_coords(link_class=list(shares))


def test_the_summary_says_who_is_fastest_what_limits_and_what_it_cost() -> None:
    data = sweep([[4.0, 2.0], [2.0, 1.0], [0.5, 1.0]], (10, 20, 40), ("torus", "star"))
    data = busy(
        data,
        {
            "link": [[0.1, 0.1], [0.2, 0.1], [0.3, 0.1]],
            "ejection": [[0.0, 0.9], [0.1, 0.75], [0.2, 0.4]],
        },
    )
    data = data.assign(
        cpu_s=(("ranks", "series"), np.full((3, 2), 2.0)),
        wall_s=(("ranks", "series"), np.full((3, 2), 2.5)),
        peak_rss_bytes=(("ranks", "series"), np.full((3, 2), 2**20)),
    )
    data = data.assign_attrs(program="halo", machine="torus-m")
    assert findings(data) == [
        "6 runs of halo, machine torus-m: ranks 10, 20, 40; series torus, star.",
        "On 10 and 20 ranks star is the fastest: 2 times as fast as the next (torus).",
        "On 40 ranks torus is the fastest: 2 times as fast as the next (star).",
        "2 of 6 runs are limited by a resource that is busy for 70 % of the time or more"
        " (interface, receiving: 2 runs); the busiest is so for 90 % of the time.",
        "Simulating took 12 s of processor time, the longest run 2.5 s of real time, and at most 1"
        " MiB of memory.",
    ]
    rows = cells(findings_section(data))
    assert ["torus", "40", "500 ms", "8", "200 %", "1"] in rows
    assert ["star", "20", "1 s", "2", "100 %", "1"] in rows
    assert ["torus", "20", "2 s", "2", "100 %", "2"] in rows
    alone = findings(data.isel(series=[0]))
    assert alone[1].startswith(
        "The simulated time is 4 s on 10 ranks and 500 ms on 40 ranks: 8 times as fast with 4 times"
    )
    equal = data.assign(time_s=(("ranks", "series"), np.ones((3, 2))))
    assert "On 10 to 40 ranks star and torus are equally fast." in findings(equal)
    assert findings(xarray.Dataset({"speed": 1.0})) == []


def test_without_a_limit_the_busiest_resource_is_named() -> None:
    data = busy(sweep([[1.0, 1.0]], (8,)), {"global": [[0.2, 0.305]], "memory": [[0.1, 0.1]]})
    assert findings(data)[2].startswith(
        "No link, interface or memory is busy for more than 31 % of the time (the busiest: global"
        " link): latencies"
    )


def test_the_summary_leaves_out_runs_that_are_missing() -> None:
    assert findings(sweep([[4.0, np.nan], [2.0, 1.0]], (10, 20), ("torus", "star"))) == [
        "3 runs: ranks 10, 20; series torus, star.",
        "On 20 ranks star is the fastest: 2 times as fast as the next (torus).",
    ]


def test_speed_up_starts_at_the_fewest_ranks_in_whatever_order_they_are_given() -> None:
    rows = cells(findings_section(sweep([[1.0, 1.0], [4.0, 2.0]], (64, 16))))
    assert rows == [
        ["a", "16", "4 s", "1", "100 %", "2"],
        ["a", "64", "1 s", "4", "100 %", "1"],
        ["b", "16", "2 s", "1", "100 %", "1"],
        ["b", "64", "1 s", "2", "50 %", "1"],
    ]
    told = findings(sweep([[1.0], [4.0]], (64, 16), ("a",)))[1]
    assert told.startswith("The simulated time is 4 s on 16 ranks and 1 s on 64 ranks")


def test_a_series_without_a_rival_has_no_ratio_and_no_sentence_spans_it() -> None:
    data = sweep([[1.0, 2.0], [1.0, np.nan], [1.0, 2.0]], (10, 20, 40))
    assert findings(data)[1:] == [
        "On 10 ranks a is the fastest: 2 times as fast as the next (b).",
        "On 40 ranks a is the fastest: 2 times as fast as the next (b).",
    ]
    ratios = {tuple(row[:2]): row[-1] for row in cells(findings_section(data))}
    assert ratios["a", "20"] == "\N{EN DASH}"
    assert ratios["a", "40"] == "1"


@pytest.mark.parametrize(("first", "words"), [(0.0, " whose time is above zero"), (4.0, "")])
def test_the_caption_says_which_run_a_speed_up_is_against(first: float, words: str) -> None:
    text = findings_section(sweep([[first, 2.0], [2.0, 1.0]], (10, 20)))
    assert f"Speed-up against the fewest ranks of a series{words}; efficiency is" in text


def test_times_of_zero_have_neither_speed_up_nor_factor() -> None:
    data = sweep([[0.0, 0.0], [1.0, 2.0], [0.5, 2.0]], (1, 2, 4))
    assert findings(data)[1:] == [
        "On 1 rank a and b are equally fast.",
        "On 2 and 4 ranks a is the fastest: 2 to 4 times as fast as the next (b).",
    ]
    rows = {tuple(row[:2]): row[2:] for row in cells(findings_section(data))}
    nothing = "\N{EN DASH}"
    assert rows["a", "1"] == ["0 s", nothing, nothing, "1"]
    assert rows["a", "4"] == ["500 ms", "2", "100 %", "1"]
    one_zero = sweep([[0.0, 1.0]], (1,))
    assert findings(one_zero)[1] == "a is the fastest."
    assert [row[-1] for row in cells(findings_section(one_zero))] == ["1", nothing]


def test_names_alone_are_compared_with_each_other() -> None:
    data = sweep([[3.0, 1.0]], (16,), ("torus", "star")).isel(ranks=0, drop=True)
    data = data.rename(series="machine")
    assert findings(data)[1] == "star is the fastest: 3 times as fast as the next (torus)."
    assert cells(findings_section(data)) == [["torus", "3 s", "3"], ["star", "1 s", "1"]]


def test_a_jump_of_the_time_is_told_with_the_busiest_resource() -> None:
    data = busy(
        sweep([[1.0, 1.0], [0.5, 0.5], [5.0, 0.25]], (10, 100, 1000), ("torus", "star")),
        {"link": [[0.6, 0.6], [0.5, 0.5], [0.12, 0.5]], "ejection": [[0.1, 0.1]] * 3},
    )
    (jump,) = [told for told in findings(data) if "times as long" in told]
    assert jump == (
        "On 1000 ranks torus takes 10 times as long as on 100, and its busiest resource (link) is"
        " busy for 12 % of the time: messages wait for each other. tradewind explain tells more."
    )


def test_a_long_table_says_how_many_runs_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "_MOST_ROWS", 3)
    text = findings_section(sweep([[1.0, 2.0]] * 4, (1, 2, 4, 8)))
    assert len(cells(text)) == 3
    assert "the first 3 of 8 runs, the others are in results.nc" in text


def test_of_several_seeds_the_median_counts() -> None:
    data = sweep([[1.0, 5.0, 3.0], [2.0, 2.0, 6.0]], (10, 20), ("1", "2", "3"))
    data = data.rename(series="seed")
    assert findings(data) == [
        "6 runs: ranks 10, 20; 3 seeds, of which the median counts.",
        "The simulated time is 3 s on 10 ranks and 2 s on 20 ranks: 1.5 times as fast with 2 times as"
        " many ranks.",
    ]


def test_the_largest_parts_of_critical_paths_are_named() -> None:
    data = sweep([[1.0, 2.0], [3.0, 4.0]], (10, 20))
    parts = np.array([[[0.7, 0.27, 0.03], [0.5, 1.5, 0]], [[2.0, 1.0, 0], [np.nan] * 3]])
    data["path_s"] = (("ranks", "series", "path_kind"), parts)
    data = data.assign_coords(path_kind=["wire", "port_queue", "overhead"])
    assert findings(data)[-1] == (
        "The largest part of the critical path is wire in 2 runs, port queue in 1 run (3 of 4 runs"
        " are known)."
    )
    one = data.isel(ranks=[0], series=[0])
    assert findings(one)[-1] == (
        "The critical path is wire for 70 %, port queue for 27 % of the time."
    )


def test_a_processor_that_is_busier_than_all_links_is_named(tmp_path: Path) -> None:
    table = {
        "machine": {"name": "fattree-m"},
        "program": {"name": "allreduce", "bytes": "24 B", "ranks": 4},
        "sweep": {"program.ranks": [4, 16]},
    }
    told = " ".join(findings(tw.sweep(table, directory=tmp_path)))
    assert "processor of a rank" in told
    assert "interface, " not in told
