"""Writes the tables of docs/explanation/semi_lagrangian.md: errors, halo volumes, iterations.

Usage: python bench/solver_tables.py [convergence] [volumes] [iterations]      (all, if none is named)

Nothing in the tables depends on the machine or its load.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from tradewind.models.case import Case
from tradewind.models.run import run

_DAY_S = 86400.0
_PERIOD_S = 12 * _DAY_S
_MEGA = 1e6
_ADVECTION = "semi_lagrangian"


def _run(model: str, ranks: int = 1, **settings: object) -> dict[str, Any]:
    final = run(Case.read(model, {model: settings}), ranks).final
    return {**final.fields, **final.numbers}


def _convergence() -> Iterator[tuple[object, ...]]:
    """Errors after 12 days; steps as many as rows."""
    yield "flow", "grid", "steps", "Courant number", "l1", "l2", "max", "mean after / before - 1"
    flows = (
        ("solid_body", 0.0, 1, (24, 48, 96)),
        ("solid_body", 45.0, 1, (24, 48, 96)),
        ("solid_body", 90.0, 1, (24, 48, 96)),
        ("deformation", 0.0, 1, (24, 48, 96)),
        ("dcmip_1_1", 0.0, 13, (12, 24, 48)),
    )
    for flow, alpha, levels, sizes in flows:
        for rows in sizes:
            nz = levels if levels == 1 else (levels - 1) * rows // sizes[0] + 1
            steps = max(rows, 24)
            found = _run(
                _ADVECTION,
                case=flow,
                alpha_deg=alpha,
                grid=[2 * rows, rows, nz],
                steps=steps,
                time_step=f"{_PERIOD_S / steps} s",
            )
            error = found["error"]
            yield (
                f"{flow}, {alpha:g}°" if flow == "solid_body" else flow,
                f"{2 * rows} x {rows} x {nz}",
                steps,
                f"{found['courant']:.2f}",
                *(f"{error[norm]:.3e}" for norm in ("l1", "l2", "maximum")),
                f"{found['mean'] / found['initial_mean'] - 1:.1e}",
            )


def _volumes() -> Iterator[tuple[object, ...]]:
    """One step of dcmip_1_1 on one degree, for 200 m/s."""
    yield (
        *("ranks", "time step", "halo rows", "fastest wind", "wide: messages", "wide: MB"),
        *("on demand: messages", "on demand: MB", "of these maps: MB", "columns sent / wide"),
    )
    for ranks in (12, 48, 192):
        for step_s in (900, 2700):
            wide, on_demand = (
                _run(
                    _ADVECTION,
                    ranks,
                    case="dcmip_1_1",
                    grid=[360, 180, 8],
                    time_step=f"{step_s} s",
                    exchange=exchange,
                )
                for exchange in ("wide", "on_demand")
            )
            assert (wide["tracer"] == on_demand["tracer"]).all()
            halo, asked = wide["halo"], on_demand["halo"]
            yield (
                ranks,
                f"{step_s} s",
                wide["halo_rows"],
                f"{wide['fastest_wind_m_s']:.0f} m/s",
                halo["messages"],
                f"{halo['bytes'] / _MEGA:.2f}",
                asked["messages"],
                f"{asked['bytes'] / _MEGA:.2f}",
                f"{asked['request_bytes'] / _MEGA:.3f}",
                f"{asked['columns_sent'] / halo['columns']:.1%}",
            )


def _iterations() -> Iterator[tuple[object, ...]]:
    """Runs on 64 x 48 x 24 points and 12 ranks."""
    yield "method", "preconditioner", "k", "iterations", "reductions", "true residual", "error"
    for preconditioner in ("line", "none"):
        for k in (1, 2, 3, 5, 10, 30):
            for method in ("gcr", "pipelined_gcr"):
                found = _run(
                    "helmholtz",
                    12,
                    grid=[64, 48, 24],
                    method=method,
                    preconditioner=preconditioner,
                    restart=k,
                )
                yield (
                    *(method, preconditioner, k, found["iterations"], found["reductions"]),
                    *(f"{found['true_residual']:.3e}", f"{found['error']:.2e}"),
                )


_TABLES = {"convergence": _convergence, "volumes": _volumes, "iterations": _iterations}


def main() -> None:
    """Prints the tables that are named."""
    for name in sys.argv[1:] or _TABLES:
        print(f"\n{name}: {_TABLES[name].__doc__}\n")
        for number, row in enumerate(_TABLES[name]()):
            print("| " + " | ".join(str(cell) for cell in row) + " |", flush=True)
            if number == 0:
                print("|" + "---|" * len(row))


if __name__ == "__main__":
    main()
