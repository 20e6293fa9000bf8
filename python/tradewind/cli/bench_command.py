"""`tradewind bench`: measures on real MPI processes of this machine."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from tradewind import bench, extras
from tradewind.bench import Measurements
from tradewind.bench.swap import present_transport
from tradewind.cli import console, options, overlap_tables, swap_tables
from tradewind.config import keys
from tradewind.config.schema import Key
from tradewind.errors import ConfigError
from tradewind.files import make_folder, shortened
from tradewind.host import usable_cores
from tradewind.units import SIZE


def _declared(key: str) -> Key:
    """Returns a setting as a measurement declares it."""
    return next(table[key] for table in keys.measurements().values() if key in table)


def _default(key: str) -> dict[str, Any]:
    """Returns the arguments of an option that leaves its default to the measurement."""
    return {"show_default": str(_declared(key).default)}


def _range(key: str) -> options.Finite:
    """Returns the range of a setting."""
    return options.Finite(min=_declared(key).low, max=_declared(key).high)


def _choice(key: str) -> click.Choice[str]:
    """Returns the allowed words of a setting."""
    return click.Choice(_declared(key).choices)


@click.command("bench")
@click.argument("name", type=click.Choice(bench.names()))
@options.mpi_ranks()
@options.output_folder("Folder for results.")
@click.option(
    "--sizes",
    help='Sizes, such as "8,1024,1 MiB"; default: 8 B to 1 MiB, for swap 8 KB to 2 MB, for mesh '
    "8 to 832 B of a point.",
)
@click.option(
    "--repetitions",
    type=int,
    show_default="100; overlap: by size",
    help="Repetitions of every case.",
)
@click.option("--warm-up", type=int, **_default("warm_up"), help="Untimed repetitions before them.")
@click.option("--operation", "operations", multiple=True, help="Collectives: only this operation.")
@click.option(
    "--algorithm", **_default("algorithm"), help="Collectives, neighbor, mesh: only this algorithm."
)
@click.option("--transport", "transports", multiple=True, help="Swap: only this transport.")
@click.option("--protocol", **_default("protocol"), help="Swap: only this protocol.")
@click.option(
    "--processes",
    type=(int, int),
    metavar="COLUMNS ROWS",
    help="Neighbor, mesh: grid of the ranks.",
)
@click.option(
    "--neighbors",
    type=int,
    **_default("neighbors"),
    help="Neighbor: neighbours of a rank in the grid.",
)
@click.option(
    "--edges",
    type=click.Path(path_type=Path),
    help='Neighbor: file with lines "source destination", instead of a grid.',
)
@click.option(
    "--elements",
    type=int,
    **_default("elements"),
    help="Mesh: elements along each side of a rank's square.",
)
@click.option("--connectivity", **_default("connectivity"), help="Mesh: points that are shared.")
@click.option("--combination", **_default("combination"), help="Mesh: sum, or copy.")
@click.option(
    "--send-mode",
    type=_choice("send_mode"),
    **_default("send_mode"),
    help="Overlap: kinds of sends.",
)
@click.option(
    "--average", type=_choice("average"), **_default("average"), help="Overlap: of repetitions."
)
@click.option(
    "--fully-visible",
    type=_range("fully_visible"),
    **_default("fully_visible"),
    help="Overlap: work is hidden up to this factor times the time without work.",
)
@click.option(
    "--work-dominates",
    type=_range("work_dominates"),
    **_default("work_dominates"),
    help="Overlap: work grows up to this factor times the time without work.",
)
@options.launcher()
@options.watchdog()
@options.json_output()
def command(
    name: str,
    ranks: int,
    folder: Path | None,
    sizes: str | None,
    repetitions: int | None,
    warm_up: int | None,
    operations: tuple[str, ...],
    algorithm: str | None,
    transports: tuple[str, ...],
    protocol: str | None,
    processes: tuple[int, int] | None,
    neighbors: int | None,
    edges: Path | None,
    elements: int | None,
    connectivity: str | None,
    combination: str | None,
    send_mode: str | None,
    average: str | None,
    fully_visible: float | None,
    work_dominates: float | None,
    launcher: str | None,
    as_json: bool,
) -> int:
    """Measure on real MPI.

    pingpong: half round trip by kind of send. swap: two ranks exchange messages by every protocol of
    worley1998, by messages and by one-sided puts. collectives: every algorithm beside the library's own.
    overlap: how much of a message's time computation can hide, by the method and in the layout of
    Sandia's mpi_overhead, for standard and synchronous sends. overhead: processor time of a send and of a receive. kernels: speed of memory and
    transforms. neighbor: messages along a graph of ranks, beside the library's own with and without
    reordering of ranks. mesh: the exchange between parts of a mesh by every schedule and carrier.
    """
    _refuse_others(click.get_current_context(), name)
    if folder is not None:
        extras.need("xarray", "results of measurements")
        make_folder(folder)
    result = bench.measure(
        name,
        ranks,
        operations=operations or None,
        algorithm=algorithm,
        transports=_present(transports) or None,
        protocol=protocol,
        graph=bench.read_edges(edges) if edges else bench.NeighborGraph(processes, neighbors),
        overlap=bench.OverlapMethod(send_mode, average, fully_visible, work_dominates),
        mesh=bench.MeshGrid(processes, elements, connectivity, combination),
        sizes=[_bytes(word) for word in sizes.split(",")] if sizes else None,
        repetitions=repetitions,
        warm_up=warm_up,
        launcher=launcher,
    )
    if ranks > usable_cores():
        console.note(
            f"{ranks} ranks share {usable_cores()} cores: these times say nothing about the MPI library"
        )
    if as_json:
        console.print_json(result.to_dict())
    else:
        for table in _tables(result):
            console.output.print(table)
    if folder is not None:
        _write(result, folder)
    return 0


# The parameters that have another name than their key.
_KEYS = {"operations": "operation", "transports": "transport"}


def _refuse_others(context: click.Context, name: str) -> None:
    """Refuses the options that only other measurements have.

    Raises:
        ConfigError: Naming the option, and the measurements that have it.
    """
    known = keys.measurements()
    for parameter in context.command.params:
        word = str(parameter.name)
        key = _KEYS.get(word, word)
        owners = [one for one, table in known.items() if key in table]
        is_given = context.get_parameter_source(word) is click.core.ParameterSource.COMMANDLINE
        if is_given and owners and name not in owners:
            raise ConfigError(
                f"bench {name}: {parameter.opts[0]} is an option of {', '.join(owners)}"
            )


def _present(transports: tuple[str, ...]) -> list[str]:
    """Returns the transports by their present names, with a note on a former one."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FutureWarning)
        names = [present_transport(name) for name in transports]
    for warning in caught:
        console.note(str(warning.message))
    return names


