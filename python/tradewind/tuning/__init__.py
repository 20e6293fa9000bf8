"""The best algorithm for each operation of an experiment, found by simulation or measurement."""

from tradewind.config.tuning_file import Entry, Tuning, load_tuning, remarks
from tradewind.tuning.search import Candidate, Search
from tradewind.tuning.trials import MeasuredTrials, SimulatedTrials, Use
from tradewind.tuning.tune import Tuner

__all__ = [
    "Candidate",
    "Entry",
    "MeasuredTrials",
    "Search",
    "SimulatedTrials",
    "Tuner",
    "Tuning",
    "Use",
    "load_tuning",
    "remarks",
]
