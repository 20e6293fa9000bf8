"""Costs of messages from measured times: the parameters of LogGOPS and what kinds of sends add.

Every measured time is a sum of parameters times known numbers, once the limit S of eager messages
is known. All sizes are therefore tried as S, each with a robust linear fit of relative errors, and
the best one is taken. Whether ready sends of more than S take a rendezvous is tried both ways, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tradewind import extras
from tradewind.errors import ConfigError
from tradewind.results.run_result import Array

# The parameters are in seconds, or in seconds per byte for `copy_...` and those that end so.
PARAMETERS = (
    *("overhead_send", "overhead_receive", "copy_send", "copy_receive"),
    *("latency", "per_byte", "control", "rendezvous", "synchronous", "ready", "put"),
    "put_per_byte",
)
PATHS = ("node", "network")
_CONTROL_BYTES = 64
# Relative errors beyond this count less than by their square.
_USUAL_ERROR = 0.05
# Messages of one repetition of a ping-pong, as in src/tradewind/measure/pingpong.cpp.
_MESSAGES = 20
# Messages of a row, as in src/tradewind/measure/overhead.cpp.
_ROW = 64
# The rate of short messages must be this much below that of their overheads to show a gap.
_SEEN_GAP = 1.1
_TWO_SIDED = ("standard", "synchronous", "send", "receive")
# A fit is better than another one if its mean loss is less by this share.
_CLEARLY = 0.01
_Terms = dict[str, float]


@dataclass(frozen=True)
class Point:
    """A measured time.

    Args:
        kind: "standard", "synchronous", "ready" or "put" for half a round trip; "send" and
            "receive" for the calls alone; "gap" for one message of a row.
        size: Bytes.
        seconds: The time.
    """

    kind: str
    size: int
    seconds: float


@dataclass(frozen=True)
class Fit:
    """The result.

    Args:
        path: "node" if the messages went through the memory of one node, else "network".
        values: PARAMETERS in seconds, or seconds per byte.
        gap_s: LogGOPS g; 0 where the overheads hide it.
        eager_limit: Largest size that is sent at once; None if no larger one was measured.
        next_size: The next larger size of the measurement: the limit lies below it.
        ready_rendezvous: Whether longer ready sends take a rendezvous.
    """

    path: str
    values: Mapping[str, float]
    gap_s: float
    eager_limit: int | None
    next_size: int | None
    ready_rendezvous: bool = False

    def seconds(self, kind: str, size: int) -> float:
        """Returns the time of a measured kind by the fitted costs (without the gap)."""
        terms = _terms(kind, size, _Way(self.eager_limit, self.path, self.ready_rendezvous))
        return sum(self.values[name] * factor for name, factor in terms.items())


@dataclass(frozen=True)
class _Way:
    """The way of messages: what decides which costs they have.

    Args:
        limit: Largest size that is sent at once; None if all are.
        path: One of PATHS.
        ready_rendezvous: Whether longer ready sends take a rendezvous.
    """

    limit: int | None
    path: str
    ready_rendezvous: bool = False

    def is_eager(self, size: int) -> bool:
        """Returns whether a message is sent at once."""
        return self.limit is None or size <= self.limit

    def has_handshake(self, kind: str, size: int) -> bool:
        """Returns whether the data of a send wait for an answer of the receiver."""
        if kind == "ready":
            return self.ready_rendezvous and not self.is_eager(size)
        return kind == "synchronous" or (kind != "put" and not self.is_eager(size))


def fit(points: Sequence[Point], path: str) -> Fit:
    """Fits the costs of messages.

    Args:
        points: Measured times of several sizes; kinds that are absent leave their parameter zero.
        path: One of PATHS.

    Raises:
        ConfigError: If there are too few sizes, or a time that is not positive.
        Error: If the package scipy is missing.
    """
    return fits(points, path)[0]


def fits(points: Sequence[Point], path: str, count: int = 3) -> list[Fit]:
    """Fits the costs of messages with several limits of eager messages, the best one first.

    Args:
        points: As for `fit`.
        path: One of PATHS.
        count: Number of limits.

    Raises:
        ConfigError: As `fit`.
        Error: If the package scipy is missing.
    """
    if path not in PATHS:
        raise ConfigError(f"path '{path}': known are {', '.join(PATHS)}")
    sizes = sorted({point.size for point in points if point.kind == "standard"})
    if len(sizes) < 4:
        raise ConfigError(
            f"a fit needs ping-pongs of at least 4 sizes, the measurement has {len(sizes)}"
        )
    if any(not point.seconds > 0 for point in points):
        raise ConfigError("a measured time is not positive")
    decisive = [point for point in points if point.kind in _TWO_SIDED]
    costs = [_solve(decisive, _Way(limit, path))[1] for limit in sizes]
    order = sorted(range(len(sizes)), key=lambda index: costs[index])
    return [_with_limit(points, path, sizes, index) for index in order[:count]]


def _with_limit(points: Sequence[Point], path: str, sizes: Sequence[int], best: int) -> Fit:
    """Fits with the limit `sizes[best]`; no limit is seen if that is the largest size."""
    is_last = best == len(sizes) - 1
    limit = None if is_last else sizes[best]
    used = [point for point in points if point.kind != "gap"]
    ways = [_Way(limit, path, ready_rendezvous) for ready_rendezvous in (False, True)]
    solved = [_solve(used, way) for way in ways]
    # A handshake that explains nothing is not made up.
    chosen = int(solved[1][1] < (1 - _CLEARLY) * solved[0][1])
    next_size = None if is_last else sizes[best + 1]
    result = Fit(path, solved[chosen][0], 0.0, limit, next_size, ways[chosen].ready_rendezvous)
    gap = _gap(points, result) if path == "network" else 0.0
    return replace(result, gap_s=gap)


def _solve(points: Sequence[Point], way: _Way) -> tuple[dict[str, float], float]:
    """Returns values that are not negative, and the mean loss."""
    terms = [_terms(point.kind, point.size, way) for point in points]
    return solve(PARAMETERS, terms, [point.seconds for point in points])


def solve(
    names: Sequence[str], terms: Sequence[Mapping[str, float]], seconds: Sequence[float]
) -> tuple[dict[str, float], float]:
    """Fits times that are sums of parameters times known factors, robustly and by relative errors.

    Args:
        names: Parameters.
        terms: The factors of each time.
        seconds: The times.

    Returns:
        The parameters, none negative, and the mean loss.
    """
    optimize = extras.need("scipy.optimize", "fits", "calibrate")
    matrix = np.zeros((len(seconds), len(names)))
    for row, (factors, time) in enumerate(zip(terms, seconds, strict=True)):
        for name, factor in factors.items():
            matrix[row, names.index(name)] = factor / time
    # Columns of one size, whatever their unit.
    scale = np.linalg.norm(matrix, axis=0)
    scale[scale == 0.0] = 1.0
    scaled: Array = matrix / scale
    ones = np.ones(len(seconds))
    start, _ = optimize.nnls(scaled, ones)
    found = optimize.least_squares(
        lambda x: scaled @ x - ones,
        start + 1e-12,
        jac=lambda x: scaled,
        bounds=(0.0, np.inf),
        loss="soft_l1",
        f_scale=_USUAL_ERROR,
    )
    values = np.where(found.x * scaled.max(axis=0) < 1e-6, 0.0, found.x) / scale
    return dict(zip(names, map(float, values), strict=True)), float(found.cost) / len(seconds)


def _terms(kind: str, size: int, way: _Way) -> _Terms:
    """Returns the number of times that each parameter enters a measured time."""
    terms = _pure_terms(kind, size, way)
    if kind not in ("synchronous", "ready"):
        return terms
    # The first message of a repetition is always a standard one.
    standard = _pure_terms("standard", size, way)
    return {
        name: terms.get(name, 0) + (standard.get(name, 0) - terms.get(name, 0)) / _MESSAGES
        for name in terms | standard
    }


def _pure_terms(kind: str, size: int, way: _Way) -> _Terms:
    eager, path = way.is_eager(size), way.path
    if kind == "send":
        return {"overhead_send": 1, "copy_send": size if eager else 0}
    if kind == "receive" and eager:
        return {"overhead_receive": 1, "copy_receive": size}
    if kind == "put":
        bytes_by = "put_per_byte" if path == "node" else "per_byte"
        return {
            "overhead_send": 1,
            "put": 1,
            "latency": 1,
            bytes_by: _wire_bytes(size, False, path),
        }
    buffered = eager and kind in ("standard", "ready")
    terms: _Terms = {"latency": 1, "per_byte": _wire_bytes(size, buffered, path)}
    terms["overhead_receive"] = 1
    if kind != "receive":
        terms["overhead_send"] = 1
    if buffered:
        terms |= {"copy_send": size, "copy_receive": size}
    if kind in ("synchronous", "ready"):
        terms[kind] = 1
    if way.has_handshake(kind, size):
        # An announcement and the answer; the announcement has come before a late receive.
        _add_handshake(terms, 1 if kind == "receive" else 2, path)
        if not eager:
            terms["rendezvous"] = 1
    return terms


def _wire_bytes(size: int, buffered: bool, path: str) -> float:
    """Returns the bytes whose time counts between the processors, without their copies."""
    if path == "network":
        return max(size - 1, 0)
    return 0 if buffered else size


def _add_handshake(terms: _Terms, messages: int, path: str) -> None:
    if path == "node":
        terms["control"] = messages
        return
    terms["latency"] += messages
    terms["per_byte"] += messages * (_CONTROL_BYTES - 1)


def _gap(points: Sequence[Point], fitted: Fit) -> float:
    """Returns G from the rate of short messages, where it is slower than their overheads allow."""
    gaps = []
    for point in points:
        if point.kind != "gap" or point.size > (fitted.eager_limit or point.size):
            continue
        busy = max(fitted.seconds("send", point.size), fitted.seconds("receive", point.size))
        body = fitted.values["per_byte"] * (point.size - 1)
        # The first message travels all the way, and so does the answer, which has no data.
        alone = fitted.seconds("standard", point.size) + fitted.seconds("standard", 0)
        between = (_ROW * point.seconds - alone) / (_ROW - 1)
        if between > _SEEN_GAP * busy:
            gaps.append(between - body)
    return max(float(np.median(gaps)), 0.0) if gaps else 0.0
