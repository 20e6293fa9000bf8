"""The fitted costs of messages, corrected so that simulated collectives take their measured times.

A ping-pong has one message under way. Collectives have several, between other work, and each costs
somewhat more or less than alone. Each group of costs gets one factor. The factors make the errors
of some collectives small; the others are left out, to judge the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from tradewind import extras
from tradewind.bench import Measurements
from tradewind.calibration.comparison import compare
from tradewind.calibration.fit import Fit
from tradewind.calibration.machine_file import Rates
from tradewind.config.spec import Spec
from tradewind.results.run_result import Array

# Parameters that share a factor; the last factor is that of copies and sums between messages. The
# collectives are too short for the rates beyond the cache.
_GROUPS = (
    ("overhead_send", "overhead_receive"),
    ("copy_send", "copy_receive"),
    ("latency",),
    ("per_byte",),
    ("control", "rendezvous"),
)
_LOCAL = ("copy", "sum", "block")
# A factor that differs by this much costs as much as one per cent of error in all collectives.
_STIFFNESS = 0.1
_USUAL_ERROR = 0.05
_STEP = 0.03
_MOST_STEPS = 12

MakeSpec = Callable[[Fit, Rates], Spec]


def refine(
    candidates: Sequence[Fit],
    speed: Rates,
    training: Measurements,
    make_spec: MakeSpec,
    percentile: float,
) -> tuple[Fit, Rates]:
    """Returns the candidate, with its factors, that predicts the training collectives best.

    Args:
        candidates: Fits with several limits of eager messages.
        speed: Rates of local work.
        training: Measured collectives.
        make_spec: Makes a run on the machine of a fit.
        percentile: Percentile of the measured repetitions.

    Raises:
        Error: If the package scipy is missing.
    """
    optimize = extras.need("scipy.optimize", "fits", "calibrate")
    best: tuple[float, Fit, Rates] | None = None
    for candidate in candidates:

        def errors(factors: Array, base: Fit = candidate) -> Array:
            spec = make_spec(*_scaled(base, speed, factors))
            found = [
                np.log(one.simulated_s / one.measured_s)
                for one in compare(training, spec, percentile)
            ]
            regular = _STIFFNESS * (factors - 1.0)
            return np.concatenate([np.array(found) / np.sqrt(max(len(found), 1)), regular])

        solved = optimize.least_squares(
            errors,
            np.ones(len(_GROUPS) + 1),
            bounds=(0.2, 5.0),
            diff_step=_STEP,
            loss="soft_l1",
            f_scale=_USUAL_ERROR,
            max_nfev=_MOST_STEPS,
        )
        if best is None or solved.cost < best[0]:
            best = (float(solved.cost), *_scaled(candidate, speed, solved.x))
    assert best is not None
    return best[1], best[2]


def _scaled(base: Fit, speed: Rates, factors: Array) -> tuple[Fit, Rates]:
    values = dict(base.values)
    for group, factor in zip(_GROUPS, factors[:-1], strict=True):
        for name in group:
            values[name] *= float(factor)
    local = speed.local
    if local is not None:
        local = replace(
            local, **{name: getattr(local, name) * float(factors[-1]) for name in _LOCAL}
        )
    return replace(base, values=values), replace(speed, local=local)