def _bytes(word: str) -> int:
    text = word.strip()
    try:
        return int(SIZE.parse(f"{text} B" if text.lstrip("-").isdigit() else text))
    except ConfigError as error:
        raise ConfigError(f"--sizes {shortened(text)}: {error}") from None


def _tables(result: Measurements) -> list[Table]:
    if result.name == "swap":
        return swap_tables.tables(result)
    if result.name == "overlap":
        return overlap_tables.tables(result)
    return [_table(result, operation) for operation in result.operations]


def _table(result: Measurements, operation: str) -> Table:
    """Returns medians in microseconds, one line per size and one column per kind or algorithm."""
    rows = [row for row in result.rows if row.operation == operation]
    names = list(dict.fromkeys(row.name for row in rows))
    table = Table(title=f"{operation}, {result.ranks} ranks, {result.library}: median (µs)")
    table.add_column("bytes", justify="right")
    for name in names:
        table.add_column(name, justify="right")
    for size in dict.fromkeys(row.size for row in rows):
        cells = [str(size)]
        for name in names:
            row = next((row for row in rows if (row.name, row.size) == (name, size)), None)
            cells.append("" if row is None else f"{row.median_s * 1e6:.2f}")
        table.add_row(*cells)
    return table


def _write(result: Measurements, folder: Path) -> None:
    """Writes NetCDF with every repetition, a picture for each operation, and tables of overlap."""
    from tradewind.results.netcdf import write_netcdf

    path = folder / f"{result.name}.nc"
    write_netcdf(result.to_xarray(), path)
    written = [path, *_draw(result, folder)]
    if result.name == "overlap":
        written += overlap_tables.write(result, folder)
    for file in written:
        console.note(f"wrote {file}")


def _draw(result: Measurements, folder: Path) -> list[Path]:
    """Writes the pictures of a measurement; returns their paths."""
    from tradewind.plots import measurements as plot
    from tradewind.plots import overlap
    from tradewind.plots.style import save

    if result.name == "swap":
        return [save(plot.draw_swaps(result), folder / "swap.png")]
    several = [
        operation
        for operation in result.operations
        if len({row.size for row in result.rows if row.operation == operation}) > 1
    ]
    if several and result.name == "overlap":
        title = f"overlap, {result.ranks} ranks, {result.library}"
        return [save(overlap.draw(overlap.curves(result), title), folder / "overlap.png")]
    return [
        save(plot.draw(result, operation), folder / f"{operation}.png") for operation in several
    ]
