"""A machine file from measurements, and how well its simulation repeats them."""

from tradewind.calibration.calibrate import (
    TRAINING,
    Calibration,
    calibrate,
    check_needs,
    load_measurements,
)
from tradewind.calibration.comparison import Comparison, median_error
from tradewind.calibration.fit import Fit, Point, fit
from tradewind.calibration.rounds import FILE_NAME, NEEDED, Effort, Rounds, measure_rounds

__all__ = [
    "FILE_NAME",
    "NEEDED",
    "TRAINING",
    "Calibration",
    "Comparison",
    "Effort",
    "Fit",
    "Point",
    "Rounds",
    "calibrate",
    "check_needs",
    "fit",
    "load_measurements",
    "measure_rounds",
    "median_error",
]
