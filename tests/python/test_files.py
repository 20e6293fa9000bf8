"""Every file that a user hands in is refused in one line if it cannot be read, whatever is in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tradewind.cli import main
from tradewind.config import places
from tradewind.config.experiment import Experiment
from tradewind.config.machine import load_machine
from tradewind.config.overrides import parse_assignments, path_of
from tradewind.config.tuning_file import load_tuning
from tradewind.errors import ConfigError
from tradewind.files import DEEPEST, DEEPEST_JSON, load_json, load_toml
from tradewind.models.case import Case
from tradewind.models.run import plan
from tradewind.runs.limits import check_runs
from tradewind.studies import load_study

DEEP_ARRAY = "deep = " + "[" * 5000 + "]" * 5000 + "\n"
DEEP_KEY = ".".join("a" * 1500) + " = 1\n"
SURROGATE = '{"format": "\\ud800"}'


def _study(path: Path) -> object:
    (path.parent / "study.toml").write_bytes(path.read_bytes())
    return load_study(path.parent)


def _claims(path: Path) -> object:
    study = '[study]\ntitle = "t"\nsource = "s"\n'
    (path.parent / "study.toml").write_text(study, encoding="utf-8")
    (path.parent / "claims.toml").write_bytes(path.read_bytes())
    return load_study(path.parent)


READERS: dict[str, Callable[[Path], object]] = {
    "experiment": Experiment.load,
    "machine": load_machine,
    "pstswm": lambda path: Case.load("pstswm", path),
    "semi_lagrangian": lambda path: Case.load("semi_lagrangian", path),
    "helmholtz": lambda path: Case.load("helmholtz", path),
    "study": _study,
    "claims": _claims,
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS.keys())
@pytest.mark.parametrize(
    ("content", "told"),
    [
        (DEEP_ARRAY, "nested more than"),
        (DEEP_KEY, "nested more than"),
        ("a = " + "{b = " * 3000 + "1" + "}" * 3000, "nested more than"),
        ("number = " + "9" * 5000, "not a TOML file"),
    ],
    ids=["arrays", "keys", "tables", "long number"],
)
def test_toml_that_is_no_use_is_refused_in_one_line(
    tmp_path: Path, reader: Callable[[Path], object], content: str, told: str
) -> None:
    path = tmp_path / "given.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=told) as caught:
        reader(path)
    assert str(caught.value).startswith(str(tmp_path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", ["[" * 100_000, '{"a":' * 2000, SURROGATE, "9" * 5000, "\0"])
def test_json_that_is_no_use_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tuning.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_tuning(path)
    assert str(caught.value).startswith(str(path))
    str(caught.value).encode()


def test_nesting_is_accepted_up_to_its_limit(tmp_path: Path) -> None:
    for load, deepest, name in (
        (load_toml, DEEPEST - 1, "value = "),
        (load_json, DEEPEST_JSON, ""),
    ):
        path = tmp_path / load.__name__
        path.write_text(name + "[" * deepest + "]" * deepest, encoding="utf-8")
        assert load(path)
        path.write_text(name + "[" * (deepest + 1) + "]" * (deepest + 1), encoding="utf-8")
        with pytest.raises(ConfigError, match="nested more than"):
            load(path)


def test_every_shipped_file_is_far_from_the_limit() -> None:
    def depth(value: Any) -> int:
        inner = value.values() if isinstance(value, dict) else value
        return 1 + max(map(depth, inner), default=0) if isinstance(value, dict | list) else 0

    files = [path for folder in places.study_folders().values() for path in folder.glob("*.toml")]
    files += places.machine_files().values()
    assert len(files) > 20
    assert max(depth(load_toml(path)) for path in files) <= DEEPEST // 4


def test_deep_values_from_the_command_line_and_from_python_are_refused(
    small: dict[str, Any],
) -> None:
    with pytest.raises(ConfigError, match=r"--set program.ranks: .*nested"):
        parse_assignments(["program.ranks=" + "[" * 5000 + "]" * 5000])
    with pytest.raises(ConfigError, match="parts of a key"):
        path_of(".".join("a" * 5000))
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(ConfigError, match=r"experiment: .*nested"):
        Experiment.load(small | {"program": {"grid": deep}})
    with pytest.raises(ConfigError, match="parts of a key"):
        experiment = Experiment.load(small, {"sweep": {"program." + "a." * 5000: [1, 2]}})
        check_runs(experiment.members(), experiment.source)


def test_a_value_that_is_no_toml_is_a_text() -> None:
    assert parse_assignments(["a=torus-m", "b = [1, 2]", "c=1\nd=2"]) == {
        "a": "torus-m",
        "b": [1, 2],
        "c": "1\nd=2",
    }


def test_a_byte_order_mark_before_a_file_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "marked.toml"
    path.write_bytes(b"\xef\xbb\xbf[machine]\nname = 'laptop'\n")
    assert load_toml(path) == {"machine": {"name": "laptop"}}


def test_a_file_without_an_end_is_refused() -> None:
    with pytest.raises(ConfigError, match="/dev/zero: is larger than 256 MiB"):
        load_toml(Path("/dev/zero"))


@pytest.mark.parametrize(
    "words", [["simulate"], ["reproduce"], ["report"], ["plot"], ["run", "helmholtz"]]
)
def test_a_name_that_is_too_long_for_the_system_is_told_in_one_line(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "x" * 5000]) in (1, 2)
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert "x" * 300 not in told


def test_errors_of_the_core_in_a_case_name_its_file_and_table(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[helmholtz]\ngrid = [8, 8, 8]\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        plan(Case.load("helmholtz", path), 5000)
    assert str(caught.value).startswith(f"{path}: [helmholtz]: ")
