"""A headless Chromium for the test of the report, where there is one."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_READY_S = 90.0


def _needed() -> tuple[str, str]:
    """Paths of browser and driver; skips the test that asks if one is missing."""
    pytest.importorskip("selenium", reason="needs selenium, part of the extra dev")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("needs chromium and chromedriver (Debian: chromium, chromium-driver)")
    return browser, driver


@contextmanager
def opened(page: Path, width: int = 1280) -> Iterator[Any]:
    """Shows a page without a window; the driver of selenium is given once the page is ready."""
    browser, service = _needed()
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    options.add_argument(f"--window-size={width},1000")
    options.add_argument("--hide-scrollbars")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(service))
    try:
        driver.get(page.resolve().as_uri())
        wait(driver, "return document.documentElement.dataset.ready")
        yield driver
    finally:
        driver.quit()


def wait(driver: Any, script: str) -> Any:
    """The value of a script as soon as it is true."""
    end = time.monotonic() + _READY_S
    while not (value := driver.execute_script(script)):
        assert time.monotonic() < end, f"never true: {script}"
        time.sleep(0.1)
    return value
