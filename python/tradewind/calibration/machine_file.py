"""The text of a calibrated machine file, with where every number comes from."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tradewind.bench import Measurements
from tradewind.calibration.fit import Fit
from tradewind.calibration.local_work import LocalWork, fit_local_work
from tradewind.errors import ConfigError


@dataclass(frozen=True)
class Rates:
    """Speed of one rank while all others work as well.

    Args:
        memory: Bytes per second of the triad a = b + s c.
        kernels: Floating point operations per second of each kernel of a model.
        together: Rate of all those kernels one after the other; None without any.
        local: Costs of copies and sums; None where they were not measured.
    """

    memory: float
    kernels: Mapping[str, float]
    together: float | None
    local: LocalWork | None = None


def rates(kernels: Measurements, percentile: float) -> Rates:
    """Returns rates from a measurement of kernels.

    Raises:
        ConfigError: If it lacks the memory kernel.
    """
    models = [row for row in kernels.rows if "flops" in row.values]
    times = {row.name: row.percentile_s(percentile) for row in models}
    work = {row.name: row.values["flops"] for row in models if row.name != "stream"}
    if "stream" not in times:
        raise ConfigError("the measurement of kernels has no kernel stream")
    memory = next(r.values["memory_bytes"] for r in kernels.rows if r.name == "stream")
    return Rates(
        memory / times["stream"],
        {name: flops / times[name] for name, flops in work.items()},
        sum(work.values()) / sum(times[name] for name in work) if work else None,
        fit_local_work(kernels, percentile),
    )


@dataclass(frozen=True)
class Origin:
    """The origin of measurements.

    Args:
        library: Name and version of the MPI.
        ranks: Measured ranks.
        nodes: Nodes that they sat on.
        places: Ranks that one node takes: its cores, or as many as there were on each of several.
        processor: Its name.
        date: Date of the calibration.
    """

    library: str
    ranks: int
    nodes: int
    places: int
    processor: str
    date: str


def origin_of(pingpong: Measurements) -> Origin:
    """Returns the origin of measurements, with the processor of this machine."""
    places = pingpong.cores or os.cpu_count() or pingpong.ranks
    if pingpong.nodes > 1:
        places = max(pingpong.ranks // pingpong.nodes, 1)
    date = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")
    return Origin(pingpong.library, pingpong.ranks, pingpong.nodes, places, processor_name(), date)


def processor_name() -> str:
    """Returns the name of the processor of this machine."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def machine_text(fit: Fit, speed: Rates, origin: Origin, remarks: Sequence[str] = ()) -> str:
    """Writes the machine file.

    Args:
        fit: Costs of messages.
        speed: Rates of memory and computation.
        origin: Origin for title, source and comments.
        remarks: More comments at the top, such as the errors of the fit.

    Returns:
        TOML.
    """
    where = "one node" if fit.path == "node" else f"{origin.nodes} nodes"
    names = ", ".join(f"{name} {rate / 1e9:.3g}" for name, rate in speed.kernels.items())
    names = names or "not measured"
    head = [
        f"# Fitted by `tradewind calibrate` on {origin.date} to {origin.ranks} ranks on {where}.",
        f"# Processor: {origin.processor}. MPI: {origin.library}.",
        f"# Kernels, Gflop/s of one rank while all work: {names}.",
        *(f"# {line}" for line in remarks),
        f'title = "{_quoted(origin.processor)}, {where}, {_quoted(origin.library)}: calibrated"',
        f'source = "measured on {origin.date} with tradewind bench on {origin.ranks} ranks"',
        'routing = "minimal"',
        "",
        "[topology]",
        'name = "star"',
        f"nodes = {origin.nodes}",
        "",
    ]
    body = _node_path(fit) if fit.path == "node" else _network_path(fit)
    node = [
        "[node]",
        'model = "AMM1"',
        f"ranks_per_node = {origin.places}",
        _line("memory_bandwidth", _rate(speed.memory), "triad, per rank, all ranks at once"),
    ]
    if speed.together is not None:
        node.append(_line("flops", _flops(speed.together), "the kernels together"))
    node += _local_work(speed.local) if speed.local is not None else []
    return "\n".join([*head, *body[0], *node, *body[1], "", *_message(fit), ""])


_Parts = tuple[list[str], list[str]]


