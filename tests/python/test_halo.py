"""Halos as an experiment describes them: open ends, corners, and the process grid that is chosen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tradewind as tw
from tradewind.cli import main
from tradewind.errors import ConfigError

MACHINE = {
    "topology": {"name": "star", "nodes": 64},
    "link": {"bandwidth": "10 GB/s", "latency": "1 us"},
    "message": {"latency": "1 us", "gap_per_byte": "100 ps/B", "overhead_send": "10 ns"},
}


def _run(**program: Any) -> tw.Run:
    halo = {"name": "halo", "grid": [120, 60, 4], "width": 2, "ranks": 32, **program}
    run = tw.simulate({"machine": MACHINE, "program": halo, "simulation": {"network": "analytic"}})
    assert isinstance(run, tw.Run)
    return run


def test_the_default_is_periodic_with_corners() -> None:
    usual = _run(processes=[8, 4])
    same = _run(processes=[8, 4], periodic=[True, True], corners=True)
    assert usual.hash == same.hash
    # Parts of 15 x 15 points: 4 messages each; y has the corners.
    assert usual.counts["messages"] == 4 * 32
    assert usual.counts["bytes"] == 32 * 8 * 4 * (2 * 2 * 15 + 2 * 2 * (15 + 4))


def test_open_ends_and_missing_corners_save_messages_bytes_and_time() -> None:
    usual = _run(processes=[8, 4])
    flat = _run(processes=[8, 4], corners=False)
    assert flat.counts["bytes"] == 32 * 8 * 4 * (2 * 2 * 15 + 2 * 2 * 15)
    # Both axes are under way at once: one latency less.
    assert flat.time_s < usual.time_s - 0.9e-6
    assert [phase.name for phase in flat.phases] == ["x, y"]
    open_x = _run(processes=[8, 4], periodic=[False, True], corners=False)
    assert open_x.counts["messages"] == 2 * 7 * 4 + 2 * 32
    shut = _run(processes=[8, 4], periodic=[False, False], corners=False)
    assert shut.counts["messages"] == 2 * 7 * 4 + 2 * 3 * 8


def test_the_process_grid_that_sends_least_is_chosen_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grid = [400, 50, 4]
    least = _run(grid=grid)
    # Cut along x alone, no rank has a neighbour in y but itself.
    assert least.processes == (32, 1)
    assert least.to_dict()["processes"] == [32, 1]
    assert _run(grid=[120, 120, 4], ranks=36).processes == (6, 6)
    squarest = _run(grid=grid, process_grid="squarest")
    assert squarest.processes == (4, 8)
    assert _run(grid=grid, processes=[8, 4]).processes == (8, 4)
    assert least.counts["bytes"] < squarest.counts["bytes"]
    for cx in (1, 2, 4, 8, 32):
        other = _run(grid=grid, processes=[cx, 32 // cx])
        assert other.counts["bytes"] >= least.counts["bytes"], cx
    path = tmp_path / "halo.toml"
    path.write_text(
        '[machine]\nname = "laptop"\n[program]\nname = "halo"\ngrid = [400, 50, 4]\nwidth = 2\n'
        'ranks = 8\n[simulation]\nnetwork = "analytic"\n'
    )
    assert main(["simulate", str(path)]) == 0
    assert "8 x 1" in capsys.readouterr().out
    assert main(["simulate", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["processes"] == [8, 1]


def test_a_program_without_a_process_grid_tells_none() -> None:
    run = tw.simulate(
        {
            "machine": MACHINE,
            "program": {"name": "allreduce", "bytes": "8 B", "ranks": 8},
            "simulation": {"network": "analytic"},
        }
    )
    assert isinstance(run, tw.Run)
    assert run.processes is None and "processes" not in run.to_dict()


def test_a_sweep_varies_open_ends() -> None:
    runs = tw.sweep(
        {
            "machine": MACHINE,
            "program": {
                "name": "halo",
                "grid": [120, 60, 4],
                "width": 2,
                "processes": [8, 4],
                "ranks": 32,
            },
            "sweep": {"program.periodic": [[True, True], [False, False]]},
            "simulation": {"network": "analytic"},
        }
    )
    assert [int(count) for count in runs["messages"].values.ravel()] == [128, 104]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"periodic": [True]}, r"periodic = \[true\]: expected 2 "),
        ({"periodic": [1, 0]}, r"periodic = \[1, 0\]: expected a list of 2 of true and false"),
        ({"periodic": True}, "expected a list of 2 of true and false"),
        ({"corners": "no"}, 'corners = "no": expected true or false'),
        ({"process_grid": "best"}, 'process_grid = "best".*least_bytes, squarest'),
    ],
)
def test_wrong_shapes_are_refused(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        _run(**keys)


def test_a_halo_phase_takes_the_same_keys() -> None:
    phase = {"kind": "halo", "grid": [120, 60, 4], "width": 2}
    for keys in ({}, {"corners": False}, {"periodic": [False, True], "corners": False}):
        run = tw.simulate(
            {
                "machine": MACHINE,
                "program": {
                    "name": "phases",
                    "ranks": 32,
                    "processes": [8, 4],
                    "phase": [phase | keys],
                },
                "simulation": {"network": "analytic"},
            }
        )
        assert isinstance(run, tw.Run)
        assert run.counts["messages"] == _run(processes=[8, 4], **keys).counts["messages"]
