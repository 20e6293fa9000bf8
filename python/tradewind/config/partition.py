"""The distribution of a mesh's items over ranks: by METIS, from a file, and how good it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tradewind import core, extras
from tradewind.config import keys
from tradewind.config.schema import Section, Where
from tradewind.errors import ConfigError
from tradewind.files import load_text

Numbers = NDArray[np.int64]
# The keys of programs whose items one can distribute.
_METHOD, _FILE = "partition", "partition_file"
# The package, what it is for, and its extra.
_METIS = ("pymetis", "partitions by METIS", "mesh")


@dataclass(frozen=True)
class ItemGraph:
    """The items that a program distributes, and what two neighbours exchange.

    Args:
        first: The place of the first neighbour of each item; the last entry is the number of all.
        neighbors: The neighbours of all items, one item after the other.
        weights: The points that an item exchanges with each neighbour.
        owners: The rank of each item where nothing else is chosen.
    """

    first: Numbers
    neighbors: Numbers
    weights: Numbers
    owners: Numbers


@dataclass(frozen=True)
class PartitionQuality:
    """The properties of a distribution.

    Args:
        edge_cut: Points that ranks exchange, each pair of items counted once.
        imbalance: Items of the largest part over the average.
        most_neighbors: The most ranks with which one rank exchanges messages.
        mean_neighbors: The average of them.
        most_points: The most points that one rank sends.
    """

    edge_cut: int
    imbalance: float
    most_neighbors: int
    mean_neighbors: float
    most_points: int


def item_graph(model: str, settings: Mapping[str, object], ranks: int) -> ItemGraph:
    """Returns the items of a program.

    Raises:
        ConfigError: If the program distributes no items, or the settings are wrong.
    """
    known = [name for name, entry in keys.programs().items() if entry.has_items]
    if model not in known:
        raise ConfigError(f"{model}: has no items to distribute; programs with them: {known}")
    own = {key: value for key, value in settings.items() if key not in (_METHOD, _FILE)}
    graph = core.load().item_graph({"program": own | {"name": model, "ranks": ranks}})
    assert graph is not None
    return ItemGraph(**{key: np.array(values, np.int64) for key, values in graph.items()})


def metis(graph: ItemGraph, ranks: int) -> Numbers:
    """Returns the rank of each item by METIS.

    Of its two methods, k-way and recursive bisection, that with the smaller largest part is taken, or
    else that with the fewer points between ranks. Parts that METIS leaves empty take an item from the
    largest one.

    Raises:
        Error: If pymetis is not installed.
    """
    if ranks == 1:
        extras.need(*_METIS)
        return np.zeros(len(graph.owners), np.int64)
    found = []
    for recursive in (False, True):
        owners = _without_empty_parts(divided(graph, ranks, recursive=recursive), ranks)
        one = quality(graph, owners, ranks)
        found.append((one.imbalance, one.edge_cut, recursive, owners))
    return min(found, key=lambda entry: entry[:3])[3]


def divided(graph: ItemGraph, parts: int, *, recursive: bool) -> Numbers:
    """Returns the part of each item by one method of METIS; a part may be empty.

    Args:
        graph: The items and what two neighbours exchange.
        parts: The number of parts.
        recursive: Recursive bisection, which gives close parts close numbers, instead of k-way.

    Raises:
        Error: If pymetis is not installed.
    """
    pymetis = extras.need(*_METIS)
    _, found = pymetis.part_graph(
        parts,
        pymetis.CSRAdjacency(graph.first, graph.neighbors),
        eweights=graph.weights,
        recursive=recursive,
        options=pymetis.Options(seed=1),
    )
    return np.array(found, np.int64)


def _without_empty_parts(owners: Numbers, ranks: int) -> Numbers:
    """Gives every empty part an item of the largest one."""
    sizes = np.bincount(owners, minlength=ranks)
    for rank in np.flatnonzero(sizes == 0):
        largest = int(np.argmax(sizes))
        owners[np.flatnonzero(owners == largest)[-1]] = rank
        sizes[largest] -= 1
        sizes[rank] += 1
    return owners


def quality(graph: ItemGraph, owners: Numbers, ranks: int) -> PartitionQuality:
    """Returns the properties of a distribution."""
    source = np.repeat(owners, np.diff(graph.first))
    target = owners[graph.neighbors]
    between = source != target
    pairs = np.unique(source[between] * ranks + target[between])
    neighbors = np.bincount(pairs // ranks, minlength=ranks)
    points = np.bincount(source[between], graph.weights[between], minlength=ranks)
    sizes = np.bincount(owners, minlength=ranks)
    return PartitionQuality(
        int(graph.weights[between].sum()) // 2,
        float(sizes.max() / sizes.mean()),
        int(neighbors.max()),
        float(neighbors.mean()),
        int(points.max()),
    )


def metis_text(graph: ItemGraph) -> str:
    """Returns a graph as METIS reads it: `ITEMS EDGES 1`, then neighbours, counted from 1, and weights of each item.

    Weights are left out if all are 1. Then each item counts once for every part that has a neighbour of it.
    """
    are_weighted = bool(np.any(graph.weights != 1))
    columns = [graph.neighbors + 1, *([graph.weights] if are_weighted else [])]
    numbers = np.stack(columns, 1)
    lines = [
        " ".join(map(str, numbers[first:end].ravel().tolist()))
        for first, end in zip(graph.first[:-1], graph.first[1:], strict=True)
    ]
    head = f"{len(lines)} {len(graph.neighbors) // 2}{' 1' if are_weighted else ''}"
    return "\n".join([head, *lines]) + "\n"


def text_of(owners: Sequence[int] | Numbers) -> str:
    """Returns the ranks as METIS writes them, one a line."""
    return "".join(f"{rank}\n" for rank in owners)


def read_partition_file(section: Section, where: Where, directory: Path) -> Section:
    """Puts the ranks in the place of the name of their file, if there is one.

    Args:
        section: Checked keys of a program; others come back as they are.
        where: Its place, for messages.
        directory: Where the relative path of the file starts.

    Raises:
        ConfigError: If the file cannot be read.
    """
    given = str(section.get(_FILE, "\n"))
    if "\n" in given:
        return section
    try:
        words = load_text(directory / given).split()
    except ConfigError as error:
        raise where.error(_FILE, given, str(error)) from None
    return section | {_FILE: "".join(f"{word}\n" for word in words) or "\n"}


def with_metis(model: str, section: Section, ranks: int) -> Section:
    """Adds the ranks of all items where METIS is to find them.

    Args:
        model: The name of a program.
        section: Checked keys of it; others come back as they are.
        ranks: The number of ranks.

    Raises:
        ConfigError: If the settings or the ranks are wrong.
        Error: If pymetis is not installed.
    """
    if section.get(_METHOD) != "metis" or _FILE in section:
        return section
    if not keys.programs()[model].has_items:
        return section
    return section | {_FILE: text_of(metis(item_graph(model, section, ranks), ranks))}
