"""Table 2: the model with data under every protocol gives the same bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tradewind import core, extras
from tradewind.models.case import Case
from tradewind.models.run import run
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.tables import Cell, Table

if TYPE_CHECKING:
    import xarray

_METHODS = ("transpose", "DTH", "DR")
_RANKS = 8


def _names() -> list[str]:
    """Returns protocols of the table and their overlap forms, such as "(0,0)"."""
    return sorted({name for name in core.protocols().values() if name.startswith("(")})


def _dataset(same: list[list[float]]) -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    dataset: xarray.Dataset = xr.Dataset(
        {"same_bits": (("protocol", "method"), same)},
        {"protocol": _names(), "method": list(_METHODS)},
    )
    return dataset


def _last_fields(method: str, protocol: str) -> dict[str, bytes]:
    settings = {
        "case": 6,
        "truncation": 21,
        "levels": 3,
        "time_step": "900 s",
        "days": 4 * 900 / 86400,
        "method": method,
        "processes": [4, 2],
        "protocol": protocol,
    }
    done = run(Case.read("pstswm", {"pstswm": settings}), _RANKS)
    return {
        name: np.ascontiguousarray(values).tobytes()
        for name, values in done.snapshots[-1].fields.items()
    }


def evaluate(part: Part, context: Context) -> Evaluation:
    """Runs case 6 on 4 x 2 ranks, four steps, under each protocol.

    Args:
        part: The part.
        context: The study.

    Returns:
        Whether the bits agree, by method and protocol, with a table.
    """
    usual = {method: _last_fields(method, "default") for method in _METHODS}
    same = [
        [float(_last_fields(method, protocol) == usual[method]) for method in _METHODS]
        for protocol in _names()
    ]
    rows: list[list[Cell]] = [
        [name, *("yes" if one else "no" for one in found)]
        for name, found in zip(_names(), same, strict=True)
    ]
    table = Table("Same bits as with the default protocol", ("protocol", *_METHODS), rows)
    return Evaluation(_dataset(same), {part.name: table})


def outline(part: Part, context: Context) -> xarray.Dataset:
    """Returns every protocol and method.

    Args:
        part: The part.
        context: The study.
    """
    return _dataset([[1.0] * len(_METHODS)] * len(_names()))


PROTOCOLS = Evaluator(outline, evaluate)
