"""Fits a machine file to measurements, and predicts the measurements from the machine file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tradewind import bench
from tradewind.bench import Measurements
from tradewind.calibration.comparison import Comparison, compare, median_error
from tradewind.calibration.fit import Fit, Point, fit
from tradewind.calibration.machine_file import Rates, machine_text, origin_of, rates
from tradewind.config.experiment import Experiment
from tradewind.config.spec import Spec
from tradewind.errors import ConfigError
from tradewind.files import parse_toml
from tradewind.host import usable_cores

# Measurements for the fit; collectives only check it.
NEEDED = ("pingpong", "overhead", "kernels")
_JUDGE = "collectives"
_FITTED_KINDS = ("pingpong", "overhead")
_SIZES = tuple(8 << step for step in range(18))
_COLLECTIVE_SIZES = (8, 256, 4096, 32768, 262144)

Note = Callable[[str], None]
All = Mapping[str, Measurements]


@dataclass(frozen=True)
class Calibration:
    """The result.

    Args:
        fit: Costs of messages.
        rates: Rates of memory and kernels.
        text: The machine file.
        residuals: Residuals of the fitted measurements.
        validation: Errors of collectives, which were not fitted.
        percentile: Percentile of the repetitions that was taken as their time.
    """

    fit: Fit
    rates: Rates
    text: str
    residuals: tuple[Comparison, ...]
    validation: tuple[Comparison, ...]
    percentile: float

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values for JSON."""
        return {
            "path": self.fit.path,
            "parameters": dict(self.fit.values),
            "gap_s": self.fit.gap_s,
            "eager_limit": self.fit.eager_limit,
            "memory_bandwidth": self.rates.memory,
            "kernel_flops": dict(self.rates.kernels),
            "local_work": None if self.rates.local is None else asdict(self.rates.local),
            "percentile": self.percentile,
            "median_residual": median_error(self.residuals),
            "median_validation_error": median_error(self.validation) if self.validation else None,
            "residuals": [entry.to_dict() for entry in self.residuals],
            "validation": [entry.to_dict() for entry in self.validation],
        }


def measure_all(
    ranks: int, launcher: str | None, repetitions: int, note: Note = lambda text: None
) -> dict[str, Measurements]:
    """Makes all measurements that a calibration needs.

    Args:
        ranks: MPI processes, at least 2 and no more than there are cores.
        launcher: Command to use instead of mpiexec; its ranks may sit on several nodes.
        repetitions: Repetitions of every case.
        note: Receives a message on each measurement.

    Raises:
        ConfigError: If ranks would have to share cores: such times tell nothing about the MPI.
        MpiError: If a job fails.
    """
    if launcher is None:
        _refuse_shared_cores(ranks, usable_cores())
    found = {}
    for name in (*NEEDED, _JUDGE):
        note(f"measuring {name} on {ranks} ranks")
        sizes = _COLLECTIVE_SIZES if name == _JUDGE else _SIZES
        found[name] = bench.measure(
            name, ranks, sizes=sizes, repetitions=repetitions, launcher=launcher
        )
    return found


def load_measurements(folder: Path) -> dict[str, Measurements]:
    """Reads what `tradewind bench -o FOLDER` or an earlier calibration has measured.

    Raises:
        ConfigError: If one of NEEDED is missing; collectives may be.
    """
    found = {name: Measurements.load(folder / f"{name}.nc") for name in NEEDED}
    judge = folder / f"{_JUDGE}.nc"
    if judge.is_file():
        found[_JUDGE] = Measurements.load(judge)
    return found


def _refuse_shared_cores(ranks: int, cores: int) -> None:
    if ranks < 2:
        raise ConfigError(f"calibrate: ranks = {ranks}, must be at least 2")
    if ranks > cores:
        raise ConfigError(
            f"calibrate: {ranks} ranks share {cores} cores: their times say nothing about the MPI; "
            f"use at most {cores} ranks"
        )


def calibrate(measured: All, percentile: float = 50.0) -> Calibration:
    """Fits a machine and predicts the measurements with it.

    Args:
        measured: Measurements by name: all of NEEDED, and "collectives" where they are to be
            predicted.
        percentile: Percentile of the repetitions to take as their time; 50 is the median, less is steadier on
            a machine with other work.

    Raises:
        ConfigError: If a measurement is missing, has too few sizes, or shared cores.
    """
    for name in NEEDED:
        if name not in measured:
            raise ConfigError(f"calibrate: the measurement {name} is missing")
    pingpong = measured["pingpong"]
    if pingpong.cores:
        _refuse_shared_cores(pingpong.ranks, pingpong.cores)
    points = [
        Point(row.name, row.size, row.percentile_s(percentile))
        for name in _FITTED_KINDS
        for row in measured[name].rows
    ]
    fitted = fit(points, "node" if pingpong.nodes == 1 else "network")
    speed = rates(measured["kernels"], percentile)
    origin = origin_of(pingpong)
    spec = _spec(machine_text(fitted, speed, origin), pingpong.ranks)
    residuals = [entry for name in NEEDED for entry in compare(measured[name], spec, percentile)]
    validation = compare(measured[_JUDGE], spec, percentile) if _JUDGE in measured else []
    remarks = [f"Time of a case: percentile {percentile:g} of its repetitions."]
    remarks.append(f"Median error of the fitted measurements: {median_error(residuals):.1%}.")
    if validation:
        remarks.append(f"Median error of predicted collectives: {median_error(validation):.1%}.")
    text = machine_text(fitted, speed, origin, remarks)
    return Calibration(fitted, speed, text, tuple(residuals), tuple(validation), percentile)


def _spec(text: str, ranks: int) -> Spec:
    """Returns a run on the machine."""
    machine = parse_toml(text, "calibrate")
    about = ("title", "source")
    tables = {
        "machine": {key: value for key, value in machine.items() if key not in about},
        "program": {"name": "pingpong", "bytes": "8 B", "ranks": ranks},
        "simulation": {"network": "analytic"},
    }
    (member,) = Experiment.load(tables).members()
    return member.spec
