"""The results as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    right = ["---", "---", *["---:"] * (len(head) - 2)]
    lines = [head, right, *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _microseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1e6:.2f}"


def _deviation(time_s: float | None, expected_s: float) -> str:
    if time_s is None:
        return ""
    percent = 100.0 * (time_s / expected_s - 1.0)
    return f"{_microseconds(time_s)} ({percent:+.3f} %)"


def free_table(rows: Sequence[Row]) -> str:
    """Cases without congestion: times in microseconds and their deviation from the formula."""
    head = [
        "case",
        "network",
        "formula",
        "Tradewind",
        "SMPI",
        "same algorithm on SMPI",
        "LogGOPSim",
    ]
    with_sstmacro = any("sstmacro" in row["times"] for row in rows)
    if with_sstmacro:
        head.append("SST/macro")
    body = []
    for row in rows:
        times, expected = row["times"], row["expected"]
        cells = [row["case"], row["network"], _microseconds(expected["tradewind"])]
        cells += [_deviation(times["tradewind"], expected["tradewind"])]
        cells += [_deviation(times.get(key), expected["smpi"]) for key in ("smpi", "smpi_library")]
        cells += [_deviation(times.get("loggopsim"), expected["loggopsim"])]
        if with_sstmacro:
            cells += [_deviation(times.get("sstmacro"), expected["sstmacro"])]
        body.append(cells)
    return _table(head, body)


def _columns(rows: Sequence[Row], columns: Mapping[str, str]) -> str:
    """Times in microseconds, a column for each simulator."""
    body = []
    for row in rows:
        times = row["times"] | {"loggp": row["expected"]["tradewind"]}
        cells = [_microseconds(times.get(key)) for key in columns]
        body.append([row["case"], row["network"], *cells])
    return _table(["case", "network", *columns.values()], body)


CONGESTED = {
    "loggp": "LogGP",
    "tradewind": "Tradewind",
    "smpi": "SMPI",
    "smpi_library": "same algorithm on SMPI",
}
CAUSES = {
    "tradewind": "Tradewind",
    "tradewind_unbounded": "buffers without limit",
    "tradewind_first_come": "first come, first served",
    "tradewind_small_packets": "packets of 256 B",
    "smpi": "SMPI",
    "tradewind_equal": "equal latencies: Tradewind",
    "smpi_equal": "equal latencies: SMPI",
}
SSTMACRO = {
    "loggp": "LogGP",
    "tradewind": "Tradewind",
    "tradewind_first_come": "first come, first served",
    "sstmacro": "SST/macro",
    "tradewind_unbounded": "buffers without limit: Tradewind",
    "sstmacro_unbounded": "buffers without limit: SST/macro",
    "sstmacro_copies": "unexpected messages are copied: SST/macro",
}
ROUTING = {
    "tradewind": "Tradewind",
    "sstmacro": "SST/macro",
    "sstmacro_simple": "`simple` arbitrator",
    "sstmacro_small_buffers": "32 KiB for all channels of a port",
    "sstmacro_simple_small_buffers": "both",
}


_NAMES = {
    "tradewind": "Tradewind, packets",
    "tradewind_analytic": "Tradewind, analytic",
    "smpi": "SMPI",
    "smpi_library": "SMPI, Tradewind's algorithms",
    "loggopsim": "LogGOPSim",
    "sstmacro": "SST/macro",
}


def routing_table(rows: Sequence[Row]) -> str:
    """A line for each routing rule."""
    body = []
    for row in rows:
        times = row["times"]
        body.append([row["routing"], row["case"], *(_microseconds(times[key]) for key in ROUTING)])
    return _table(["routing", "case", *ROUTING.values()], body)


def mechanism_table(rows: Sequence[Row]) -> str:
    """Times of one mechanism, with a column for each setting that some row has."""
    columns = {"loggp": "LogGP", "closed_form": "closed form"}
    columns |= {key: _setting(key) for key in rows[0]["times"]}
    body = []
    for row in rows:
        lower = {"loggp": row["expected"]["tradewind"], "closed_form": row["closed_form"]}
        times = row["times"] | lower
        name = ", ".join(part for part in (row["case"], row["label"]) if part)
        body.append([name, row["network"], *(_microseconds(times[key]) for key in columns)])
    used = [0, 1, *(i for i in range(2, len(columns) + 2) if any(line[i] for line in body))]
    head = ["case", "network", *columns.values()]
    return _table([head[i] for i in used], [[line[i] for i in used] for line in body])


def _setting(key: str) -> str:
    """The origin of a time of a mechanism: the simulator, and its setting in words."""
    simulator, _, setting = key.partition("_")
    name = {"tradewind": "Tradewind", "smpi": "SMPI", "sstmacro": "SST/macro"}[simulator]
    return f"{name}: {setting.replace('_', ' ')}" if setting else name


def cost_table(rows: Sequence[Row]) -> str:
    """Costs: one line for each simulator and number of ranks."""
    head = [
        "ranks",
        "simulator",
        "messages",
        "processor, s",
        "wall, s",
        "of it simulating, s",
        "peak, MB",
    ]
    body = []
    for row in rows:
        for key, cost in row["costs"].items():
            cells = [str(row["ranks"]), _NAMES[key], f"{row['messages']:.0f}"]
            cells += [f"{cost[key]:.2f}" for key in ("cpu_s", "wall_s", "simulation_s")]
            body.append([*cells, f"{cost['peak_bytes'] / 1e6:.0f}"])
    return _table(head, body)


def markdown(report: Row) -> str:
    """All tables of a report."""
    free = [row for row in report["times"] if not row["congested"]]
    congested = [row for row in report["times"] if row["congested"]]
    parts = [f"# Tradewind beside {', '.join(report['peers'])}\n"]
    parts.append("Simulated times in microseconds.\n")
    if free:
        parts.append("## Without congestion\n\n" + free_table(free))
    if congested:
        parts.append("## Under congestion\n\n" + _columns(congested, CONGESTED))
        parts.append("## What decides\n\n" + _columns(congested, CAUSES))
    if report.get("sstmacro"):
        parts.append("## SST/macro\n\n" + _columns(report["sstmacro"], SSTMACRO))
        parts.append("## Routing rules\n\n" + routing_table(report["routing"]))
    for title, rows in report.get("mechanisms", {}).items():
        parts.append(f"## {title}\n\n" + mechanism_table(rows))
    if report["costs"]:
        parts.append("## Costs\n\n" + cost_table(report["costs"]))
    return "\n".join(parts)
