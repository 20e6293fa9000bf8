"""Runs the cases in Tradewind and in its peers: simulated times, and what they cost."""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import measuring
from cases import Case, cost_case, routing_case
from loggopsim import LogGopSim
from loggp import Fluid, LogGP
from networks import Network, Spec, small_dragonfly, spec_of
from smpi import HERE, Result, Smpi
from sstmacro import SstMacro, fits
from tradewind import core
from tradewind.mpi.words import words_of

Row = dict[str, Any]

# SMPI adds its envelope to every message; LogGOPSim's last byte leaves with the first.
SMPI_ENVELOPE = 16
LOGGOPSIM_ENVELOPE = -1
# The largest relative difference between a simulated time and its formula. SimGrid shares bandwidth with a relative
# precision of 1e-5; the ranks of `smpi_library` begin up to a nanosecond apart.
TOLERANCES = {
    "tradewind": 1e-6,
    "smpi": 1e-4,
    "smpi_library": 1e-3,
    "loggopsim": 1e-4,
    "sstmacro": 1e-4,
}
UNBOUNDED = {"simulation.network": "packet_unbounded"}
FIRST_COME = {"machine.switch.arbitration": "first_come"}
# Tradewind under congestion with one thing changed.
VARIANTS: Mapping[str, Mapping[str, str]] = {
    "tradewind_unbounded": UNBOUNDED,
    "tradewind_first_come": FIRST_COME,
    "tradewind_small_packets": {"simulation.packet_size": "256 B"},
}
# The default of SST/macro: eight packets.
SMALL_BUFFERS = {"switch.buffer_size": "32768B", "switch.xbar.buffer_size": "32768B"}
UNLIMITED_BUFFERS = {
    "switch.buffer_size": "1GB",
    "switch.link.buffer_size": "1000000000",
    "switch.xbar.buffer_size": "1GB",
}
# SST/macro with one thing changed.
SSTMACRO_VARIANTS: Mapping[str, Mapping[str, str]] = {
    "sstmacro_unbounded": UNLIMITED_BUFFERS,
    "sstmacro_copies": {"node.proc.frequency": "2GHz"},
}
ROUTING_VARIANTS: Mapping[str, Mapping[str, str]] = {
    "sstmacro": {},
    "sstmacro_simple": {"arbitrator": "simple"},
    "sstmacro_small_buffers": SMALL_BUFFERS,
    "sstmacro_simple_small_buffers": {"arbitrator": "simple", **SMALL_BUFFERS},
}
# The network of the study, without the time of a switch.
ROUTING_MACHINE = {
    **FIRST_COME,
    "machine.switch.latency": "0 ns",
    "machine.nic.injection_latency": "1 us",
}


@dataclass(frozen=True)
class Peers:
    """A simulator with which Tradewind is compared, ready to run.

    Args:
        smpi: An installation of SimGrid.
        patterns: patterns.c, compiled for it.
        library: Tradewind's algorithms, compiled for it; None leaves them out.
        loggopsim: LogGOPSim; None leaves it out.
        sstmacro: SST/macro; None leaves it out.
        directory: For platforms and schedules.
    """

    smpi: Smpi
    patterns: Path
    library: Path | None
    loggopsim: LogGopSim | None
    sstmacro: SstMacro | None
    directory: Path

    def run_patterns(self, spec: Spec, case: Case) -> Result:
        """The case as plain MPI on SMPI."""
        return self.smpi.run(spec, self.patterns, case.arguments, self.directory)

    def run_library(self, spec: Spec) -> Result:
        """The case by Tradewind's algorithms on SMPI."""
        assert self.library is not None
        return self.smpi.run(spec, self.library, program_words(spec), self.directory)


def program_words(spec: Spec) -> list[str]:
    """The program of a spec as Tradewind's own programs read it: its name, then KEY=VALUE..."""
    program = spec["program"]
    kept = {key: value for key, value in program.items() if key not in ("name", "ranks")}
    words = [word.removeprefix("program.") for word in words_of({"program": kept})]
    return [str(program["name"]), *words]


def _simulated(network: Network, case: Case, changes: Mapping[str, str] | None = None) -> float:
    return float(core.load().simulate(spec_of(network, case.program, changes))["time_s"])


def _expected(spec: Spec, case: Case) -> dict[str, float]:
    """The times without congestion, by formula."""
    fluid = case.formula(Fluid.of(spec, SMPI_ENVELOPE))
    return {
        "tradewind": case.formula(LogGP.of(spec)),
        "smpi": fluid,
        "smpi_library": fluid,
        "loggopsim": case.formula(LogGP.of(spec, LOGGOPSIM_ENVELOPE)),
        "sstmacro": case.formula(LogGP.of(spec)),
    }


def _times(spec: Spec, case: Case, peers: Peers) -> dict[str, float]:
    """Simulated times that every case has."""
    times = {
        "tradewind": float(core.load().simulate(spec)["time_s"]),
        "smpi": peers.run_patterns(spec, case).time_s,
    }
    if peers.library is not None:
        times["smpi_library"] = peers.run_library(spec).time_s
    if not case.congested and peers.loggopsim is not None:
        words = [str(case.ranks), *program_words(spec)]
        done = peers.loggopsim.run(LogGP.of(spec), case.hops, words, peers.directory)
        times["loggopsim"] = done.time_s
    if not case.congested and peers.sstmacro is not None and fits(spec):
        times["sstmacro"] = peers.sstmacro.run(spec, case.arguments, peers.directory).time_s
    return times


