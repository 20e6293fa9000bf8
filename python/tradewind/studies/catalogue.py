"""The table of evaluators: which code makes the results of a part, loaded when it is needed."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from tradewind.errors import ConfigError, suggestion
from tradewind.studies.evaluation import Evaluator

# Name in study.toml -> module and attribute.
EVALUATORS: Mapping[str, str] = {
    "runs": "tradewind.studies.evaluation:RUNS",
    "collectives_here": "tradewind.studies.collectives_here:HERE",
    "jamroz2016.same_bits": "tradewind.studies.jamroz2016.models:SAME_BITS",
    "jamroz2016.waves": "tradewind.studies.jamroz2016.models:WAVES",
    "jamroz2016.modes_here": "tradewind.studies.jamroz2016.modes:HERE",
    "jamroz2016.overlap_here": "tradewind.studies.jamroz2016.overlap:HERE",
    "jamroz2016.table1": "tradewind.studies.jamroz2016.tables:TABLE1",
    "jamroz2016.table2": "tradewind.studies.jamroz2016.tables:TABLE2",
    "jamroz2016.beyond": "tradewind.studies.jamroz2016.beyond:BEYOND",
    "jamroz2016.why": "tradewind.studies.jamroz2016.why:WHY",
    "pang2025.same_bits": "tradewind.studies.pang2025.same_bits:SAME_BITS",
    "pang2025.volumes": "tradewind.studies.pang2025.volumes:VOLUMES",
    "pang2025.placement": "tradewind.studies.pang2025.placement:PLACEMENT",
    "pang2025.methods": "tradewind.studies.pang2025.methods:METHODS_PART",
    "pang2025.choices": "tradewind.studies.pang2025.choices:CHOICES",
    "pang2025.measured": "tradewind.studies.pang2025.measured:MEASURED",
    "worley1998.choices": "tradewind.studies.worley1998.choices:CHOICES",
    "worley1998.protocols": "tradewind.studies.worley1998.protocols:PROTOCOLS",
    "worley1998.table1_here": "tradewind.studies.worley1998.measured:TABLE1",
    "worley1998.table3_here": "tradewind.studies.worley1998.table3:HERE",
    "worley1998.table3_machines": "tradewind.studies.worley1998.table3:MODELLED",
    "worley1998.table4": "tradewind.studies.worley1998.table4:TABLE4",
    "worley1998.table5_here": "tradewind.studies.worley1998.measured:TABLE5",
    "worley1998.table4_here": "tradewind.studies.worley1998.measured:TABLE4",
    "worley1998.table5": "tradewind.studies.worley1998.table5:TABLE5",
}


def evaluator(name: str) -> Evaluator:
    """Returns the evaluator of that name.

    Args:
        name: The value of `evaluate` in a part of a study.

    Raises:
        ConfigError: If there is none.
    """
    if name not in EVALUATORS:
        raise ConfigError(f"evaluate = {name}: unknown; {suggestion(name, EVALUATORS)}")
    module, _, attribute = EVALUATORS[name].partition(":")
    found = getattr(importlib.import_module(module), attribute)
    assert isinstance(found, Evaluator)
    return found