def _node_path(fit: Fit) -> _Parts:
    """Returns lines before and inside [node]."""
    values = fit.values
    copied = _bandwidth(values["per_byte"])
    link = [
        "# There is no network between nodes: these two are needed and never used.",
        "[link]",
        'bandwidth = "10 GB/s"',
        'latency = "1 us"',
        "",
    ]
    node = [
        _line("memory_latency", _time(values["latency"]), "L within the node"),
        _line("control_latency", _time(values["control"]), "announcement or answer of a handshake"),
    ]
    if copied is not None:
        node.append(_line("message_bandwidth", _rate(copied), "1/G of messages copied once"))
    put = _bandwidth(values["put_per_byte"])
    if put is not None:
        node.append(_line("put_bandwidth", _rate(put), "of the origin of a put"))
    if fit.eager_limit is not None:
        node.append(_line("eager_limit", _bytes(fit.eager_limit), _limit_comment(fit)))
    return link, node


def _network_path(fit: Fit) -> _Parts:
    values = fit.values
    bandwidth = _bandwidth(values["per_byte"]) or 1e12
    half = _time(values["latency"] / 2)
    link = [
        "# One switch in the middle, half of L on each side; contention inside a larger network is not measured.",
        "[link]",
        _line("bandwidth", _rate(bandwidth), "1/G"),
        _line("latency", half, "not used: one switch has no links"),
        "",
        "[nic]",
        _line("injection_bandwidth", _rate(bandwidth), "1/G"),
        _line("injection_latency", half, "L/2"),
        _line("ejection_latency", half, "L/2"),
        _line("gap", _time(fit.gap_s), "g" if fit.gap_s > 0 else "g: hidden by the overheads"),
        "",
    ]
    return link, []


def _local_work(local: LocalWork) -> list[str]:
    lines = [
        _line("copy_overhead", _time(local.block), "of each block copied by itself"),
        *_rate_line("copy_bandwidth", local.copy, "between messages"),
        *_rate_line("sum_bandwidth", local.sum, "of one operand, between messages"),
    ]
    if local.cache is not None:
        beyond = "of more bytes than that"
        lines.append(_line("cache", _bytes(local.cache), "largest at these rates"))
        lines += _rate_line("uncached_copy_bandwidth", local.uncached_copy, beyond)
        lines += _rate_line("uncached_sum_bandwidth", local.uncached_sum, beyond)
    return lines


def _rate_line(key: str, per_byte: float, comment: str) -> list[str]:
    """Returns nothing if no time per byte is left."""
    rate = _bandwidth(per_byte)
    return [] if rate is None else [_line(key, _rate(rate), comment)]


def _message(fit: Fit) -> list[str]:
    values = fit.values
    lines = [
        "[message]",
        _line("overhead_send", _time(values["overhead_send"]), "o of a send"),
        _line("overhead_receive", _time(values["overhead_receive"]), "o of a receive"),
        _line("copy_per_byte_send", _per_byte(values["copy_send"]), "eager messages only"),
        _line("copy_per_byte_receive", _per_byte(values["copy_receive"]), "eager messages only"),
        _line("overhead_rendezvous", _time(values["rendezvous"]), "of receiving longer ones"),
        _line("overhead_synchronous", _time(values["synchronous"]), "beyond the handshake"),
        _line("overhead_ready", _time(values["ready"]), ""),
        _line("overhead_put", _time(values["put"]), "with its signal"),
    ]
    if fit.ready_rendezvous:
        lines.append(f"{'ready_rendezvous = true':<40}# long ready sends shake hands, too")
    if fit.eager_limit is not None:
        lines.append(_line("eager_limit", _bytes(fit.eager_limit), _limit_comment(fit)))
    else:
        lines.append(_line("eager_limit", "1 GiB", "S: no longer message was measured"))
    if fit.path == "network":
        lines.append(_line("latency", _time(values["latency"]), "L"))
        lines.append(_line("gap_per_byte", _per_byte(values["per_byte"]), "G"))
    return lines


def _limit_comment(fit: Fit) -> str:
    return f"S: between this and {fit.next_size} bytes"


def _line(key: str, value: str, comment: str) -> str:
    line = f'{key} = "{value}"'
    return f"{line:<40}# {comment}" if comment else line


def _quoted(text: str) -> str:
    return text.replace("\\", " ").replace('"', "'")


def _bandwidth(per_byte: float) -> float | None:
    """Returns nothing if no time per byte is left."""
    return 1.0 / per_byte if per_byte > 1e-14 else None


def _time(seconds: float) -> str:
    return f"{seconds * 1e9:.5g} ns" if seconds < 1e-4 else f"{seconds * 1e6:.5g} us"


def _per_byte(seconds: float) -> str:
    return f"{seconds * 1e12:.5g} ps/B"


def _rate(bytes_per_s: float) -> str:
    return f"{bytes_per_s / 1e9:.5g} GB/s"


def _flops(rate: float) -> str:
    return f"{rate / 1e9:.5g} Gflop/s"


def _bytes(size: int) -> str:
    return f"{size // 1024} KiB" if size >= 1024 and size % 1024 == 0 else f"{size} B"
