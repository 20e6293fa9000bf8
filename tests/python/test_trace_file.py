"""Files of traces: what is written is read again, and whatever is wrong with one is told in a line."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from trace_cases import Recording, every_call, halo

import fuzz_traces
import tradewind as tw
from tradewind import core
from tradewind.cache import cleaned_note
from tradewind.cli import main
from tradewind.errors import TraceError
from tradewind.trace_file import VERSION, facts_file, read_facts, read_trace, unpack, write_trace

_MUTATIONS = 300


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def _rewritten(source: Path, target: Path, facts: Any) -> Path:
    """Copies a trace with other facts."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, json.dumps(facts) if name == "trace.json" else content)
    return target


def test_a_trace_is_read_as_it_was_written(tmp_path: Path) -> None:
    recording = halo(3, 20)
    arrays = recording.arrays()
    write_trace(tmp_path / "a.trace", arrays, {"complete": False, "command": ["./model"]})
    trace = read_trace(tmp_path / "a.trace")
    assert trace.ranks == 9
    assert trace.facts["ranks"] == 9
    assert trace.facts["complete"] is False
    assert trace.facts["version"] == VERSION
    assert trace.strings == ("halo.f90:42", "halo.f90:48", "halo.f90:60", "solver.f90:212")
    for name in core.load().trace_arrays():
        np.testing.assert_array_equal(trace.arrays[name], arrays[name], err_msg=name)


def test_equal_traces_are_equal_files(tmp_path: Path) -> None:
    first = halo(2, 5).write(tmp_path / "a.trace").read_bytes()
    assert halo(2, 5).write(tmp_path / "b.trace").read_bytes() == first


def test_steps_that_repeat_hardly_enlarge_a_trace(tmp_path: Path) -> None:
    few = halo(4, 10).write(tmp_path / "few.trace").stat().st_size
    many = halo(4, 1000).write(tmp_path / "many.trace").stat().st_size
    assert many < few + 1000


def test_a_truncated_trace_is_refused(tmp_path: Path) -> None:
    whole = halo(2, 5).write(tmp_path / "whole.trace").read_bytes()
    cut = tmp_path / "cut.trace"
    for length in (2, 3, 100, len(whole) // 2, len(whole) - 30, len(whole) - 1):
        cut.write_bytes(whole[:length])
        with pytest.raises(TraceError, match=r"cut\.trace: is cut off: .*; copy the trace again"):
            read_trace(cut)


@pytest.mark.parametrize("content", [b"", b"hello\n", b"\0\1\2", b"{}", b"\x89HDF\r\n"])
def test_a_foreign_file_is_refused(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "foreign"
    file.write_bytes(content)
    assert main(["inspect", str(file)]) == 2
    told = capsys.readouterr().err
    what = "is no trace" if content else "is empty, and no trace"
    assert f"{what}: known are those of tradewind, GOAL, SimGrid and OTF2" in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("command", [["inspect"], ["extrapolate", "-o", "b.pattern"]])
@pytest.mark.parametrize(
    ("name", "content"),
    [("a.pattern", ""), ("a.pattern", "[pat"), ("a.toml", "# A\n[pattern]\nversion = 1\n")],
)
def test_a_pattern_in_the_place_of_a_trace_is_called_so(
    tmp_path: Path, command: list[str], name: str, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / name
    file.write_text(content)
    assert main([*command, str(file)]) == 2
    told = capsys.readouterr().err
    assert (
        f"{file}: is a pattern, no trace: it runs on any number of ranks as program.trace" in told
    )
    assert told.count("\n") == 1


def test_an_archive_of_something_else_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "numbers.npz", np.arange(3))
    with pytest.raises(TraceError, match=r"it has no trace\.json"):
        read_trace(tmp_path / "numbers.npz")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="No such file"):
        read_trace(tmp_path / "none.trace")


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ({"format": "tradewind-trace", "version": VERSION + 1, "ranks": 4}, "of version 2"),
        ({"format": "tradewind-trace", "version": VERSION}, "how many ranks"),
        ({"format": "tradewind-trace", "version": VERSION, "ranks": "4"}, "how many ranks"),
        ({"format": "other", "version": VERSION, "ranks": 4}, "no trace of tradewind"),
        ([], "no trace of tradewind"),
        (float("nan"), "damaged"),
    ],
)
def test_facts_that_do_not_fit_are_refused(tmp_path: Path, facts: Any, told: str) -> None:
    whole = halo(2, 5).write(tmp_path / "whole.trace")
    other = _rewritten(whole, tmp_path / "other.trace", facts)
    for read in (read_trace, read_facts):
        with pytest.raises(TraceError, match=told):
            read(other)


