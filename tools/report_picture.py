"""Takes the picture of the report that a how-to page makes.

python tools/report_picture.py docs/howto/report.md docs/_static/report.png
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from browser import opened
from check_docs import blocks_of

_SHOWN = ("scaling", "path")
_LEAVE_OUT = """
    for (const figure of document.querySelectorAll("figure")) {
        if (!arguments[0].some((end) => figure.id.endsWith(end))) figure.remove();
    }"""


def take(page: Path, picture: Path) -> None:
    """Runs the first experiment of the page, and saves what a browser shows of some figures."""
    blocks = blocks_of(page.read_text(encoding="utf-8"))
    experiment = next(block for block in blocks if block.language == "toml")
    with tempfile.TemporaryDirectory() as folder:
        given, results = Path(folder) / experiment.name, Path(folder) / "results"
        given.write_text(experiment.text, encoding="utf-8")
        tradewind = [sys.executable, "-m", "tradewind"]
        subprocess.run([*tradewind, "simulate", given, "-o", results], check=True)
        subprocess.run([*tradewind, "report", results], check=True)
        with opened(results / "report.html", 1000, 2300) as driver:
            driver.execute_script(_LEAVE_OUT, _SHOWN)
            if not driver.get_screenshot_as_file(str(picture)):
                raise OSError(f"{picture}: cannot be written")


if __name__ == "__main__":
    take(Path(sys.argv[1]), Path(sys.argv[2]))
