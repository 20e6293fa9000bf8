"""Time-independent traces of SimGrid: a line for each action, of one rank or of all, or a list of such files.

    0 init
    0 compute 1e9
    0 isend 1 0 1e6
    0 waitall
    0 finalize

Amounts of computation are operations. They become times at 10^9 operations per second, so the setting
`slowdown` of a replay scales them to any machine. A `test` does not say whether it found its message: it is
taken as one that did not, and what nobody waits for is waited for at the end.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tradewind import core
from tradewind.errors import ConfigError, TraceError
from tradewind.files import load_text
from tradewind.trace_file import TIMING
from tradewind.trace_formats.rank_calls import RankCalls

_MOST_RANKS = 2**24
_MOST_BYTES = 2**50
_MOST_TAG = 2**31
_MOST_OPERATIONS = 10**15
_PS_PER_OPERATION = 1000
# The bytes of the predefined datatypes by the numbers that they have in SMPI.
_TYPE_BYTES = (
    *(8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16, 4, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8),
    *(8, 16, 16, 8, 8, 8, 16, 16, 4, 4, 8, 16, 8, 16, 16, 4, 2, 4, 8, 16, 32, 1, 8, 16, 32, 0, 0),
    *(1, 8, 8),
)
# Datatypes of actions without a number of one, by `init`: with a word they are doubles, else bytes.
_DOUBLE, _BYTE = 0, 6

_Line = tuple[Path, int, list[str]]


def is_simgrid(text: str, path: Path) -> bool:
    """Reports whether a text is a trace, or a list of files that are there."""
    words = next(_words(text), (0, []))[1]
    if len(words) > 1 and words[0].isdecimal() and words[1].lower() in _ACTIONS:
        return True
    return len(words) == 1 and _listed(words[0], path) is not None


def files_of(path: Path) -> list[Path]:
    """Returns the files with the actions: those of a list, or the file itself.

    Raises:
        TraceError: If a listed file is missing.
    """
    lines = [(number, words) for number, words in _words(_text(path))]
    if not lines or len(lines[0][1]) > 1:
        return [path]
    files = []
    for number, words in lines:
        file = _listed(words[0], path)
        if file is None:
            raise TraceError(f"{path}: line {number}: there is no file {words[0]}")
        files.append(file)
    return files


def read_simgrid(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Reads a trace of SimGrid.

    Returns:
        The arrays of a trace, and its facts.

    Raises:
        TraceError: If an action is unknown or wrong; the message has the file and the line.
    """
    lines = [
        (file, number, words) for file in files_of(path) for number, words in _words(_text(file))
    ]
    present = {_rank_of(line) for line in lines}
    ranks = max(present, default=-1) + 1
    if ranks != len(present) or not ranks:
        missing = next((rank for rank in range(ranks) if rank not in present), 0)
        raise TraceError(f"{path}: has no actions of rank {missing}")
    builder = core.load().TraceBuilder(ranks)
    actors = [_Actor(RankCalls(builder, rank), ranks) for rank in range(ranks)]
    for line in lines:
        actors[_rank_of(line)].act(line)
    for actor in actors:
        actor.finish()
    warnings = ["amounts of computation are taken at 10^9 operations per second"]
    tests = sum(actor.tests for actor in actors)
    if tests:
        warnings.append(f"{tests} tests are taken as unsuccessful: the trace does not say")
    facts = {"complete": True, "converted_from": "SimGrid", "command": path.name}
    return builder.finish(), {**facts, "warnings": warnings}


def _text(path: Path) -> str:
    try:
        return load_text(path)
    except ConfigError as error:
        raise TraceError(str(error)) from None


