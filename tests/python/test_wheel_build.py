"""Which build a wheel to pass on is made from."""

from __future__ import annotations

from pathlib import Path

import pytest

import check_wheel
import snippets

PLAIN = """CMAKE_BUILD_TYPE:STRING=Release
CMAKE_CXX_FLAGS:STRING=
TRADEWIND_MPI:STRING=auto
TRADEWIND_NATIVE:BOOL=OFF
TRADEWIND_SANITIZE:STRING=
"""


@pytest.mark.parametrize(
    ("chosen", "origin", "is_used"),
    [
        (("", ""), "wheel", True),
        (("", ""), "system", False),
        (("", ""), "", False),
        (("NATIVE:BOOL=OFF", "NATIVE:BOOL=ON"), "wheel", False),
        (("FLAGS:STRING=", "FLAGS:STRING=-march=native"), "wheel", False),
        (("MPI:STRING=auto", "MPI:STRING=/usr/bin/mpicxx"), "wheel", False),
        (("Release", "Debug"), "wheel", False),
    ],
)
def test_a_wheel_is_made_from_a_build_that_others_can_use(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    chosen: tuple[str, str],
    origin: str,
    is_used: bool,
) -> None:
    (tmp_path / "CMakeCache.txt").write_text(PLAIN.replace(*chosen), encoding="utf-8")
    monkeypatch.setattr(snippets, "BUILD", tmp_path)
    monkeypatch.setattr(check_wheel, "mpi_origin", lambda: origin)
    assert (f"build-dir={tmp_path}" in check_wheel.settings()) is is_used
    assert ("cmake.define.TRADEWIND_MPI=wheel" in check_wheel.settings()) is not is_used


def test_without_a_build_the_wheel_has_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snippets, "BUILD", tmp_path)
    assert f"build-dir={check_wheel.BUILD}" in check_wheel.settings()