def _causes(case: Case, peers: Peers) -> dict[str, float]:
    """Simulated times under congestion with one thing changed, in Tradewind or in both."""
    network = replace(case.network, equal_latencies=True)
    times = {key: _simulated(case.network, case, changes) for key, changes in VARIANTS.items()}
    times["tradewind_equal"] = _simulated(network, case)
    times["smpi_equal"] = peers.run_patterns(spec_of(network, case.program), case).time_s
    return times


def compare_times(case: Case, peers: Peers) -> Row:
    """Simulated times of one case, in seconds.

    Returns:
        `expected` by formula and `times` by simulator; for cases without congestion also which of
        them `agree`.
    """
    spec = spec_of(case.network, case.program)
    expected, times = _expected(spec, case), _times(spec, case, peers)
    row: Row = {"case": case.name, "network": case.network.title, "ranks": case.ranks}
    row |= {"congested": case.congested, "expected": expected, "times": times}
    if case.congested:
        times |= _causes(case, peers)
    else:
        row["agrees"] = {
            key: abs(time_s / expected[key] - 1.0) <= TOLERANCES[key]
            for key, time_s in times.items()
        }
    return row


def compare_sstmacro(case: Case, sstmacro: SstMacro, directory: Path) -> Row:
    """Simulated times of a congested case in Tradewind and SST/macro, as they are and with one thing changed.

    Args:
        case: One that `fits`.
        sstmacro: SST/macro.
        directory: For its program and parameters.
    """
    spec = spec_of(case.network, case.program)
    times = {
        "tradewind": _simulated(case.network, case),
        "tradewind_first_come": _simulated(case.network, case, FIRST_COME),
        "tradewind_unbounded": _simulated(case.network, case, FIRST_COME | UNBOUNDED),
        "sstmacro": sstmacro.run(spec, case.arguments, directory).time_s,
    }
    for key, changes in SSTMACRO_VARIANTS.items():
        times[key] = sstmacro.run(spec, case.arguments, directory, changes).time_s
    row: Row = {"case": case.name, "network": case.network.title, "ranks": case.ranks}
    return row | {"expected": _expected(spec, case), "times": times}


def compare_routing(rule: str, sstmacro: SstMacro, directory: Path) -> Row:
    """Simulated times of a transposition within a group of a dragonfly.

    Args:
        rule: A routing rule of Tradewind that SST/macro has too.
        sstmacro: SST/macro.
        directory: For its program and parameters.
    """
    case = routing_case(small_dragonfly(rule))
    spec = spec_of(case.network, case.program, ROUTING_MACHINE)
    times = {"tradewind": float(core.load().simulate(spec)["time_s"])}
    for key, changes in ROUTING_VARIANTS.items():
        times[key] = sstmacro.run(spec, case.arguments, directory, changes).time_s
    return {"case": case.name, "network": case.network.title, "routing": rule, "times": times}


def _tradewind_cost(spec: Spec, directory: Path) -> Result:
    file = directory / "spec.json"
    file.write_text(json.dumps(spec), encoding="utf-8")
    done = measuring.run([sys.executable, HERE / "tradewind_run.py", file])
    result = json.loads(done.output)
    took = result["wall_s"]
    return Result(result["time_s"], done.wall_s, done.cpu_s, took, done.peak_bytes)


def _medians(runs: Sequence[Result]) -> Row:
    measured = ("wall_s", "cpu_s", "simulation_s", "peak_bytes")
    row: Row = {key: statistics.median(getattr(run, key) for run in runs) for key in measured}
    return row | {
        "time_s": runs[0].time_s,
        "runs": [{key: getattr(run, key) for key in measured} for run in runs],
    }


def compare_costs(ranks: int, peers: Peers, repeat: int) -> Row:
    """Wall time and peak memory of a transposition, each simulator in turn, in processes of their own.

    Args:
        ranks: 4 times the square of a power of two.
        peers: What to compare with.
        repeat: How often everything is run.
    """
    case = cost_case(ranks)
    spec = spec_of(case.network, case.program)
    analytic = spec_of(case.network, case.program, {"simulation.network": "analytic"})
    simulators: dict[str, Callable[[], Result]] = {
        "tradewind": lambda: _tradewind_cost(spec, peers.directory),
        "tradewind_analytic": lambda: _tradewind_cost(analytic, peers.directory),
        "smpi": lambda: peers.run_patterns(spec, case),
    }
    if peers.library is not None:
        simulators["smpi_library"] = lambda: peers.run_library(spec)
    if (loggopsim := peers.loggopsim) is not None:
        words = [str(ranks), *program_words(spec)]
        model = LogGP.of(spec)
        simulators["loggopsim"] = lambda: loggopsim.run(model, 0, words, peers.directory)
    if (sstmacro := peers.sstmacro) is not None:
        simulators["sstmacro"] = lambda: sstmacro.run(spec, case.arguments, peers.directory)
    runs: Mapping[str, list[Result]] = {name: [] for name in simulators}
    loads = []
    for _ in range(repeat):
        loads.append(os.getloadavg()[0])
        for name, run in simulators.items():
            runs[name].append(run())
    costs = {name: _medians(done) for name, done in runs.items()}
    messages = core.load().predict(spec)["messages"]
    return {
        "case": case.name,
        "network": case.network.title,
        "ranks": ranks,
        "messages": messages,
        "load_before": loads,
        "costs": costs,
    }
