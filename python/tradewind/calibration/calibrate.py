"""Fits a machine file to measurements, and predicts the measurements from the machine file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tradewind import bench, extras
from tradewind.bench import Measurements
from tradewind.calibration.comparison import Comparison, compare, median_error
from tradewind.calibration.fit import Fit, Point, fits
from tradewind.calibration.machine_file import Origin, Rates, machine_text, origin_of, rates
from tradewind.calibration.refine import refine
from tradewind.calibration.rounds import COLLECTIVES, NEEDED, NEIGHBOR
from tradewind.config.experiment import Experiment
from tradewind.config.spec import Spec
from tradewind.errors import ConfigError
from tradewind.files import check_space, parse_toml, write_error
from tradewind.host import usable_cores

_FITTED_KINDS = ("pingpong", "overhead")
# Collectives whose times refine the fit; the others only judge it.
TRAINING = ("alltoallv", "allreduce")
_EVIDENCE_BYTES = 2**22

All = Mapping[str, Measurements]


@dataclass(frozen=True)
class Calibration:
    """The result.

    Args:
        fit: Costs of messages.
        rates: Rates of memory and kernels.
        text: The machine file.
        residuals: Residuals of the fitted measurements.
        training: Errors of the collectives that refined the fit.
        validation: Errors of the other collectives, which were not fitted.
        neighbor: Errors of the neighbourhood exchange, which was not fitted either.
        percentile: Percentile of the repetitions that was taken as their time.
    """

    fit: Fit
    rates: Rates
    text: str
    residuals: tuple[Comparison, ...]
    training: tuple[Comparison, ...]
    validation: tuple[Comparison, ...]
    neighbor: tuple[Comparison, ...]
    percentile: float

    @property
    def collectives(self) -> tuple[Comparison, ...]:
        """All predicted collectives, in the fit or not."""
        return self.training + self.validation

    def errors_by_operation(self) -> dict[str, dict[str, Any]]:
        """Returns the median error of each collective and of the neighbourhood exchange."""
        every = (*self.collectives, *self.neighbor)
        return {
            name: {
                "median_error": median_error(own),
                "cases": len(own),
                "in_fit": any(entry in self.training for entry in own),
            }
            for name in dict.fromkeys(entry.operation for entry in every)
            for own in [[entry for entry in every if entry.operation == name]]
        }

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values for JSON."""
        return {
            "path": self.fit.path,
            "parameters": dict(self.fit.values),
            "gap_s": self.fit.gap_s,
            "eager_limit": self.fit.eager_limit,
            "ready_rendezvous": self.fit.ready_rendezvous,
            "memory_bandwidth": self.rates.memory,
            "kernel_flops": dict(self.rates.kernels),
            "local_work": None if self.rates.local is None else asdict(self.rates.local),
            "percentile": self.percentile,
            "median_residual": median_error(self.residuals),
            "median_collectives_error": _median(self.collectives),
            "median_training_error": _median(self.training),
            "median_validation_error": _median(self.validation),
            "median_neighbor_error": _median(self.neighbor),
            "errors_by_operation": self.errors_by_operation(),
            "residuals": [entry.to_dict() for entry in self.residuals],
            "training": [entry.to_dict() for entry in self.training],
            "validation": [entry.to_dict() for entry in self.validation],
            "neighbor": [entry.to_dict() for entry in self.neighbor],
        }


def _median(comparisons: Sequence[Comparison]) -> float | None:
    return median_error(comparisons) if comparisons else None


def check_needs(ranks: int, launcher: str | None, output: Path) -> None:
    """Finds out what is missing before anything is measured.

    Args:
        ranks: MPI processes, at least 2 and no more than there are cores.
        launcher: Command to use instead of mpiexec; its ranks may sit on several nodes.
        output: The machine file to be.

    Raises:
        ConfigError: If ranks would have to share cores: such times tell nothing about the MPI. If
            no MPI can be started.
        MpiError: If MPI does not run.
        Error: If scipy is missing, or the file cannot be written.
    """
    extras.need("scipy.optimize", "fits", "calibrate")
    if launcher is None:
        _refuse_shared_cores(ranks, usable_cores())
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_error(output, error) from None
    check_space(output, _EVIDENCE_BYTES)
    bench.check_start(ranks, launcher)


def load_measurements(folder: Path) -> dict[str, Measurements]:
    """Reads what `tradewind bench -o FOLDER` or an earlier calibration has measured.

    Raises:
        ConfigError: If one of NEEDED is missing; the others may be.
    """
    found = {name: Measurements.load(folder / f"{name}.nc") for name in NEEDED}
    for name in (COLLECTIVES, NEIGHBOR):
        if (folder / f"{name}.nc").is_file():
            found[name] = Measurements.load(folder / f"{name}.nc")
    return found


def _refuse_shared_cores(ranks: int, cores: int) -> None:
    if ranks < 2:
        raise ConfigError(f"calibrate: ranks = {ranks}, must be at least 2")
    if ranks > cores:
        raise ConfigError(
            f"calibrate: {ranks} ranks share {cores} cores: their times say nothing about the MPI; "
            f"use at most {cores} ranks"
        )


def calibrate(
    measured: All, percentile: float = 50.0, training: Sequence[str] = TRAINING
) -> Calibration:
    """Fits a machine and predicts the measurements with it.

    Args:
        measured: Measurements by name: all of NEEDED, and "collectives" and "neighbor" where they
            are to be predicted.
        percentile: Percentile of the repetitions to take as their time; 50 is the median, less is steadier on
            a machine with other work.
        training: Collectives whose times refine the fit; the others only judge it.

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
    candidates = fits(points, "node" if pingpong.nodes == 1 else "network")
    speed = rates(measured["kernels"], percentile)
    origin = origin_of(pingpong)

    def spec_of(fitted: Fit, its_speed: Rates) -> Spec:
        return _spec(machine_text(fitted, its_speed, origin), pingpong.ranks)

    fitted = candidates[0]
    trained, held_out = _divided(measured.get(COLLECTIVES), training)
    if trained is not None:
        fitted, speed = refine(candidates, speed, trained, spec_of, percentile)
    spec = spec_of(fitted, speed)

    def errors(one: Measurements | None) -> tuple[Comparison, ...]:
        return () if one is None else tuple(compare(one, spec, percentile))

    residuals = tuple(entry for name in NEEDED for entry in errors(measured[name]))
    judged = (errors(trained), errors(held_out), errors(measured.get(NEIGHBOR)))
    result = Calibration(fitted, speed, "", residuals, *judged, percentile)
    return replace(result, text=_text(result, origin))


def _divided(
    collectives: Measurements | None, training: Sequence[str]
) -> tuple[Measurements | None, Measurements | None]:
    """Divides collectives into those that refine the fit and those that judge it."""
    if collectives is None:
        return None, None
    parts = [
        tuple(row for row in collectives.rows if (row.operation in training) == is_trained)
        for is_trained in (True, False)
    ]
    trained, held_out = (replace(collectives, rows=rows) if rows else None for rows in parts)
    return trained, held_out


def _text(result: Calibration, origin: Origin) -> str:
    """Returns the machine file with its errors at the top."""
    remarks = [f"Time of a case: percentile {result.percentile:g} of its repetitions."]
    for what, entries in (
        ("the fitted measurements", result.residuals),
        ("collectives that refined the fit", result.training),
        ("collectives that were not in the fit", result.validation),
        ("the neighbourhood exchange, not in the fit", result.neighbor),
    ):
        if entries:
            remarks.append(f"Median error of {what}: {median_error(entries):.1%}.")
    return machine_text(result.fit, result.rates, origin, remarks)


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
