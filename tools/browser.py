"""A headless Chromium that shows a report, for its test and for the picture of it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

_READY_S = 90.0
_ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars")


class NoBrowserError(Exception):
    """A program that is missing on this machine."""


def _needed() -> tuple[str, str]:
    """Paths of browser and driver."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        raise NoBrowserError("needs chromium and chromedriver (Debian: chromium, chromium-driver)")
    return browser, driver


@contextmanager
def opened(page: Path, width: int = 1280, height: int = 1000) -> Iterator[Chrome]:
    """Shows a page without a window, and gives the driver once its script has ended.

    Raises:
        NoBrowserError: If browser, driver or selenium is missing.
    """
    browser, service = _needed()
    try:
        from selenium import webdriver
    except ImportError:
        raise NoBrowserError('needs selenium: pip install "tradewind[dev]"') from None
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in (*_ARGUMENTS, f"--window-size={width},{height}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(service))
    try:
        driver.get(page.resolve().as_uri())
        wait(driver, "return document.documentElement.dataset.ready")
        yield driver
    finally:
        driver.quit()


def wait(driver: Chrome, script: str) -> Any:
    """The value of a script as soon as it is true.

    Raises:
        TimeoutError: If it never is.
    """
    end = time.monotonic() + _READY_S
    while not (value := driver.execute_script(script)):
        if time.monotonic() > end:
            raise TimeoutError(f"never true: {script}")
        time.sleep(0.1)
    return value
