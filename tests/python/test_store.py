from __future__ import annotations

import errno
import json
import os
import resource
import signal
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tradewind.config.experiment import Experiment, Member
from tradewind.errors import Error
from tradewind.files import write_atomically, write_text
from tradewind.results.run_result import COUNTS
from tradewind.runs.store import RunStore

RESULT: dict[str, Any] = {
    "time_s": 1.5,
    "wall_s": 0.25,
    "cpu_s": 0.5,
    "peak_rss_bytes": 4096,
    **dict.fromkeys(COUNTS, 3),
    "hash": "0123456789abcdef",
    "delay": {
        "count": 3,
        **dict.fromkeys(("min_s", "median_s", "p99_s", "mean_s", "max_s"), 0.5),
        "edges_s": np.array([0.0, 1.0, np.inf]),
        "counts": np.array([1, 2]),
    },
    "links": {
        "mean": 0.25,
        "max": 0.5,
        "histogram_edges": np.array([0.0, 1.0]),
        "histogram": np.array([2]),
        "classes": [],
    },
    "phases": [{"name": "xz", "start_s": 0.0, "end_s": 1.0, "mean_s": 0.5}],
    "timeline": {"source": np.arange(4)},
}


@pytest.fixture
def member(small: dict[str, Any]) -> Member:
    return Experiment.load(small).members()[0]


def test_a_finished_run_is_read_back_as_it_was(tmp_path: Path, member: Member) -> None:
    store = RunStore(tmp_path)
    store.save(member, RESULT, "1.0")
    run = store.load(member, "1.0")
    assert run is not None
    assert run.time_s == 1.5
    assert run.raw["phases"] == RESULT["phases"]
    np.testing.assert_array_equal(run.raw["delay"]["edges_s"], RESULT["delay"]["edges_s"])
    np.testing.assert_array_equal(run.raw["timeline"]["source"], np.arange(4))


def test_nothing_is_found_in_an_empty_folder(tmp_path: Path, member: Member) -> None:
    assert RunStore(tmp_path).load(member, "1.0") is None


def test_a_run_of_another_version_does_not_count(tmp_path: Path, member: Member) -> None:
    store = RunStore(tmp_path)
    store.save(member, RESULT, "1.0")
    assert store.load(member, "1.1") is None


def test_a_failed_run_does_not_count_as_finished(tmp_path: Path, member: Member) -> None:
    store = RunStore(tmp_path)
    store.save_failure(member, {"kind": "DeadlockError", "message": "rank 3 waits"}, "1.0")
    assert store.load(member, "1.0") is None
    assert "rank 3 waits" in (tmp_path / f"{member.key}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "damage",
    [
        "cut",
        "other settings",
        "no settings",
        "result",
        "no result",
        "arrays",
        "no arrays",
        "garbage",
    ],
)
def test_a_damaged_run_does_not_count(tmp_path: Path, member: Member, damage: str) -> None:
    store = RunStore(tmp_path)
    store.save(member, RESULT, "1.0")
    record, arrays = tmp_path / f"{member.key}.json", tmp_path / f"{member.key}.npz"
    text = record.read_text(encoding="utf-8")
    if damage == "cut":
        record.write_text(text[: len(text) // 2], encoding="utf-8")
    elif damage == "other settings":
        changed = json.loads(text)
        changed["spec"]["program"]["ranks"] = 16
        record.write_text(json.dumps(changed), encoding="utf-8")
    elif damage == "no settings":
        record.write_text(json.dumps(json.loads(text) | {"spec": {"program": 3}}), encoding="utf-8")
    elif damage == "result":
        changed = json.loads(text)
        changed["result"]["time_s"] = "soon"
        record.write_text(json.dumps(changed), encoding="utf-8")
    elif damage == "no result":
        record.write_text(json.dumps(json.loads(text) | {"result": None}), encoding="utf-8")
    elif damage == "arrays":
        arrays.write_bytes(arrays.read_bytes()[:-1] + b"x")
    elif damage == "no arrays":
        arrays.unlink()
    else:
        record.write_text("[]", encoding="utf-8")
    assert store.load(member, "1.0") is None


def test_a_write_that_fails_half_way_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "result"
    write_text(path, "old")

    def fail(file: Any) -> None:
        file.write(b"new")
        raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        write_atomically(path, fail)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_a_clear_error_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "result"
    write_text(path, "old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(Error, match=r"cannot be written: .* free\); what was there is intact"):
            write_text(path, "new" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("is_there", [True, False], ids=["file", "no file"])
def test_a_symbolic_link_stays_and_its_file_is_written(tmp_path: Path, is_there: bool) -> None:
    file, link = tmp_path / "other" / "result", tmp_path / "link"
    file.parent.mkdir()
    if is_there:
        file.write_text("old", encoding="utf-8")
    link.symlink_to(file)
    write_text(link, "new")
    assert link.is_symlink()
    assert file.read_text(encoding="utf-8") == "new"
    assert sorted(tmp_path.rglob("*")) == sorted([file.parent, file, link])


def test_links_in_a_circle_are_a_clear_error(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.symlink_to(second)
    second.symlink_to(first)
    with pytest.raises(Error, match=os.strerror(errno.ELOOP)):
        write_text(first, "text")


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor() as pool:
        read = pool.submit(pipe.read_bytes)
        write_text(pipe, "text" * 100_000)
        assert read.result() == b"text" * 100_000
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_full_device_stays_one_and_is_a_clear_error(tmp_path: Path) -> None:
    device = tmp_path / "full"
    try:
        os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 7))
        device.open("wb").close()
    except PermissionError:
        pytest.skip("only root may make devices")
    with pytest.raises(Error, match=rf"full: cannot be written: {os.strerror(errno.ENOSPC)}$"):
        write_text(device, "text")
    assert stat.S_ISCHR(device.stat().st_mode)
    assert list(tmp_path.iterdir()) == [device]


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(Error, match=r"cannot be written: (Not a directory|File exists)"):
        write_text(tmp_path / "file" / "result", "text")
