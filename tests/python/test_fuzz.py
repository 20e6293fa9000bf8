"""The fuzzer finds what it is there for, and makes the same input of the same numbers."""

from __future__ import annotations

import faulthandler
import json
import os
import random
import signal
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import fuzz
import fuzz_kinds
import fuzz_process
from fuzz_mutations import mutate_binary, mutate_text, toml_text
from tradewind import cli, tuning

Main = Callable[[list[str]], int]


def _crash(arguments: list[str]) -> int:
    # The report of a crash that is meant would look like a failure in the output of the tests.
    faulthandler.disable()
    os.kill(os.getpid(), signal.SIGSEGV)
    return 0


def _raise(arguments: list[str]) -> int:
    raise IndexError(arguments[0])


def _loop(arguments: list[str]) -> int:
    while True:
        pass


def _grow(arguments: list[str]) -> int:
    kept = []
    while True:
        kept.append(bytearray(os.urandom(2**16)) * 16)


def _complain(arguments: list[str]) -> int:
    return cli.fail("ConfigError", "wrong", 2, as_json=False)


ENDINGS: dict[str, tuple[Main, bool, str | None]] = {
    "accepted": (lambda arguments: 0, False, None),
    "refused": (_complain, True, None),
    "accepted wrongly": (lambda arguments: 0, True, "exit status 0 for an input that must be"),
    "silent": (lambda arguments: 2, False, "an error that is not told"),
    "other status": (lambda arguments: 77, False, "exit status 77"),
    "crash": (_crash, False, "ended by SIGSEGV"),
    "traceback": (_raise, False, "traceback"),
    "hang": (_loop, False, "hang"),
    "memory": (_grow, False, "memory that was not foretold"),
}


@pytest.mark.parametrize(("main", "must_fail", "fault"), ENDINGS.values(), ids=ENDINGS.keys())
def test_every_way_to_end_is_judged(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    main: Main,
    must_fail: bool,
    fault: str | None,
) -> None:
    monkeypatch.setattr(cli, "main", main)
    monkeypatch.setattr(fuzz_process, "CPU_LIMIT_S", 1 if main is _loop else 40)
    monkeypatch.setattr(fuzz_process, "RESIDENT_LIMIT", 2**30)
    found = fuzz_process.call(tmp_path, ["word"]).fault(must_fail=must_fail)
    assert (found or "").startswith(fault) if fault else found is None


def test_wrong_input_must_be_refused_with_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "main", _complain)
    refused = fuzz_process.call(tmp_path, ["word"])
    assert refused.names_one_of(["wrong"]) and not refused.names_one_of(["case.toml", "results"])
    assert fuzz_process.Ending(0, "").names_one_of([])
    (tmp_path / "scratch").mkdir()
    known = {"helmholtz": fuzz_kinds.kinds()["helmholtz"]}
    campaign = fuzz.Campaign(9, known, tmp_path / "scratch", tmp_path / "kept")
    campaign.try_input(4)
    assert campaign.faults == ["an error without its file"]


def test_a_fault_is_kept_with_the_command_that_repeats_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "main", _raise)
    (tmp_path / "scratch").mkdir()
    known = {"helmholtz": fuzz_kinds.kinds()["helmholtz"]}
    campaign = fuzz.Campaign(9, known, tmp_path / "scratch", tmp_path / "kept")
    campaign.try_input(4)
    assert campaign.faults == ["traceback"]
    assert (tmp_path / "kept" / "9-4-helmholtz" / "case.toml").is_file()
    told = capsys.readouterr().out
    assert "IndexError: run" in told
    assert "tools/fuzz.py --seed 9 --first 4 --count 1 --kind helmholtz" in told


def test_the_same_number_gives_the_same_input(tmp_path: Path) -> None:
    for name in ("experiment", "machine", "pstswm", "study", "claims", "tuning"):
        made = []
        for turn in ("a", "b"):
            folder = tmp_path / name / turn
            folder.mkdir(parents=True)
            made.append(fuzz_kinds.kinds()[name].make(folder, random.Random("1 17")))
        assert made[0] == made[1]


def test_damaged_texts_say_whether_they_can_be_read() -> None:
    content = b'[a]\nb = ["1 s", 2.5, true]\nc = { d = "\\u0000" }\n'
    unreadable = 0
    for number in range(2000):
        mutant = mutate_text(content, [content], "toml", random.Random(number), is_strict=False)
        try:
            tomllib.loads(mutant.content.decode())
        except (ValueError, RecursionError):
            unreadable += 1
            assert mutant.must_fail, mutant.story
    assert unreadable > 100


def test_a_damaged_text_does_not_depend_on_those_before_it() -> None:
    content = json.dumps({"a": [1, 2, [3]], "b": {"c": [4, {"d": "5 s"}]}}).encode()

    def damaged(seed: int) -> bytes:
        rng = random.Random(seed)
        return mutate_text(content, [content], "json", rng, is_strict=False).content

    first = [damaged(seed) for seed in range(2000)]
    assert [damaged(seed) for seed in range(2000)] == first


def test_trees_are_written_as_they_are_read() -> None:
    tree = {"a b": [1, 2.5, {"c": "\0\n\x7f\U0001f600", "d": float("inf")}], "e": {}, "f": True}
    assert tomllib.loads(toml_text(tree)) == tree


def test_binary_files_change() -> None:
    content = bytes(range(256))
    changed = [mutate_binary(content, random.Random(n)).content != content for n in range(100)]
    assert sum(changed) > 90


def test_undamaged_inputs_are_accepted(tmp_path: Path) -> None:
    """Makes sure that commands refuse the damage, not the undamaged input."""
    path = tmp_path / "tuning.json"
    path.write_text(json.dumps(fuzz_kinds.TUNING), encoding="utf-8")
    assert len(tuning.load_tuning(path).entries) == 2
    (tmp_path / "case.toml").write_text(fuzz_kinds.HELMHOLTZ, encoding="utf-8")
    assert cli.main(["run", "helmholtz", str(tmp_path / "case.toml"), "--json"]) == 0
    (tmp_path / "waves.toml").write_text(fuzz_kinds.WAVES, encoding="utf-8")
    mesh = ["mesh", "generate", "--cells", "42", "--lloyd", "0", "-o", str(tmp_path / "mesh.nc")]
    assert cli.main(mesh) == 0
    assert cli.main(["run", "fvwam", str(tmp_path / "waves.toml"), "--json"]) == 0
