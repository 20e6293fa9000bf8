"""Steps from a rank to its peer on a process grid: numbers, or formulas such as nx // 2 and (x ^ 2 ** k) - x."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.errors import TraceError
from tradewind.extrapolation.formula import evaluate, folded, place_after_pairs, tournament
from tradewind.extrapolation.grids import AXES, Vector, offset_between

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LARGEST_STEP = 2.0**40
# Distances in the turns of loops that count them.
_LINEAR, _DOUBLING = "k + 1", "2 ** k"
# A step along one axis.
Step = int | str
# The possible steps along each axis after all ranks that were seen: a whole number first, if it is one.
Steps = tuple[tuple[Step, ...], ...]


class OutsideError(TraceError):
    """A step that leads to a rank which does not exist.

    Args:
        fault: Which rank has the step, and where it leads.
        ranks: The number of ranks.
        origin: The end of the message, which tells where the step comes from.
    """

    def __init__(self, fault: str, ranks: int, origin: str = "") -> None:
        super().__init__(f"on {ranks} ranks {fault}{origin}")
        self.fault = fault


@dataclass(frozen=True, eq=False)
class Peer:
    """The peer of a message of one rank; `peer_of` makes equal ones once, so that they are quick to compare.

    Args:
        extents: The process grid.
        rank: The own rank in the world.
        other: The rank of the peer.
        turn: The turn of the loop that counts its turns; -1: none.
        with_formulas: Whether the step may be a formula.
        with_pauses: Whether it may be a formula of rounds in which ranks pause.
    """

    extents: Vector
    rank: int
    other: int
    turn: int = -1
    with_formulas: bool = False
    with_pauses: bool = False

    @cached_property
    def steps(self) -> Steps:
        """The possible steps along each axis."""
        formulas = self.with_formulas, self.with_pauses
        return _steps(self.extents, self.rank, self.other, self.turn, *formulas)

    @cached_property
    def steps_of_turn(self) -> Steps:
        """Those with the turn in them; along an axis without a step it may be 0."""
        return tuple(
            tuple(step for step in one if step == 0 or (isinstance(step, str) and "k" in step))
            for one in self.steps
        )

    @cached_property
    def _place(self) -> list[int]:
        """The own coordinates."""
        return _place(self.extents, self.rank)

    @cached_property
    def shift(self) -> tuple[int, int]:
        """The axis and the step along it, without wrapping around, if the peer is elsewhere on this axis alone; or 0."""
        places = zip(self._place, _place(self.extents, self.other), strict=True)
        shifts = [
            (axis, there - here) for axis, (here, there) in enumerate(places) if there != here
        ]
        return shifts[0] if len(shifts) == 1 else (0, 0)

    @cached_property
    def folded_shift(self) -> tuple[int, int]:
        """The same among the ranks that go on after the first ones have formed pairs, so that a power of two is left."""
        axis, step = self.shift
        extent, here = self.extents[axis], self._place[axis]
        places = [place_after_pairs(extent, place) for place in (here, here + step)]
        return (axis, places[1] - places[0]) if -1 not in places and step else (0, 0)

    def is_inside(self, step: Sequence[Step]) -> bool:
        """Reports whether a step leads to a place in the grid, without wrapping around."""
        places = zip(self._place, step, self.extents, strict=True)
        return all(isinstance(s, str) or 0 <= own + s < extent for own, s, extent in places)

    def at_turn(self, turn: int) -> Peer:
        """Returns the same peer in a turn of a loop that counts its turns."""
        formulas = self.with_formulas, self.with_pauses
        return peer_of(self.extents, self.rank, self.other, turn, *formulas)

    def without_formulas(self) -> Peer:
        """Returns the same peer with steps that are numbers."""
        return peer_of(self.extents, self.rank, self.other, self.turn, False, self.with_pauses)


peer_of = cache(Peer)


@lru_cache(maxsize=2**16)
def common_steps(known: Steps, peer: Peer) -> Steps | None:
    """Returns what the steps of ranks can be if this peer is one of them; None if it cannot be."""
    steps = peer.steps
    return known if known == steps else _common(peer.extents, known, steps)


@lru_cache(maxsize=2**16)
def _common(extents: Vector, known: Steps, steps_of_peer: Steps) -> Steps | None:
    left = []
    for extent, steps, own in zip(extents, known, steps_of_peer, strict=True):
        if steps == own:
            left.append(steps)
            continue
        numbers = {step % extent for step in own if isinstance(step, int)}
        kept = tuple(
            [
                step
                for step in steps
                if (step % extent in numbers if isinstance(step, int) else step in own)
            ]
        )
        if not kept:
            return None
        left.append(kept)
    return tuple(left)


def is_inside(step: Sequence[Step], names: Mapping[str, Any]) -> Any:
    """Returns for each entry of the names of formulas whether a step stays in the grid, without wrapping around."""
    inside = np.ones(np.shape(names["P"]), bool)
    for axis, one in zip(AXES, step, strict=False):
        place = names[axis] + np.asarray(evaluate(one, names))
        inside &= (place >= 0) & (place < names[f"n{axis}"])
    return inside


def check_bits(
    call: str, step: Sequence[Step], names: Mapping[str, Any], there: NDArray[np.bool_]
) -> None:
    """Throws OutsideError if an exclusive or of bits leads out of the grid, where nothing wraps around.

    Args:
        call: The call and its call site.
        step: The step along each axis.
        names: The values of the names of formulas.
        there: Whether each rank has a peer at that step.
    """
    for axis, one in zip(AXES, step, strict=False):
        if not isinstance(one, str) or "^" not in one:
            continue
        place, extent = names[axis] + _whole(one, names), names[f"n{axis}"]
        outside = np.flatnonzero(there & ((place < 0) | (place >= extent)))
        if len(outside):
            rank = int(outside[0])
            raise OutsideError(
                f'{call} of rank {rank} has no peer: the step "{one}" leads to {axis} = {place[rank]}, '
                f"where n{axis} = {extent[rank]}",
                len(there),
            )


def names_of_peer(step: Sequence[Step], names: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the coordinates of the peer at a step, by their names in formulas.

    Args:
        step: The step along each axis.
        names: The values of the names of formulas, with k in loops that count their turns.

    Raises:
        TraceError: If a formula of the step has no value.
    """
    return {
        f"peer_{axis}": np.mod(names[axis] + _whole(one, names), names[f"n{axis}"])
        for axis, one in zip(AXES, step, strict=False)
    }


