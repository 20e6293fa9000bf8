"""Hooks of pytest that turn a skip into a failure where skips are refused (tools/skips.py)."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

import skips


def _refuse(report: pytest.TestReport | pytest.CollectReport) -> None:
    if not report.skipped or hasattr(report, "wasxfail"):
        return
    why = report.longrepr[-1] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    refusal = skips.refusal(report.nodeid, why.removeprefix("Skipped: "))
    if refusal:
        report.outcome = "failed"
        report.longrepr = refusal


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    report = yield
    _refuse(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    report = yield
    _refuse(report)
    return report
