"""Tables 1 and 2 with one choice of the prediction changed at a time: which decides a claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
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
# Seeds of choices with something random; the others have the first one for all.
_SEEDS = (1, 2, 3, 4, 5)
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
        seed_key: The section and key of the seed, if something is random.
    """

    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    methods: tuple[str, ...] = (SE.name, DG.name)
    synchronous: Mapping[str, Any] = field(default_factory=dict)
    others: Mapping[str, Any] = field(default_factory=dict)
    seed_key: tuple[str, ...] = ()

    def seeded(self, seed: int) -> Mapping[str, Mapping[str, Any]]:
        """Returns the changed tables with a seed.

        Args:
            seed: The seed of what is random.
        """
        tables: Mapping[str, Any] = self.sections
        value: Any = seed
        for key in reversed(self.seed_key):
            value = {key: value}
        return merged(tables, value) if self.seed_key else tables


def _messages(**keys: str) -> dict[str, dict[str, Any]]:
    return {"machine": {"message": keys}}


_NO_CONTENTION = {"simulation": {"network": "analytic"}}


def _late(time: str) -> dict[str, dict[str, Any]]:
    """Returns tables in which every message arrives that late, and no message delays another."""
    machine = {"message": {"latency": time}, "node": {"memory_latency": time}}
    return {"machine": machine, **_NO_CONTENTION}


def _varied(spread: float) -> Choice:
    sections = {"machine": {"node": {"compute_spread": spread}}}
    return Choice(sections, seed_key=("machine", "node", "compute_seed"))


def _arbiter(name: str) -> Choice:
    return Choice({"machine": {"switch": {"arbitration": name}}})


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
    "ranks on random nodes": Choice(
        {"placement": {"rule": "random"}}, seed_key=("placement", "seed")
    ),
    "six more exchanges in a step": Choice({"program": {"viscosity_steps": 6}}, (SE.name,)),
    "no exchange of gradients": Choice({"program": {"viscosity_m2_s": 0.0}}, (DG.name,)),
    "no contention": Choice(_NO_CONTENTION),
    "computation varies by 2 %": _varied(0.02),
    "computation varies by 10 %": _varied(0.1),
    "computation varies by 25 %": _varied(0.25),
    "weak progress": Choice(_messages(progress="weak")),
    "messages 10 us late": Choice(_late("10 us")),
    "messages 50 us late": Choice(_late("50 us")),
    "packets of 4 KiB": Choice({"simulation": {"packet_size": "4 KiB"}}),
    "first come": _arbiter("first_come"),
    "oldest first": _arbiter("oldest_first"),
    "transit first": _arbiter("transit_first"),
    "weighted": _arbiter("weighted"),
}


def _step_s(
    method: Method, mode: str, processes: int, flops: float, choice: Choice, seed: int
) -> float:
    """Returns the simulated time of a step."""
    tables = run_tables(method, _NE, mode, processes, flops)
    tables["program"]["steps"] = _STEPS
    own = choice.synchronous if mode == "synchronous" else choice.others
    tables = merged(merged(tables, choice.seeded(seed)), {"machine": {"message": own}})
    (member,) = Experiment.load(tables).members()
    return float(load().simulate(member.spec.tables(), lambda *progress: True)["time_s"]) / _STEPS


# Run times in seconds by number of processes and mode.
_Times = Mapping[tuple[int, str], float]


def _times(choice: Choice, method: Method, processes: list[int], seed: int = 1) -> _Times:
    """Returns predicted run times in seconds, calibrated on 338 processes with the choice made."""
    steps = method.steps[_NE]
    times = {}
    for mode in method.modes:
        wanted = run_times(method.table)[_NE, CALIBRATED, mode] / steps
        flops = fitted_flops(
            lambda rate, mode=mode: _step_s(method, mode, CALIBRATED, rate, choice, seed),  # type: ignore[misc]
            wanted,
        )
        for count in processes:
            times[count, mode] = steps * _step_s(method, mode, count, flops, choice, seed)
    return times


_GAINS = {
    "se asynchronous": (SE, "asynchronous"),
    "dg with corners": (DG, "overlap_vx"),
    "dg edges": (DG, "asynchronous"),
    "dg computation": (DG, "overlapping"),
}


def _printed_times(method: Method) -> _Times:
    return {
        (count, mode): time
        for (ne, count, mode), time in run_times(method.table).items()
        if ne == _NE
    }


def _dataset(found: Mapping[tuple[str, str], list[_Times]]) -> xarray.Dataset:
    """Returns gains over the synchronous mode and errors of its time; the print is a choice.

    Args:
        found: The times of each seed, or one for all, by choice and method.
    """
    xr = extras.need("xarray", "datasets")
    names = [_PRINTED, *CHOICES]
    gain = np.full((len(names), len(_PROCESSES), len(_GAINS), len(_SEEDS)), np.nan)
    error = np.full((len(names), len(_PROCESSES), 2, len(_SEEDS)), np.nan)
    for (name, method_name), some in found.items():
        method = SE if method_name == SE.name else DG
        printed = _printed_times(method)
        row = names.index(name)
        for (at, count), seed in product(enumerate(_PROCESSES), range(len(_SEEDS))):
            times = some[seed % len(some)]
            if (count, "synchronous") not in times:
                continue
            base = times[count, "synchronous"]
            place = row, at, 0 if method is SE else 1, seed
            error[place] = base / printed[count, "synchronous"] - 1
            for column, (own, mode) in enumerate(_GAINS.values()):
                if own is method:
                    gain[row, at, column, seed] = base / times[count, mode] - 1
    data: xarray.Dataset = xr.Dataset(
        {
            "gain": (
                ("choice", "processes", "way", "seed"),
                gain,
                {"long_name": "gain over synchronous"},
            ),
            "error": (
                ("choice", "processes", "core", "seed"),
                error,
                {"long_name": "error of the synchronous time"},
            ),
        },
        {
            "choice": names,
            "processes": list(_PROCESSES),
            "way": list(_GAINS),
            "core": [SE.name, DG.name],
            "seed": list(_SEEDS),
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
        here = data.sel(choice=name).median("seed")
        values = [here.gain.sel(way=way).values for way in _GAINS]
        values += [here.error.sel(core=method).values for method in (SE.name, DG.name)]
        cells = [None if np.isnan(one) else float(f"{one:.3g}") for one in np.ravel(values)]
        rows.append([str(name), *cells])
    return Table("Tables 1 and 2 at ne = 60 with other choices", header, rows)


def _outline(part: Part, context: Context) -> xarray.Dataset:
    return _dataset({}).fillna(1.0)


def _evaluate(part: Part, context: Context) -> Evaluation:
    processes = list(part.counts("processes"))
    found: dict[tuple[str, str], list[_Times]] = {}
    for method in (SE, DG):
        found[_PRINTED, method.name] = [_printed_times(method)]
        for name, choice in CHOICES.items():
            if method.name not in choice.methods:
                continue
            context.note(f"{method.name}: {name}")
            seeds = _SEEDS if choice.seed_key else _SEEDS[:1]
            found[name, method.name] = [_times(choice, method, processes, seed) for seed in seeds]
    data = _dataset(found)
    return Evaluation(data, {"why": _table(data)})


WHY = Evaluator(_outline, _evaluate)
