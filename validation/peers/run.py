"""Compares Tradewind with SimGrid's SMPI, and with LogGOPSim and SST/macro where they are at hand.

Both simulate the same patterns on the same networks; the platform of SimGrid is written from
Tradewind's machine and routes. Results: peers.json and peers.md in the folder of -o.

    python validation/peers/run.py [-o DIR] [--ranks 16 64 256] [--repeat 3]
                                   [--simgrid DIR] [--loggopsim DIR] [--sstmacro DIR]
                                   [--without-library] [--without-simgrid] [--work DIR]

Exit status: 0 if all agree where nothing is in the way, 1 if a run failed or one does not agree, 2
if something is missing or wrong in what was given.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

from cases import cases, sstmacro_cases
from comparison import (
    TOLERANCES,
    Peers,
    compare_costs,
    compare_routing,
    compare_sstmacro,
    compare_times,
)
from loggopsim import LogGopSim
from mechanisms import (
    FLOWS_TITLE,
    ORDER_TITLE,
    TITLES,
    compare_flows,
    compare_mechanism,
    compare_order,
    flow_setups,
    order_setups,
    setups,
)
from smpi import Smpi
from sstmacro import SstMacro
from tables import markdown
from tradewind import core
from tradewind.errors import ConfigError, Error


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path("peers-results"))
    parser.add_argument("--simgrid", type=Path, help="folder of an installation, with bin in it")
    parser.add_argument("--loggopsim", type=Path, help="folder of txt2bin and LogGOPSim")
    parser.add_argument(
        "--sstmacro", type=Path, help="folder of an installation, with include and lib in it"
    )
    parser.add_argument(
        "--without-library",
        action="store_true",
        help="do not compile Tradewind's algorithms for SMPI (minutes)",
    )
    parser.add_argument(
        "--without-simgrid", action="store_true", help="compare with SST/macro only; no costs"
    )
    parser.add_argument("--work", type=Path, help="where to compile; kept, unlike the usual one")
    parser.add_argument("--ranks", type=int, nargs="*", default=[16, 64, 256], help="of the costs")
    parser.add_argument("--repeat", type=int, default=3, help="of the costs")
    options = parser.parse_args(words)
    if options.without_simgrid and options.sstmacro is None:
        parser.error("--without-simgrid: nothing is left without --sstmacro DIR")
    squares = [4 * 4**n for n in range(10)]
    for ranks in options.ranks:
        if ranks not in squares:
            parser.error(f"--ranks {ranks}: expected some of {', '.join(map(str, squares[1:6]))}")
    return options


def _prepare(options: argparse.Namespace, directory: Path) -> Peers:
    smpi = Smpi(options.simgrid)
    loggopsim = None
    try:
        loggopsim = LogGopSim(options.loggopsim)
    except ConfigError as error:
        if options.loggopsim is not None:
            raise
        print(f"without LogGOPSim: {error}", file=sys.stderr)
    sstmacro = None if options.sstmacro is None else SstMacro(options.sstmacro)
    print("compiling for SMPI", file=sys.stderr)
    library = None if options.without_library else smpi.compile_library(directory)
    patterns = smpi.compile_patterns(directory)
    return Peers(smpi, patterns, library, loggopsim, sstmacro, directory)


def _empty_report(peers: list[str]) -> dict[str, Any]:
    return {
        "tradewind": core.load().version,
        "peers": peers,
        "machine": {"system": platform.platform(), "cores": os.cpu_count()},
        "tolerances": TOLERANCES,
        "times": [],
        "costs": [],
        "mechanisms": {},
    }


def _report(options: argparse.Namespace, directory: Path) -> dict[str, Any]:
    if options.without_simgrid:
        return _empty_report(["SST/macro"]) | _sstmacro(SstMacro(options.sstmacro), directory)
    peers = _prepare(options, directory)
    names = [peers.smpi.version()]
    names += ["LogGOPSim"] if peers.loggopsim else []
    names += ["SST/macro"] if peers.sstmacro else []
    report = _empty_report(names)
    for case in cases():
        print(f"{case.name} on {case.network.title}", file=sys.stderr)
        report["times"].append(compare_times(case, peers))
    if peers.sstmacro is not None:
        report |= _sstmacro(peers.sstmacro, peers.directory)
    report["mechanisms"][FLOWS_TITLE] = []
    for setup in flow_setups():
        print(f"flows: {setup.case.name} on {setup.case.network.title}", file=sys.stderr)
        report["mechanisms"][FLOWS_TITLE].append(compare_flows(setup, peers))
    report["mechanisms"][ORDER_TITLE] = []
    for setup in order_setups():
        print(f"order: {setup.label} on {setup.case.network.title}", file=sys.stderr)
        report["mechanisms"][ORDER_TITLE].append(compare_order(setup, peers))
    for ranks in options.ranks:
        print(f"costs at {ranks} ranks", file=sys.stderr)
        report["costs"].append(compare_costs(ranks, peers, options.repeat))
    return report


def _sstmacro(sstmacro: SstMacro, directory: Path) -> dict[str, Any]:
    report: dict[str, Any] = {"sstmacro": [], "routing": []}
    for case in sstmacro_cases():
        print(f"SST/macro: {case.name} on {case.network.title}", file=sys.stderr)
        report["sstmacro"].append(compare_sstmacro(case, sstmacro, directory))
    for rule in ("minimal", "valiant", "ugal_sstmacro"):
        print(f"SST/macro: {rule} routing", file=sys.stderr)
        report["routing"].append(compare_routing(rule, sstmacro, directory))
    report["mechanisms"] = {}
    for mechanism, found in setups().items():
        rows = report["mechanisms"][TITLES[mechanism]] = []
        for setup in found:
            print(f"SST/macro: {setup.label or setup.case.name}", file=sys.stderr)
            rows.append(compare_mechanism(mechanism, setup, sstmacro, directory))
    return report


def _disagreements(report: dict[str, Any]) -> list[str]:
    """Tradewind, SMPI and SST/macro must follow their formulas; LogGOPSim's deviations are only reported."""
    return [
        f"{row['case']} on {row['network']}: {name} takes {row['times'][name]} s, "
        f"not {row['expected'][name]} s"
        for row in report["times"]
        for name, agrees in row.get("agrees", {}).items()
        if not agrees and name != "loggopsim"
    ]


def main(words: list[str]) -> int:
    """Runs the comparison; returns the exit status."""
    options = _arguments(words)
    try:
        with tempfile.TemporaryDirectory(prefix="tradewind-peers-") as passing:
            directory = Path(passing) if options.work is None else options.work
            directory.mkdir(parents=True, exist_ok=True)
            report = _report(options, directory)
    except ConfigError as error:
        print(f"peers: {error}", file=sys.stderr)
        return 2
    except Error as error:
        print(f"peers: {error}", file=sys.stderr)
        return 1
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "peers.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    (options.output / "peers.md").write_text(markdown(report), encoding="utf-8")
    print(markdown(report))
    faults = _disagreements(report)
    for fault in faults:
        print(f"peers: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