def _whole(step: Step, names: Mapping[str, Any]) -> Any:
    """Evaluates a step along an axis to whole numbers, which may be negative.

    Raises:
        TraceError: If one is infinite, too large or no number.
    """
    found = np.asarray(evaluate(step, names), float)
    if np.any(np.isnan(found)):
        raise TraceError(f'the step "{step}" has no value on {len(names["P"])} ranks')
    if not np.all(np.abs(found) < _LARGEST_STEP):
        raise TraceError(f'the step "{step}" is infinite or too large for a rank')
    return np.rint(found).astype(np.int64)


def by_turns(steps: Steps, turns: str) -> Steps:
    """Returns the steps with 2 ** k in the place of k + 1, and the other way round, as belongs to the turns of their loop.

    Both are the same in the first two turns: 2 ** k belongs to a logarithm.
    """
    if _DOUBLING in turns or "log2" in turns:
        return steps
    return tuple(tuple(_twin(step, one) or step for step in one) for one in steps)


def doubtful_steps(steps: Steps) -> list[tuple[Step, str]]:
    """Returns the steps that may be others, with these: nothing tells 2 ** k from k + 1."""
    return [(one[0], twin) for one in steps if (twin := _twin(one[0], one))]


def _twin(step: Step, others: Sequence[Step]) -> str:
    """Returns the step with k + 1 in the place of 2 ** k, or the other way round, if it is among others, or empty."""
    for first, other in ((_DOUBLING, _LINEAR), (_LINEAR, _DOUBLING)):
        twin = str(step).replace(first, other)
        if first in str(step) and twin in others:
            return twin
    return ""


def moves_by(step: Sequence[Step]) -> str:
    """Returns the condition that a step leads to another rank, if formulas alone make it; otherwise nothing."""
    formulas = [one for one in step if isinstance(one, str)]
    if not formulas or any(one != 0 for one in step if isinstance(one, int)):
        return ""
    return " or ".join(f"{one} != 0" for one in formulas)


def simplest(steps: Steps) -> list[Step]:
    """Returns the simplest step along each axis."""
    return [one[0] for one in steps]


@cache
def _steps(
    extents: Vector, rank: int, other: int, turn: int, with_formulas: bool, with_pauses: bool
) -> Steps:
    shortest = offset_between(extents, rank, other)
    if not with_formulas:
        return tuple((step,) for step in shortest)
    own, there = _place(extents, rank), _place(extents, other)
    result: list[tuple[Step, ...]] = []
    for axis, step in enumerate(shortest):
        formulas = _formulas(extents, own, axis, there[axis])
        if with_pauses:
            beside = _formulas_beside_rounds(extents[axis], axis)
            in_turn = _formulas_with_pauses(extents[axis], own[axis], axis, turn)
            formulas = [*beside, *formulas, *in_turn]
        if turn >= 0:
            in_turn = _formulas_of_turn(extents[axis], own[axis], axis, turn)
            formulas = [*formulas, *in_turn, *_formulas_to_all(extents, own, axis, turn)]
        wanted = there[axis] - own[axis]
        fitting = [text for text, value in formulas if (value - wanted) % extents[axis] == 0]
        result.append((step, *fitting))
    return tuple(result)