def test_a_missing_array_is_named(tmp_path: Path) -> None:
    whole = halo(2, 5).write(tmp_path / "whole.trace")
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(tmp_path / "less.trace", "w") as new:
        for name in old.namelist():
            if name != "inside.npy":
                new.writestr(name, old.read(name))
    with pytest.raises(TraceError, match=r"it has no inside\.npy"):
        read_trace(tmp_path / "less.trace")


def _survives(file: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> int:
    """Inspects and exports a damaged trace; returns 0 or 2, and faults are told in one line."""
    status = main(["inspect", str(file), "--json"])
    told = capsys.readouterr()
    assert status in (0, 2), told.err
    if status == 2:
        assert told.err.count("\n") == 1, told.err
    for name in ("goal", "perfetto"):
        exported = main(["inspect", str(file), "--export", name, str(out)])
        assert exported in (0, 2)
        told = capsys.readouterr()
        assert "Traceback" not in told.err
    return status


def test_mutations_of_a_file_crash_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    every_call(tmp_path / "whole.trace")
    whole = (tmp_path / "whole.trace").read_bytes()
    random = np.random.default_rng(1)
    refused = 0
    for seed in range(_MUTATIONS):
        content = bytearray(whole)
        for place in random.integers(0, len(content), 1 + seed % 4):
            content[place] = random.integers(0, 256)
        file = tmp_path / f"{seed}.trace"
        file.write_bytes(content)
        refused += _survives(file, tmp_path / "out", capsys) == 2
    assert refused > _MUTATIONS // 2


def test_mutations_of_arrays_crash_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    random = Random(2)
    refused = 0
    for seed in range(_MUTATIONS):
        file = tmp_path / f"{seed}.trace"
        fuzz_traces.write_damaged(file, random)
        refused += _survives(file, tmp_path / "out", capsys) == 2
    assert 0 < refused < _MUTATIONS


def test_mutations_begin_with_a_correct_program_of_all_calls(tmp_path: Path) -> None:
    write_trace(tmp_path / "whole.trace", fuzz_traces.every_call(), {"complete": True})
    trace = read_trace(tmp_path / "whole.trace")
    used = {trace.calls[number] for number in trace.arrays["events"].reshape(-1, 6)[:, 0].tolist()}
    assert used == set(trace.calls)
    program = {"name": "trace", "trace": str(tmp_path / "whole.trace")}
    run = tw.simulate({"machine": "laptop", "program": program})
    assert isinstance(run, tw.Run)
    assert run.counts["messages"] > 100


@pytest.mark.parametrize(
    ("array", "place", "value", "told"),
    [
        ("comm_group", 3, 0, None),
        ("group_ranks", 1, 0, "a rank is twice in group 0"),
        ("comm_group", 1, 2, "rank 0 has a communicator that it is not in"),
        ("events", 1, 2, "rank 0: init names communicator 2; it has 2"),
    ],
)
def test_communicators_that_do_not_fit_are_refused(
    tmp_path: Path, array: str, place: int, value: int, told: str | None
) -> None:
    arrays = halo(2, 3).arrays()
    arrays[array] = np.array(arrays[array])
    arrays[array][place] = value
    write_trace(tmp_path / "a.trace", arrays, {"complete": True})
    if told is None:
        assert read_trace(tmp_path / "a.trace").members(1, 1).tolist() == [0, 1, 2, 3]
        return
    with pytest.raises(TraceError, match=told):
        read_trace(tmp_path / "a.trace")


def test_loops_that_never_end_are_refused(tmp_path: Path) -> None:
    recording = Recording(1)
    for _ in range(4):
        recording.call(0, "barrier")
    arrays = recording.arrays()
    # 2^40 x (2^40 x (barrier))
    arrays["items"] = np.array([-(2**40), 2, -(2**40), 1, 0, 0])
    arrays["stream_first"] = np.array([0, 3])
    arrays["time_first"] = np.array([0, 3])
    for name in ("computed", "processor", "inside", "inside_min", "inside_max"):
        arrays[name] = np.zeros(3, np.int64)
    write_trace(tmp_path / "a.trace", arrays, {"complete": True})
    assert main(["inspect", str(tmp_path / "a.trace")]) == 2


def test_unpacked_traces_that_nobody_uses_are_forgotten(tmp_path: Path) -> None:
    files = [halo(2, steps).write(tmp_path / f"{steps}.trace") for steps in (3, 4, 5, 6)]
    first, second = (unpack(file) for file in files[:2])
    for file in (first, facts_file(first), second):
        os.utime(file, (0, 0))
    # To read it again is a use.
    read_trace(files[1])
    # The folder is searched once a day.
    unpack(files[2])
    assert first.exists()
    os.utime(cleaned_note(first.parent), (0, 0))
    unpack(files[3])
    assert not first.exists() and not facts_file(first).exists()
    assert second.exists()
    assert unpack(files[0]) == first and first.exists()