def _words(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if words and not words[0].startswith("#"):
            yield number, words


def _listed(name: str, path: Path) -> Path | None:
    """Returns a listed file, whose path starts from the folder of the list or one above it."""
    if len(name) > 1000 or "\0" in name:
        return None
    for folder in (path.parent, *path.parent.resolve().parents[:2]):
        file = folder / name
        try:
            if file.is_file() and file != path:
                return file
        except OSError:
            return None
    return None


def _rank_of(line: _Line) -> int:
    word = line[2][0]
    if not (word.isdecimal() and len(word) < 9 and int(word) < _MOST_RANKS):
        raise _error(line, f'"{word[:60]}" is no rank')
    return int(word)


def _error(line: _Line, reason: str) -> TraceError:
    return TraceError(f"{line[0]}: line {line[1]}: {reason}")


class _Actor:
    """A rank whose actions become calls."""

    def __init__(self, calls: RankCalls, ranks: int) -> None:
        self.tests = 0
        self._calls = calls
        self._ranks = ranks
        self._line: _Line = (Path(), 0, [])
        self._default = _BYTE
        self._site = ""
        self._open: dict[tuple[int, int, int], deque[int]] = defaultdict(deque)
        calls.call("init")

    def act(self, line: _Line) -> None:
        """Does an action."""
        self._line = line
        name = line[2][1].lower() if len(line[2]) > 1 else ""
        action = _ACTIONS.get(name)
        if action is None:
            known = ", ".join(_ACTIONS)
            raise _error(line, f'unknown action "{name[:60]}"; known: {known}')
        action(self, name, line[2][2:])

    def finish(self) -> None:
        """Waits for what is open, and hands the calls over."""
        self._wait_for_all()
        self._calls.call("finalize")
        self._calls.finish()

    def initialize(self, name: str, words: Sequence[str]) -> None:
        """Sets the default datatype."""
        self._default = _DOUBLE if words else _BYTE

    def skip(self, name: str, words: Sequence[str]) -> None:
        """Does nothing, as SimGrid does with this action."""

    def compute(self, name: str, words: Sequence[str]) -> None:
        """Computes."""
        self._compute(words, 0)

    def sleep(self, name: str, words: Sequence[str]) -> None:
        """Lets seconds pass."""
        self._calls.compute(round(self._real(words, 0, 10**6) * 1e12))

    def locate(self, name: str, words: Sequence[str]) -> None:
        """Names the call site of the next action."""
        self._site = ":".join(words[:2])

    def message(self, name: str, words: Sequence[str]) -> None:
        """Sends or receives."""
        peer, tag = self._peer(words, 0), self._whole(words, 1, 0, _MOST_TAG)
        size = self._bytes(words, 2, 3)
        arguments = [peer - self._calls.rank, tag, size]
        if name.startswith("i"):
            slot = self._calls.start(name[1:], arguments, site=self._taken_site())
            own = self._calls.rank
            key = (own, peer, tag) if name == "isend" else (peer, own, tag)
            self._open[key].append(slot)
        else:
            self._call(name, arguments)

    def exchange(self, name: str, words: Sequence[str]) -> None:
        """Sends and receives at once."""
        rank = self._calls.rank
        to, source = self._peer(words, 1) - rank, self._peer(words, 3) - rank
        sizes = self._bytes(words, 0, 4), self._bytes(words, 2, 5)
        self._call("sendrecv", [to, 0, sizes[0], source, 0, sizes[1]])

    def wait(self, name: str, words: Sequence[str]) -> None:
        """Waits for a request that is still open."""
        key = self._key(words)
        if self._open.get(key):
            self._calls.wait([self._open[key].popleft()], self._taken_site())

    def test(self, name: str, words: Sequence[str]) -> None:
        """Tests without success."""
        if self._open.get(self._key(words)):
            self.tests += 1
            self._calls.call("wait", flags=TIMING, site=self._taken_site())

    def wait_for_all(self, name: str, words: Sequence[str]) -> None:
        """Waits for all requests."""
        self._wait_for_all()

    def barrier(self, name: str, words: Sequence[str]) -> None:
        """Calls a barrier."""
        self._call(name, [])

    def rooted(self, name: str, words: Sequence[str]) -> None:
        """Broadcasts, or reduces with a computation after it."""
        at = 1 if name == "bcast" else 2
        root = self._root(words, at)
        self._call(name, [root, self._bytes(words, 0, at + 1)])
        if name == "reduce":
            self._compute(words, 1)

    def combine(self, name: str, words: Sequence[str]) -> None:
        """Reduces to all or scans, with a computation after it."""
        self._call(name, [self._bytes(words, 0, 2)])
        self._compute(words, 1)

    def blocks(self, name: str, words: Sequence[str]) -> None:
        """Exchanges equal blocks."""
        self._call(name, [self._bytes(words, 0, 2)])

    def gather(self, name: str, words: Sequence[str]) -> None:
        """Gathers or scatters equal blocks; a block is what the other ranks send or receive."""
        root = self._root(words, 2)
        size = self._bytes(words, 0, 3) if name == "gather" else self._bytes(words, 1, 4)
        self._call(name, [root, size])

    def gather_counts(self, name: str, words: Sequence[str]) -> None:
        """Gathers blocks of different sizes."""
        root = self._root(words, 1 + self._ranks)
        counts = self._list(words, 1, 3 + self._ranks) if root == self._calls.rank else []
        self._call(name, [root, self._bytes(words, 0, 2 + self._ranks), *counts])

    def scatter_counts(self, name: str, words: Sequence[str]) -> None:
        """Scatters blocks of different sizes."""
        root = self._root(words, 1 + self._ranks)
        counts = self._list(words, 0, 2 + self._ranks) if root == self._calls.rank else []
        self._call(name, [root, self._bytes(words, self._ranks, 3 + self._ranks), *counts])

    def gather_all_counts(self, name: str, words: Sequence[str]) -> None:
        """Gathers blocks of different sizes at all ranks."""
        self._call(name, self._list(words, 1, 2 + self._ranks))

    def reduce_scatter(self, name: str, words: Sequence[str]) -> None:
        """Reduces and scatters, with a computation after it."""
        self._call("reduce_scatter", self._list(words, 0, 1 + self._ranks))
        self._compute(words, self._ranks)

    def all_to_all_counts(self, name: str, words: Sequence[str]) -> None:
        """Exchanges blocks of different sizes."""
        kinds = 2 + 2 * self._ranks
        to = self._list(words, 1, kinds)
        self._call(name, [*to, *self._list(words, 2 + self._ranks, kinds + 1)])

    def _call(self, name: str, arguments: Sequence[int]) -> None:
        self._calls.call(name, arguments, site=self._taken_site())

    def _taken_site(self) -> str:
        site, self._site = self._site, ""
        return site

    def _wait_for_all(self) -> None:
        slots = [slot for slots in self._open.values() for slot in slots]
        self._open.clear()
        if slots:
            self._calls.wait(slots, self._taken_site())

    def _compute(self, words: Sequence[str], at: int) -> None:
        self._calls.compute(round(self._real(words, at, _MOST_OPERATIONS) * _PS_PER_OPERATION))

    def _key(self, words: Sequence[str]) -> tuple[int, int, int]:
        return self._peer(words, 0), self._peer(words, 1), self._whole(words, 2, 0, _MOST_TAG)

    def _real(self, words: Sequence[str], at: int, most: float) -> float:
        word = words[at] if at < len(words) else ""
        try:
            value = float(word)
        except ValueError:
            value = -1.0
        if not 0 <= value <= most:
            name = self._line[2][1]
            given = f'"{word[:60]}"' if word else "nothing"
            raise _error(self._line, f"{name}: value {at + 1} is {given}; allowed: 0..{most:g}")
        return value

    def _whole(self, words: Sequence[str], at: int, low: int, high: int) -> int:
        value = int(self._real(words, at, high))
        if value < low:
            raise _error(self._line, f"value {at + 1} is {value}; allowed: {low}..{high}")
        return value

    def _peer(self, words: Sequence[str], at: int) -> int:
        return self._whole(words, at, 0, self._ranks - 1)

    def _root(self, words: Sequence[str], at: int) -> int:
        return self._peer(words, at) if at < len(words) else 0

    def _size(self, words: Sequence[str], at: int) -> int:
        """Returns the bytes of the datatype that a word names."""
        if at >= len(words):
            return _TYPE_BYTES[self._default]
        return _TYPE_BYTES[self._whole(words, at, 0, len(_TYPE_BYTES) - 1)]

    def _bytes(self, words: Sequence[str], at: int, kind: int) -> int:
        return int(self._real(words, at, _MOST_BYTES / 32)) * self._size(words, kind)

    def _list(self, words: Sequence[str], at: int, kind: int) -> list[int]:
        return [self._bytes(words, one, kind) for one in range(at, at + self._ranks)]


_ACTIONS: dict[str, Callable[[_Actor, str, Sequence[str]], None]] = {
    "init": _Actor.initialize,
    "finalize": _Actor.skip,
    "comm_size": _Actor.skip,
    "comm_split": _Actor.skip,
    "comm_dup": _Actor.skip,
    "compute": _Actor.compute,
    "sleep": _Actor.sleep,
    "location": _Actor.locate,
    "send": _Actor.message,
    "isend": _Actor.message,
    "recv": _Actor.message,
    "irecv": _Actor.message,
    "sendrecv": _Actor.exchange,
    "test": _Actor.test,
    "wait": _Actor.wait,
    "waitall": _Actor.wait_for_all,
    "barrier": _Actor.barrier,
    "bcast": _Actor.rooted,
    "reduce": _Actor.rooted,
    "allreduce": _Actor.combine,
    "scan": _Actor.combine,
    "exscan": _Actor.combine,
    "alltoall": _Actor.blocks,
    "allgather": _Actor.blocks,
    "gather": _Actor.gather,
    "scatter": _Actor.gather,
    "gatherv": _Actor.gather_counts,
    "scatterv": _Actor.scatter_counts,
    "allgatherv": _Actor.gather_all_counts,
    "reducescatter": _Actor.reduce_scatter,
    "alltoallv": _Actor.all_to_all_counts,
}
