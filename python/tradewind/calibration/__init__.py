"""A machine file from measurements, and how well its simulation repeats them."""

from tradewind.calibration.calibrate import (
    NEEDED,
    Calibration,
    calibrate,
    load_measurements,
    measure_all,
)
from tradewind.calibration.comparison import Comparison, median_error
from tradewind.calibration.fit import Fit, Point, fit

__all__ = [
    "NEEDED",
    "Calibration",
    "Comparison",
    "Fit",
    "Point",
    "calibrate",
    "fit",
    "load_measurements",
    "measure_all",
    "median_error",
]
