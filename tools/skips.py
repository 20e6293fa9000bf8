"""Says which skipped tests are failures: before a merge, all that tests/skips.txt does not name.

.ci/run sets the variable TRADEWIND_REFUSE_SKIPS. Elsewhere a machine may lack a browser, SimGrid,
a Fortran compiler or MPI, and tests that need them are skipped.
"""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "TRADEWIND_REFUSE_SKIPS"
ROOT = Path(__file__).resolve().parents[1]
ALLOWED = ROOT / "tests" / "skips.txt"


def read_allowed() -> dict[str, str]:
    """Returns the reasons by the names of tests that may be skipped.

    Raises:
        ValueError: If a line is not `NAME: REASON`.
    """
    allowed = {}
    for line in ALLOWED.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, _, reason = line.partition(": ")
        if not name.strip() or not reason.strip():
            raise ValueError(f"{ALLOWED}: {line!r}: expected NAME: REASON")
        allowed[name.strip()] = reason.strip()
    return allowed


def refusal(test: str | Path, why: str) -> str:
    """Returns why the skip of a test is a failure; empty if it is none.

    Args:
        test: The test as pytest names it, or the path of an example or of a page. A name in the
            list also stands for its parameters and for all tests of a file.
        why: What the test says is missing.
    """
    if not os.environ.get(VARIABLE):
        return ""
    name = str(test)
    if isinstance(test, Path) and test.resolve().is_relative_to(ROOT):
        name = str(test.resolve().relative_to(ROOT))
    for allowed in read_allowed():
        if name == allowed or name.startswith((f"{allowed}[", f"{allowed}::")):
            return ""
    return f"{name} is skipped ({why}): {VARIABLE} is set and {ALLOWED.name} does not name it"
