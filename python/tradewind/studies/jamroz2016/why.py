"""Tables 1 and 2 with one choice of the prediction changed at a time: which decides a claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import extras
from tradewind.config.experiment import Experiment
from tradewind.core import load
from tradewind.studies.changes import merged
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.jamroz2016.printed import CALIBRATED, DG, SE, Method, run_times
from tradewind.studies.jamroz2016.tables import fitted_flops, run_tables
from tradewind.studies.tables import Cell, Table

if TYPE_CHECKING:
    import xarray

_NE = 60
_PROCESSES = (2700, 21600)
# One step without a return to the reference levels, which sends nothing.
_STEPS = 1
_PRINTED = "printed"


@dataclass(frozen=True)
class Choice:
    """A change of the prediction.

    Args:
        sections: Tables of the experiment by name, with the keys that differ.
        methods: The methods that it changes.
        synchronous: Keys of the message that differ in the synchronous mode only.
        others: Keys of the message that differ in the other modes only.
    """

    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    methods: tuple[str, ...] = (SE.name, DG.name)
    synchronous: Mapping[str, Any] = field(default_factory=dict)
    others: Mapping[str, Any] = field(default_factory=dict)


def _messages(**keys: str) -> dict[str, dict[str, Any]]:
    return {"machine": {"message": keys}}


_NO_CONTENTION = {"simulation": {"network": "analytic"}}


def _late(time: str) -> dict[str, dict[str, Any]]:
    """Returns tables in which every message arrives that late, and no message delays another."""
    machine = {"message": {"latency": time}, "node": {"memory_latency": time}}
    return {"machine": machine, **_NO_CONTENTION}


def _varied(spread: float) -> dict[str, dict[str, Any]]:
    return {"machine": {"node": {"compute_spread": spread}}}


CHOICES: Mapping[str, Choice] = {
    "as predicted": Choice(),
    "overhead of a message x 2": Choice(
        _messages(overhead_send="1 us", overhead_receive="1 us"),
    ),
    "overhead of a message x 5": Choice(
        _messages(overhead_send="2.5 us", overhead_receive="2.5 us"),
    ),
    "matching of 2 us per message": Choice(_messages(overhead_receive="2.5 us")),
    "eager up to 4 MiB in all modes": Choice(synchronous={"eager_limit": "4194305 B"}),
    "eager up to 16 KiB in all modes": Choice(others={"eager_limit": "16 KiB"}),
    "packing and adding at a quarter": Choice(
        {"machine": {"node": {"copy_bandwidth": "1 GB/s", "sum_bandwidth": "0.75 GB/s"}}}
    ),
    "interfaces at a tenth": Choice({"machine": {"nic": {"injection_bandwidth": "0.68 GB/s"}}}),
    "interfaces with 2 million messages/s": Choice({"machine": {"nic": {"gap": "500 ns"}}}),
    "interfaces with 1 million messages/s": Choice({"machine": {"nic": {"gap": "1 us"}}}),
    "ranks on random nodes": Choice({"placement": {"rule": "random"}}),
    "six more exchanges in a step": Choice({"program": {"viscosity_steps": 6}}, (SE.name,)),
    "no exchange of gradients": Choice({"program": {"viscosity_m2_s": 0.0}}, (DG.name,)),
    "no contention": Choice(_NO_CONTENTION),
    "computation varies by 2 %": Choice(_varied(0.02)),
    "computation varies by 10 %": Choice(_varied(0.1)),
    "computation varies by 25 %": Choice(_varied(0.25)),
    "weak progress": Choice(_messages(progress="weak")),
    "messages 10 us late": Choice(_late("10 us")),
    "messages 50 us late": Choice(_late("50 us")),
}


def _step_s(method: Method, mode: str, processes: int, flops: float, choice: Choice) -> float:
    """Returns the simulated time of a step."""
    tables = run_tables(method, _NE, mode, processes, flops)
    tables["program"]["steps"] = _STEPS
    own = choice.synchronous if mode == "synchronous" else choice.others
    tables = merged(merged(tables, choice.sections), {"machine": {"message": own}})
    (member,) = Experiment.load(tables).members()
    return float(load().simulate(member.spec.tables(), lambda *progress: True)["time_s"]) / _STEPS


def _times(choice: Choice, method: Method, processes: list[int]) -> dict[tuple[int, str], float]:
    """Returns predicted run times in seconds, calibrated on 338 processes with the choice made."""
    steps = method.steps[_NE]
    times = {}
    for mode in method.modes:
        wanted = run_times(method.table)[_NE, CALIBRATED, mode] / steps
        flops = fitted_flops(
            lambda rate, mode=mode: _step_s(method, mode, CALIBRATED, rate, choice),  # type: ignore[misc]
            wanted,
        )
        for count in processes:
            times[count, mode] = steps * _step_s(method, mode, count, flops, choice)
    return times


_GAINS = {
    "se asynchronous": (SE, "asynchronous"),
    "dg with corners": (DG, "overlap_vx"),
    "dg edges": (DG, "asynchronous"),
    "dg computation": (DG, "overlapping"),
}


def _printed_times(method: Method) -> dict[tuple[int, str], float]:
    return {
        (count, mode): time
        for (ne, count, mode), time in run_times(method.table).items()
        if ne == _NE
    }


def _dataset(found: Mapping[tuple[str, str], Mapping[tuple[int, str], float]]) -> xarray.Dataset:
    """Returns gains over the synchronous mode and errors of its time; the print is a choice."""
    xr = extras.need("xarray", "datasets")
    names = [_PRINTED, *CHOICES]
    gain = np.full((len(names), len(_PROCESSES), len(_GAINS)), np.nan)
    error = np.full((len(names), len(_PROCESSES), 2), np.nan)
    for (name, method_name), times in found.items():
        method = SE if method_name == SE.name else DG
        printed = _printed_times(method)
        for at, count in enumerate(_PROCESSES):
            if (count, "synchronous") not in times:
                continue
            base = times[count, "synchronous"]
            row = names.index(name)
            error[row, at, 0 if method is SE else 1] = base / printed[count, "synchronous"] - 1
            for column, (own, mode) in enumerate(_GAINS.values()):
                if own is method:
                    gain[row, at, column] = base / times[count, mode] - 1
    data: xarray.Dataset = xr.Dataset(
        {
            "gain": (("choice", "processes", "way"), gain, {"long_name": "gain over synchronous"}),
            "error": (
                ("choice", "processes", "core"),
                error,
                {"long_name": "error of the synchronous time"},
            ),
        },
        {
            "choice": names,
            "processes": list(_PROCESSES),
            "way": list(_GAINS),
            "core": [SE.name, DG.name],
        },
    )
    return data


def _table(data: xarray.Dataset) -> Table:
    header = (
        "choice",
        *(f"gain {way}, {count}" for way in _GAINS for count in _PROCESSES),
        *(f"error {method}, {count}" for method in (SE.name, DG.name) for count in _PROCESSES),
    )
    rows: list[list[Cell]] = []
    for name in data.choice.values:
        here = data.sel(choice=name)
        values = [here.gain.sel(way=way).values for way in _GAINS]
        values += [here.error.sel(core=method).values for method in (SE.name, DG.name)]
        cells = [None if np.isnan(one) else float(f"{one:.3g}") for one in np.ravel(values)]
        rows.append([str(name), *cells])
    return Table("Tables 1 and 2 at ne = 60 with other choices", header, rows)


def _outline(part: Part, context: Context) -> xarray.Dataset:
    return _dataset({}).fillna(1.0)


def _evaluate(part: Part, context: Context) -> Evaluation:
    processes = list(part.counts("processes"))
    found: dict[tuple[str, str], Mapping[tuple[int, str], float]] = {}
    for method in (SE, DG):
        found[_PRINTED, method.name] = _printed_times(method)
        for name, choice in CHOICES.items():
            if method.name not in choice.methods:
                continue
            context.note(f"{method.name}: {name}")
            found[name, method.name] = _times(choice, method, processes)
    data = _dataset(found)
    return Evaluation(data, {"why": _table(data)})


WHY = Evaluator(_outline, _evaluate)