def _place(extents: Vector, rank: int) -> list[int]:
    place = []
    for extent in extents:
        place.append(rank % extent)
        rank //= extent
    return place


def _formulas(extents: Vector, own: Sequence[int], axis: int, there: int) -> list[tuple[str, int]]:
    """Lists formulas of steps along an axis, with their values."""
    x, nx, here, extent = AXES[axis], f"n{AXES[axis]}", own[axis], extents[axis]
    result = [
        (f"{nx} // 2", extent // 2),
        (f"-({nx} // 2)", -(extent // 2)),
        (f"{nx} - 1 - 2 * {x}", extent - 1 - 2 * here),
        # The first place along the axis, and the last one: a rank that gathers from all others, or scatters to them.
        (f"-{x}", -here),
        (f"{nx} - 1 - {x}", extent - 1 - here),
    ]
    for number, place in enumerate(own):
        if number != axis:
            y = AXES[number]
            # Transposed places, and rows that are shifted by their number, as in the matrix product of Cannon.
            result += [(f"{y} - {x}", place - here), (y, place), (f"-{y}", -place)]
    bit = here ^ there
    if bit and bit & (bit - 1) == 0:
        result.append((f"({x} ^ {bit}) - {x}", there - here))
    return result


def _formulas_of_turn(extent: int, here: int, axis: int, turn: int) -> Iterator[tuple[str, int]]:
    """Yields the formulas with k, the turn of the loop."""
    x, nx = AXES[axis], f"n{AXES[axis]}"
    shifts = (
        ("2 ** k", 2**turn),
        (f"{nx} // 2 ** (k + 1)", extent // 2 ** (turn + 1)),
        ("k + 1", turn + 1),
        ("k", turn),
    )
    for text, value in shifts:
        # A round ends where its shift would go around the whole grid; what follows is another one.
        if value >= extent:
            continue
        grouped = text if text == "k" else f"({text})"
        yield text, value
        yield f"-{grouped}", -value
        yield f"({x} ^ {grouped}) - {x}", (here ^ value) - here
    if extent % 2 == 0 and turn < extent - 1:
        yield f"tournament({nx}, {x}, k) - {x}", int(tournament(extent, here, turn)) - here


def _formulas_to_all(
    extents: Vector, own: Sequence[int], axis: int, turn: int
) -> Iterator[tuple[str, int]]:
    """Yields the formulas of steps to all other ranks of a grid in turn, from the first rank or the last one."""
    inner = AXES[:axis]
    before = math.prod(extents[:axis])
    # Along a line the steps from the first rank are k + 1.
    for text, rank in (("(k + 1)", turn + 1), ("k", turn))[len(extents) == 1 :]:
        if rank >= math.prod(extents):
            continue
        if axis > 0:
            text += f" // {' // '.join(f'n{one}' for one in inner)}"
        if axis < len(extents) - 1:
            text = f"({text}) % n{AXES[axis]}" if " // " in text else f"{text} % n{AXES[axis]}"
        yield f"{text} - {AXES[axis]}", rank // before % extents[axis] - own[axis]


def _formulas_beside_rounds(extent: int, axis: int) -> Iterator[tuple[str, int]]:
    """Yields the formulas of steps before and after rounds in which the ranks beyond a power of two pause."""
    nx = f"n{AXES[axis]}"
    whole = 2 ** (extent.bit_length() - 1)
    yield f"2 ** floor(log2({nx}))", whole
    yield f"-(2 ** floor(log2({nx})))", -whole
    if extent > whole:
        yield f"{nx} - 2 ** floor(log2({nx}))", extent - whole
        yield f"-({nx} - 2 ** floor(log2({nx})))", whole - extent


def _formulas_with_pauses(
    extent: int, here: int, axis: int, turn: int
) -> Iterator[tuple[str, int]]:
    """Yields the formulas of rounds in which ranks pause."""
    x, nx = AXES[axis], f"n{AXES[axis]}"
    turns = (extent - 1).bit_length()
    if 0 <= turn < turns:
        text, value = f"2 ** (ceil(log2({nx})) - 1 - k)", 2 ** (turns - 1 - turn)
        yield text, value
        yield f"-({text})", -value
        yield f"({x} ^ ({text})) - {x}", (here ^ value) - here
    if 0 <= turn < extent.bit_length() - 1:
        yield f"folded({nx}, {x}, k) - {x}", int(folded(extent, here, turn)) - here
