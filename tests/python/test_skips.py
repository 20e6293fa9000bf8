"""Skipped tests fail where skips are refused, unless the list names them with a reason."""

from __future__ import annotations

from pathlib import Path

import conftest
import pytest
import skip_hooks

import check_examples
import skips

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
CONFTEST = "from skip_hooks import *"
TESTS = """
    import pytest

    @pytest.mark.skip(reason="no moon")
    def test_by_mark():
        pass

    @pytest.mark.parametrize("n", [1, 2])
    def test_in_the_body(n):
        pytest.skip("no sun")

    @pytest.mark.xfail(reason="known")
    def test_that_is_expected_to_fail():
        assert False

    def test_that_passes():
        pass
"""
MODULE = """
    import pytest

    pytest.importorskip("no_such_module_anywhere")

    def test_one():
        pass
"""


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Refuses skips, with a list of its own."""
    path = tmp_path / "list.txt"
    path.write_text("# nothing yet\n", encoding="utf-8")
    monkeypatch.setenv(skips.VARIABLE, "1")
    monkeypatch.setattr(skips, "ALLOWED", path)
    return path


@pytest.fixture
def inner(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeconftest(CONFTEST)
    return pytester


def test_a_skip_outside_the_list_fails(inner: pytest.Pytester, listed: Path) -> None:
    inner.makepyfile(test_inner=TESTS)
    result = inner.runpytest_inprocess("-p", "no:xdist")
    result.assert_outcomes(passed=1, xfailed=1, errors=1, failed=2)
    result.stdout.fnmatch_lines(["test_inner.py::test_by_mark is skipped (no moon): *"])


def test_a_listed_skip_passes(inner: pytest.Pytester, listed: Path) -> None:
    inner.makepyfile(test_inner=TESTS)
    names = ["test_inner.py::test_by_mark", "test_inner.py::test_in_the_body"]
    listed.write_text("".join(f"{name}: dark\n" for name in names), encoding="utf-8")
    result = inner.runpytest_inprocess("-p", "no:xdist")
    result.assert_outcomes(passed=1, xfailed=1, skipped=3)


def test_a_module_that_lacks_a_package_fails(inner: pytest.Pytester, listed: Path) -> None:
    inner.makepyfile(test_inner=MODULE)
    inner.runpytest_inprocess("-p", "no:xdist").assert_outcomes(errors=1)
    listed.write_text("test_inner.py: no such module\n", encoding="utf-8")
    inner.runpytest_inprocess("-p", "no:xdist").assert_outcomes(skipped=1)


def test_skips_are_allowed_by_hand(
    inner: pytest.Pytester, listed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(skips.VARIABLE)
    inner.makepyfile(test_inner=TESTS)
    inner.runpytest_inprocess("-p", "no:xdist").assert_outcomes(passed=1, xfailed=1, skipped=3)


def test_all_tests_run_with_the_hooks() -> None:
    hooks = [name for name in vars(skip_hooks) if name.startswith("pytest_")]
    assert len(hooks) == 2
    for name in hooks:
        assert getattr(conftest, name) is getattr(skip_hooks, name)


def test_a_skipped_example_fails_too(
    tmp_path: Path,
    listed: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(check_examples, "why_skipped", lambda path: "no moon")
    (tmp_path / "one.sh").write_text("echo 1\n", encoding="utf-8")
    assert check_examples.check_all([tmp_path / "one.sh"]) == (1, 1)
    assert "is skipped (no moon)" in capsys.readouterr().out
    listed.write_text(f"{tmp_path}/one.sh: dark\n", encoding="utf-8")
    assert check_examples.check_all([tmp_path / "one.sh"]) == (0, 0)


def test_a_name_without_a_reason_is_refused(listed: Path) -> None:
    listed.write_text("test_inner.py::test_by_mark\n", encoding="utf-8")
    with pytest.raises(ValueError, match="expected NAME: REASON"):
        skips.read_allowed()


def test_the_list_names_files_that_exist() -> None:
    for name in skips.read_allowed():
        path = ROOT / name.partition("::")[0]
        assert path.is_file() or name.startswith("mpi"), name
