"""The origin of a run: when it was simulated, and on which processor."""

from __future__ import annotations

import platform
from datetime import UTC, datetime

from tradewind.core import RawRun
from tradewind.host import processor_name, usable_cores


def stamped(raw: RawRun) -> RawRun:
    """Adds date, host and processor to a result that was made just now by this process.

    Args:
        raw: The result of the core, which is changed.
    """
    raw["origin"] = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "host": platform.node(),
        "processor": processor_name(),
        "cores": usable_cores(),
    }
    return raw
