"""One simulation of Tradewind in this process: reads a spec from a JSON file, prints what it took."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tradewind import core


def main(path: str) -> None:
    """Prints time, costs and traffic as JSON."""
    result = dict(core.load().simulate(json.loads(Path(path).read_text(encoding="utf-8"))))
    kept = ("time_s", "wall_s", "peak_rss_bytes", "messages", "packet_hops", "hash")
    print(json.dumps({key: result[key] for key in kept}))


if __name__ == "__main__":
    main(sys.argv[1])
