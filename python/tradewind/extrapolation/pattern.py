"""Patterns: what a program says to whom, for any number of ranks, as a text that people read and change."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tradewind.errors import TraceError
from tradewind.extrapolation.formula import Formula
from tradewind.extrapolation.grids import GridRule
from tradewind.extrapolation.problem import NAMES_OF_CALLS, Problem
from tradewind.extrapolation.steps import Step
from tradewind.files import load_toml, shortened
from tradewind.trace_file import ALL_FLAGS

VERSION = 1
ALL = "all"
BY_RANK = "rank"
# The peers of a call that is made for all neighbours in a graph of ranks.
GRAPH_OF_RANKS = "graph"


@dataclass
class PatternCall:
    """A call of the program.

    Args:
        call: Its name, as in traces.
        group: The axes of its communicator, `world` or `self`.
        label: A name for the request that it starts, or empty.
        flags: Its flags, without that of nonblocking calls.
        site: Its call site, or empty.
        about: The communicator that it makes or frees, the phase, the name of an unknown call; or `all`, if a call on a
            window names all its ranks. Of a wait with a peer the call that starts its request.
        grid: The rule of the grid of its peers and formulas; empty: that of the pattern.
        window: The number of its window; -1: none.
        when: The condition on which a rank makes it; empty: always.
        offsets: The peers of its messages, as steps in the grid; of a neighbourhood the destinations, then the sources; of
            a wait for one request the peer of this one.
        sources: How many of the offsets are sources of a neighbourhood.
        peers_when: For each peer the condition on which it exists; empty: always. `inside`: at that step in the grid.
        null_peers: Whether a peer that does not exist is MPI_PROC_NULL in the list of a neighbourhood; otherwise it is
            left out.
        tags: The tags of its messages.
        numbers: Bytes, roots: a formula for each.
        counts: The formulas of lists, with j for the place in the communicator and m for its size.
        waits: The labels of the requests that it completes; `all`: all that are open.
        order: `rank`: of calls that follow each other, and differ in nothing but their messages, those come first whose
            peers have lower ranks; so do the peers of a neighbourhood. Empty: they are made as they stand.
        peers: `graph`: the call is made for each neighbour in a graph of ranks, in the order of their ranks; a call with
            a list of peers is made once, for all of them. Then there are no offsets, and numbers may depend on weight.
            A wait completes one request for each, the oldest first. Empty: the peers are those of the offsets.
        computed: Seconds of computation before it, by wall clock.
        processor: The same by processor time.
        io: Seconds that a call on a file takes.
    """

    call: str
    group: str = "world"
    label: str = ""
    flags: int = 0
    site: str = ""
    about: str = ""
    grid: str = ""
    window: int = -1
    when: str = ""
    offsets: list[list[Step]] = field(default_factory=list)
    sources: int = 0
    peers_when: list[str] = field(default_factory=list)
    null_peers: bool = False
    tags: list[Formula] = field(default_factory=list)
    numbers: list[Formula] = field(default_factory=list)
    counts: list[Formula] = field(default_factory=list)
    waits: list[str] = field(default_factory=list)
    order: str = ""
    peers: str = ""
    computed: Formula = 0
    processor: Formula = 0
    io: Formula = 0

    @property
    def named(self) -> str:
        """The call and its call site, as messages have them."""
        return self.call + (f" at {self.site}" if self.site else "")

    @property
    def about_group(self) -> str:
        """The communicator that the call makes or frees, or empty."""
        return self.about if self.call.startswith("comm_") and self.about != "none" else ""


@dataclass
class PatternLoop:
    """A loop.

    Args:
        turns: Its number of turns; `graph`: one for each neighbour in a graph of ranks, for which the calls in it are made.
        body: What is in it.
        when: The condition on which a rank runs it; empty: always.
        index: The name that formulas in it have for the number of the turn, from 0 on; empty: none.
    """

    turns: Formula
    body: list[PatternNode] = field(default_factory=list)
    when: str = ""
    index: str = ""


PatternNode = PatternCall | PatternLoop


@dataclass
class Pattern:
    """A program for any number of ranks.

    Args:
        grid: The process grid.
        body: Its calls and loops.
        made_from: Rank counts of the traces that it was made from.
        sizes: Names for numbers in formulas, which the user may change.
    """

    grid: GridRule
    body: list[PatternNode]
    made_from: list[int] = field(default_factory=list)
    sizes: dict[str, Formula] = field(default_factory=dict)

    def with_sizes(self, problem: Problem) -> Pattern:
        """Returns the program for another size of the problem.

        Raises:
            TraceError: If the pattern has no size of that name.
        """
        for name in problem:
            if name not in self.sizes:
                known = ", ".join(self.sizes) or "none"
                raise TraceError(f"the pattern has no size {name}; its sizes are: {known}")
        return replace(self, sizes={**self.sizes, **problem})


_DEFAULTS = PatternCall("")
_KEYS = tuple(vars(_DEFAULTS))


def calls_in(body: Sequence[PatternNode]) -> Iterator[PatternCall]:
    """Goes over all calls."""
    for node in body:
        if isinstance(node, PatternLoop):
            yield from calls_in(node.body)
        else:
            yield node


def conditions_of(pattern: Pattern) -> Iterator[str]:
    """Yields the conditions of all calls, of their peers and of all loops."""
    waiting = list(reversed(pattern.body))
    while waiting:
        node = waiting.pop()
        yield from filter(None, [node.when])
        if isinstance(node, PatternLoop):
            waiting += reversed(node.body)
        else:
            yield from filter(None, node.peers_when)


def has_graph(pattern: Pattern) -> bool:
    """Reports whether calls are made for all neighbours in a graph of ranks."""
    return any(call.peers for call in calls_in(pattern.body))


def without_graph(pattern: Pattern) -> Pattern:
    """Returns the program without the calls for neighbours in a graph of ranks, and waits for them."""
    labels = {call.label for call in calls_in(pattern.body) if call.label and not call.peers}

    def kept(body: Sequence[PatternNode]) -> Iterator[PatternNode]:
        for node in body:
            if isinstance(node, PatternLoop):
                if node.turns != GRAPH_OF_RANKS:
                    yield replace(node, body=list(kept(node.body)))
            elif not node.peers and (not node.waits or {ALL, *labels} & {*node.waits}):
                yield replace(node, waits=[one for one in node.waits if one in {ALL, *labels}])

    return replace(pattern, body=list(kept(pattern.body)))


def pattern_text(pattern: Pattern, remarks: Sequence[str] = ()) -> str:
    """Writes a pattern as TOML."""
    lines = [f"# {remark}" for remark in remarks]
    lines += ["[pattern]", f"version = {VERSION}", f"grid = {json.dumps(pattern.grid.words)}"]
    lines += [f"made_from = {pattern.made_from}", "", "[sizes]"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in pattern.sizes.items()]
    _write(pattern.body, "do", lines)
    return "\n".join(lines) + "\n"


def _write(body: Sequence[PatternNode], table: str, lines: list[str]) -> None:
    for node in body:
        lines += ["", f"[[{table}]]"]
        if isinstance(node, PatternLoop):
            lines.append(f"loop = {json.dumps(node.turns)}")
            if node.when:
                lines.append(f"when = {json.dumps(node.when)}")
            if node.index:
                lines.append(f"index = {json.dumps(node.index)}")
            _write(node.body, f"{table}.do", lines)
        else:
            for key in _KEYS:
                value = getattr(node, key)
                if key == "call" or value != getattr(_DEFAULTS, key):
                    lines.append(f"{key} = {json.dumps(value, ensure_ascii=False)}")


def load_pattern(path: Path) -> Pattern:
    """Reads a pattern.

    Raises:
        ConfigError: If the file cannot be read, or is no TOML.
        TraceError: If it is no pattern, of a newer version, or has unknown keys.
    """
    tables = load_toml(path)
    head = tables.get("pattern")
    if not isinstance(head, dict):
        raise TraceError(
            f"{path}: {'has no table [pattern]' if tables else 'is empty'}; expected a pattern, as tradewind "
            "extrapolate writes it"
        )
    if head.get("version") != VERSION:
        raise TraceError(
            f"{path}: version = {head.get('version')}: this tradewind reads version {VERSION}"
        )
    grid = head.get("grid")
    if not isinstance(grid, str):
        raise TraceError(f"{path}: pattern.grid is missing")
    given = head.get("made_from", [])
    made_from = [count for count in given if type(count) is int] if isinstance(given, list) else []
    try:
        sizes = {str(name): _formula(value) for name, value in tables.get("sizes", {}).items()}
        return Pattern(GridRule(grid), _read(tables.get("do", []), "do"), made_from, sizes)
    except (TypeError, AttributeError, ValueError) as error:
        raise TraceError(f"{path}: {error}") from None


def is_pattern(path: Path) -> bool:
    """Reports whether a file is to be a pattern, by its name; it may be damaged, or empty."""
    return path.suffix == ".pattern"


def _formula(value: Any) -> Formula:
    if not _is_formula(value):
        raise ValueError(f"{value!r} is no number and no formula")
    formula: Formula = value
    return formula


def _read(entries: Any, place: str) -> list[PatternNode]:
    if not isinstance(entries, list):
        raise ValueError(f"{place} is no list of tables")
    return [_node(entry, f"{place}[{number}]") for number, entry in enumerate(entries)]


def _node(entry: Any, place: str) -> PatternNode:
    if not isinstance(entry, dict):
        raise ValueError(f"{place} is no table")
    if "loop" in entry:
        _refuse_unknown(entry, ("loop", "when", "index", "do"), place)
        body = _read(entry.get("do", []), f"{place}.do")
        index = str(entry.get("index", ""))
        if index and (index in NAMES_OF_CALLS or not _INDEX.fullmatch(index)):
            said = f"{place}.index = {shortened(repr(index))}"
            raise ValueError(f"{said}: expected a name of its own, such as k")
        return PatternLoop(_formula(entry["loop"]), body, str(entry.get("when", "")), index)
    _refuse_unknown(entry, _KEYS, place)
    if not isinstance(entry.get("call"), str):
        raise ValueError(f"{place} has neither loop nor call")
    for key, value in entry.items():
        if not _IS_VALID[key](value):
            raise ValueError(f"{place}.{key} = {shortened(repr(value))}: expected {_EXPECTED[key]}")
    return PatternCall(**entry)


def _is_whole(low: int, high: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and low <= value <= high


def _is_formula(value: Any) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return -(2**63) <= value < 2**63
    return isinstance(value, float | str)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(of: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(of, value))


_INDEX = re.compile(r"[a-z][a-z_]*")


def _is_step(value: Any) -> bool:
    return isinstance(value, str) or _is_whole(-(2**31), 2**31)(value)


# Tests of the values of keys, and the words for what is allowed.
_IS_VALID: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("call", "group", "label", "site", "about", "grid", "when"), _is_text),
    "flags": _is_whole(0, ALL_FLAGS),
    "window": _is_whole(-1, 2**31),
    "offsets": _is_list(_is_list(_is_step)),
    "sources": _is_whole(0, 2**31),
    "peers_when": _is_list(_is_text),
    "null_peers": lambda value: isinstance(value, bool),
    "tags": _is_list(lambda value: isinstance(value, str) or _is_whole(-1, 2**31)(value)),
    "numbers": _is_list(_is_formula),
    "counts": _is_list(_is_formula),
    "waits": _is_list(_is_text),
    "order": lambda value: value in ("", BY_RANK),
    "peers": lambda value: value in ("", GRAPH_OF_RANKS),
    "computed": _is_formula,
    "processor": _is_formula,
    "io": _is_formula,
}
_EXPECTED: Mapping[str, str] = {
    **dict.fromkeys(("call", "group", "label", "site", "about", "grid", "when"), "a text"),
    "flags": f"a whole number in 0..{ALL_FLAGS}",
    "window": "a whole number from -1 on",
    "offsets": 'a list of steps in the grid, such as [[1, 0]] or [["nx // 2", 0]]',
    "sources": "a whole number",
    "peers_when": "a list of conditions",
    "null_peers": "true or false",
    "tags": "a list of whole numbers from -1 on, or formulas",
    "numbers": "a list of formulas",
    "counts": "a list of formulas",
    "waits": "a list of labels",
    "order": f'"{BY_RANK}"',
    "peers": f'"{GRAPH_OF_RANKS}"',
    "computed": "a number or formula",
    "processor": "a number or formula",
    "io": "a number or formula",
}


def _refuse_unknown(entry: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    for key in entry:
        if key not in known:
            raise ValueError(f"{place}.{key}: unknown key; allowed: {', '.join(known)}")
