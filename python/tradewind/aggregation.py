"""Aggregation: messages to one rank that a program starts together, sent as one message.

Merged are nonblocking sends to one rank that follow each other with nothing but nonblocking sends and receives
between them, and that one wait completes. Their receives must be posted and completed in the same way on the
other rank, batch by batch, over the whole run. Otherwise all messages between the two ranks stay as they are.
The merged send takes the place of the last one, when all data are there; the merged receive that of the first.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.files import write_text
from tradewind.trace_file import (
    NO_PEER,
    NONBLOCKING,
    TIMING,
    WILDCARD,
    Trace,
    facts_file,
    read_unpacked,
    source_of,
    store,
)

if TYPE_CHECKING:
    from tradewind.trace_file import Numbers

# Ends the number of an unpacked trace whose messages are merged.
_MERGED = "-merged"
_SENDS = ("send", "ssend", "rsend", "bsend")
_MOST_BYTES = 2**50
# The batches of two ranks are compared one by one up to this number, if their loops differ.
_MOST_COMPARED = 10**6
_OTHERWISE = "the other rank receives them in other batches"
_ANY_SOURCE = "a receive is for any source or tag"
_PROBED = "a message is probed"
_TOO_LARGE = "the merged message would be too large"
_TOO_LONG = f"the loops of the two ranks differ, and they have more than {_MOST_COMPARED} batches"


@dataclass(frozen=True)
class Aggregation:
    """A trace with fewer messages.

    Args:
        arrays: Its arrays, with the strings as bytes.
        messages: The number of messages before.
        merged: The number of those that were merged.
        made: The number of messages that they have become.
        refused: The number of messages that are started together and stay as they are, by the reason.
    """

    arrays: Mapping[str, Any]
    messages: int
    merged: int
    made: int
    refused: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Returns the numbers."""
        return {
            "messages": self.messages,
            "merged": self.merged,
            "made": self.made,
            "refused": dict(self.refused),
        }


def aggregate(trace: Trace) -> Aggregation:
    """Merges the messages of a trace that are started together."""
    return _Aggregator(trace).result()


def aggregation_lines(numbers: Mapping[str, Any]) -> list[str]:
    """Returns the numbers of `Aggregation.to_dict` in words: what is merged, then what stays and why."""
    return [
        f"{numbers['merged']} of {numbers['messages']} messages are merged into {numbers['made']}",
        *(f"{count} stay: {why}" for why, count in numbers["refused"].items()),
    ]


def is_merged(unpacked: Path) -> bool:
    """Reports whether an unpacked trace is one whose messages are merged."""
    return unpacked.name.partition(".")[0].endswith(_MERGED)


def merged_file(unpacked: Path) -> Path:
    """Returns an unpacked trace with merged messages; it is made once, and its numbers are its facts.

    Args:
        unpacked: An unpacked trace, merged already or not.

    Raises:
        TraceError: If it cannot be read.
        Error: If there is no space for the file.
    """
    if is_merged(unpacked):
        return unpacked
    number, _, rest = unpacked.name.partition(".")
    target = unpacked.with_name(f"{number}{_MERGED}.{rest}")

    def make() -> Mapping[str, Any]:
        made = aggregate(read_unpacked(unpacked))
        write_text(facts_file(target), json.dumps(made.to_dict()))
        return made.arrays

    return store(number + _MERGED, Path(source_of(unpacked)), make)


def original_of(merged: Path) -> Path:
    """Returns the unpacked trace whose messages have been merged."""
    number, _, rest = merged.name.partition(".")
    return merged.with_name(f"{number.removesuffix(_MERGED)}.{rest}")


@dataclass(frozen=True)
class _Lane:
    """One direction between a rank and a peer, as seen from the rank.

    Args:
        is_send: Whether the rank sends.
        comm: The number of the communicator on the rank.
        peer: The rank of the other minus the own one, in the communicator.
    """

    is_send: bool
    comm: int
    peer: int


@dataclass(frozen=True)
class _Batch:
    """Messages that are one message after aggregation; one alone stays as it is.

    Args:
        items: Their items in the stream.
        wait: The item that completes them; -1: not known.
        tags: Their tags.
        sizes: Their bytes.
    """

    items: tuple[int, ...]
    wait: int
    tags: tuple[int, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class _Repeated:
    """Batches in a loop."""

    turns: int
    batches: tuple[_Batch | _Repeated, ...]


_Sequence = Sequence[_Batch | _Repeated]


@dataclass
class _StreamLanes:
    """The messages of a stream.

    Args:
        lanes: The batches of each lane.
        doubtful: Reasons not to merge those of a lane.
    """

    lanes: dict[_Lane, list[_Batch | _Repeated]] = field(default_factory=dict)
    doubtful: dict[_Lane, str] = field(default_factory=dict)


class _Events:
    """The events of a trace, to which new ones are added."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self.heads: list[list[int]] = trace.arrays["events"].reshape(-1, 6).tolist()
        self.arguments: list[int] = trace.arrays["arguments"].tolist()
        self._added: dict[tuple[int, ...], int] = {}

    def name(self, event: int) -> str:
        return self._trace.calls[self.heads[event][0]]

    def flags(self, event: int) -> int:
        return self.heads[event][2]

    def numbers(self, event: int) -> list[int]:
        first, count = self.heads[event][4:]
        return self.arguments[first : first + count]

    def slot(self, event: int) -> int:
        return self.numbers(event)[-1]

    def changed(self, event: int, numbers: Sequence[int]) -> int:
        """Returns an event with other arguments."""
        key = (*self.heads[event][:4], *numbers)
        if key not in self._added:
            self._added[key] = len(self.heads)
            self.heads.append([*key[:4], len(self.arguments), len(numbers)])
            self.arguments += numbers
        return self._added[key]


class _StreamReader:
    """Finds the batches of a stream.

    Args:
        events: The events.
        items: Value and length of each item.
    """

    def __init__(self, events: _Events, items: Sequence[Sequence[int]]) -> None:
        self._events, self._items = events, items
        self.found = _StreamLanes()
        self.found.lanes = self._body(0, len(items))

    def _body(self, first: int, end: int) -> dict[_Lane, list[_Batch | _Repeated]]:
        lanes: dict[_Lane, list[_Batch | _Repeated]] = {}
        body = list(self._own_items(first, end))
        for kind, group in itertools.groupby(enumerate(body), key=lambda one: self._kind(one[1])):
            run = list(group)
            if kind == "start":
                self._add_run([item for _, item in run], body[run[-1][0] + 1 :], lanes)
                continue
            for _, item in run:
                if kind == "loop":
                    self._add_loop(item, lanes)
                else:
                    self._add_blocking(self._items[item][0], item, lanes)
        return lanes

    def _own_items(self, first: int, end: int) -> Iterator[int]:
        at = first
        while at < end:
            yield at
            at += 1 + self._items[at][1]

    def _kind(self, item: int) -> str:
        event = self._items[item][0]
        if event < 0:
            return "loop"
        is_message = self._events.name(event) in (*_SENDS, "recv")
        return "start" if is_message and self._events.flags(event) & NONBLOCKING else "call"

    def _add_loop(self, item: int, lanes: dict[_Lane, list[_Batch | _Repeated]]) -> None:
        turns, length = self._items[item]
        for lane, batches in self._body(item + 1, item + 1 + length).items():
            lanes.setdefault(lane, []).append(_Repeated(-turns, tuple(batches)))

    def _add_blocking(
        self, event: int, item: int, lanes: dict[_Lane, list[_Batch | _Repeated]]
    ) -> None:
        name, comm = self._events.name(event), self._events.heads[event][1]
        if name not in (*_SENDS, "recv", "sendrecv", "probe"):
            return
        numbers = self._events.numbers(event)
        messages = [numbers[at : at + 3] for at in range(0, len(numbers) // 3 * 3, 3)]
        for place, (peer, tag, size) in enumerate(messages):
            if peer == NO_PEER:
                continue
            is_send = name in _SENDS or (name == "sendrecv" and place == 0)
            lane = _Lane(is_send, comm, peer)
            if name == "probe":
                self.found.doubtful[lane] = _PROBED
                continue
            self._note_doubt(lane, event)
            lanes.setdefault(lane, []).append(_Batch((item,), -1, (tag,), (size,)))

    def _note_doubt(self, lane: _Lane, event: int) -> None:
        if not lane.is_send and self._events.flags(event) & WILDCARD:
            self.found.doubtful[lane] = _ANY_SOURCE

    def _add_run(
        self,
        run: Sequence[int],
        later: Sequence[int],
        lanes: dict[_Lane, list[_Batch | _Repeated]],
    ) -> None:
        """Adds the batches of messages that are started one after the other."""
        waits = self._waits(later)
        by_lane: dict[_Lane, list[int]] = {}
        for item in run:
            event = self._items[item][0]
            peer = self._events.numbers(event)[0]
            if peer != NO_PEER:
                is_send = self._events.name(event) in _SENDS
                lane = _Lane(is_send, self._events.heads[event][1], peer)
                by_lane.setdefault(lane, []).append(item)
                self._note_doubt(lane, event)
        for lane, items in by_lane.items():
            events = [self._items[item][0] for item in items]
            completed = {waits.get(self._events.slot(event), -1) for event in events}
            kinds = {tuple(self._events.heads[event][:3]) for event in events}
            is_one = len(completed) == len(kinds) == 1 and -1 not in completed
            groups = [items] if is_one else [[item] for item in items]
            for group in groups:
                numbers = [self._events.numbers(self._items[item][0]) for item in group]
                batch = _Batch(
                    tuple(group),
                    next(iter(completed)) if is_one else -1,
                    tuple(one[1] for one in numbers),
                    tuple(one[2] for one in numbers),
                )
                lanes.setdefault(lane, []).append(batch)

    def _waits(self, later: Sequence[int]) -> dict[int, int]:
        """Returns the wait that completes each slot, as far as the order of calls alone tells."""
        waits: dict[int, int] = {}
        for item in later:
            event = self._items[item][0]
            if event < 0:
                break
            if self._events.name(event) == "wait":
                is_certain = not self._events.flags(event) & TIMING
                for slot in self._events.numbers(event):
                    waits.setdefault(slot, item if is_certain else -1)
        return waits


@dataclass
class _Channel:
    """The messages from one rank to another in a communicator.

    Args:
        rank: The rank that sends, or receives.
        stream: Its stream.
        lane: The lane.
    """

    rank: int
    stream: int
    lane: _Lane


class _Aggregator:
    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._events = _Events(trace)
        arrays = trace.arrays
        first = arrays["stream_first"].tolist()
        items = arrays["items"].reshape(-1, 2).tolist()
        self._items = [items[begin:end] for begin, end in itertools.pairwise(first)]
        self._found = [_StreamReader(self._events, one).found for one in self._items]
        self._stream: list[int] = arrays["stream"].tolist()
        self._places: dict[int, dict[int, int]] = {}
        self._verdicts: dict[tuple[int, _Lane, int, _Lane], str] = {}

    def result(self) -> Aggregation:
        """Returns the trace with merged messages."""
        sends, receives = self._channels()
        merged: list[set[_Lane]] = [set() for _ in self._stream]
        counts: Counter[str] = Counter()
        refused: Counter[str] = Counter()
        for channel, send in sends.items():
            sequence = self._found[send.stream].lanes[send.lane]
            messages, batched, batches = _counts(sequence)
            counts["messages"] += messages
            if not batched:
                continue
            receive = receives.get(channel)
            why = _OTHERWISE if receive is None else self._verdict(send, receive)
            if why:
                refused[why] += batched
                continue
            assert receive is not None
            counts["merged"] += batched
            counts["made"] += batches
            merged[send.rank].add(send.lane)
            merged[receive.rank].add(receive.lane)
        arrays = self._arrays([frozenset(one) for one in merged])
        return Aggregation(arrays, counts["messages"], counts["merged"], counts["made"], refused)

    def _channels(self) -> tuple[dict[tuple[int, ...], _Channel], dict[tuple[int, ...], _Channel]]:
        """Returns what ranks send and receive, by group, its number on a rank, source and destination."""
        both: tuple[dict[tuple[int, ...], _Channel], dict[tuple[int, ...], _Channel]] = ({}, {})
        arrays = self._trace.arrays
        first, groups = arrays["comm_first"].tolist(), arrays["comm_group"].tolist()
        for rank, stream in enumerate(self._stream):
            own = groups[first[rank] : first[rank + 1]]
            for lane in self._found[stream].lanes:
                group = own[lane.comm]
                earlier = own[: lane.comm].count(group)
                here = self._place(group, rank)
                pair = (here, here + lane.peer) if lane.is_send else (here + lane.peer, here)
                both[0 if lane.is_send else 1][group, earlier, *pair] = _Channel(rank, stream, lane)
        return both

    def _place(self, group: int, rank: int) -> int:
        if group not in self._places:
            begin, end = self._trace.arrays["group_first"][group : group + 2].tolist()
            members = self._trace.arrays["group_ranks"][begin:end].tolist()
            self._places[group] = {member: place for place, member in enumerate(members)}
        return self._places[group][rank]

    def _verdict(self, send: _Channel, receive: _Channel) -> str:
        """Returns why the messages of two ranks are not merged; nothing if they are."""
        key = (send.stream, send.lane, receive.stream, receive.lane)
        if key not in self._verdicts:
            doubts = [self._found[one.stream].doubtful.get(one.lane) for one in (send, receive)]
            sequences = [self._found[one.stream].lanes[one.lane] for one in (send, receive)]
            self._verdicts[key] = doubts[0] or doubts[1] or _difference(*sequences)
        return self._verdicts[key]

    def _arrays(self, merged: Sequence[frozenset[_Lane]]) -> dict[str, Any]:
        made: dict[tuple[int, frozenset[_Lane]], int] = {}
        streams: list[_MergedStream] = []
        stream = []
        for own, lanes in zip(self._stream, merged, strict=True):
            if (own, lanes) not in made:
                made[own, lanes] = len(streams)
                batches = self._merged_batches(own, lanes)
                streams.append(_MergedStream(self._events, self._items[own], batches))
            stream.append(made[own, lanes])
        lengths = [len(one.items) for one in streams]
        arrays = dict(self._trace.arrays)
        arrays["events"] = np.asarray(self._events.heads, np.int64).ravel()
        arrays["arguments"] = np.asarray(self._events.arguments, np.int64)
        arrays["stream_first"] = np.cumsum([0, *lengths]).astype(np.int64)
        arrays["items"] = np.asarray(
            [number for one in streams for item in one.items for number in item], np.int64
        )
        arrays["stream"] = np.asarray(stream, np.int64)
        arrays["time_first"] = np.cumsum([0, *(lengths[one] for one in stream)]).astype(np.int64)
        arrays |= self._times([streams[one] for one in stream])
        texts = [text.encode(errors="replace") for text in self._trace.strings]
        arrays["string_first"] = np.cumsum([0, *map(len, texts)]).astype(np.int64)
        return arrays | {"strings": b"".join(texts)}

    def _merged_batches(self, stream: int, lanes: frozenset[_Lane]) -> list[tuple[_Lane, _Batch]]:
        return [
            (lane, batch)
            for lane in lanes
            for batch in _all_batches(self._found[stream].lanes[lane])
            if len(batch.items) > 1
        ]

    def _times(self, streams: Sequence[_MergedStream]) -> dict[str, Numbers]:
        """Returns the times of all ranks: computation before a call that is gone comes before the next one."""
        first = self._trace.arrays["time_first"].tolist()
        result = {}
        for name in ("computed", "processor", "inside", "inside_min", "inside_max"):
            times = self._trace.arrays[name]
            parts = []
            for rank, stream in enumerate(streams):
                own = times[first[rank] : first[rank + 1]]
                if name in ("computed", "processor"):
                    moved = np.zeros(len(stream.items), np.int64)
                    np.add.at(moved, stream.target, own)
                    parts.append(moved)
                else:
                    parts.append(own[stream.kept])
            result[name] = np.concatenate(parts)
        return result


class _MergedStream:
    """The items of a stream with merged messages.

    Args:
        events: The events; merged ones are added.
        items: The items before.
        batches: The batches that become one message each, with their lanes.
    """

    def __init__(
        self,
        events: _Events,
        items: Sequence[Sequence[int]],
        batches: Sequence[tuple[_Lane, _Batch]],
    ) -> None:
        values = [item[0] for item in items]
        ends = [at + 1 + item[1] for at, item in enumerate(items)]
        # The item that takes the computation of one that is gone.
        heirs: dict[int, int] = {}
        for lane, batch in batches:
            kept = batch.items[-1 if lane.is_send else 0]
            numbers = events.numbers(values[kept])
            values[kept] = events.changed(
                values[kept], [numbers[0], min(batch.tags), sum(batch.sizes), numbers[-1]]
            )
            gone = [item for item in batch.items if item != kept]
            slots = {events.slot(items[item][0]) for item in gone}
            left = [slot for slot in events.numbers(values[batch.wait]) if slot not in slots]
            values[batch.wait] = events.changed(values[batch.wait], left)
            heirs |= dict.fromkeys(gone, kept)
        place = np.cumsum([0, *(at not in heirs for at in range(len(items)))]).tolist()
        self.kept = np.asarray([at for at in range(len(items)) if at not in heirs], np.int64)
        self.items = [
            (values[at], place[ends[at]] - place[at] - 1)
            for at in range(len(items))
            if at not in heirs
        ]
        self.target = np.asarray(
            [place[_heir(at, heirs, items)] for at in range(len(items))], np.int64
        )


def _heir(item: int, heirs: Mapping[int, int], items: Sequence[Sequence[int]]) -> int:
    """Returns the next call that is left, which computes what came before one that is gone."""
    if item not in heirs:
        return item
    after = item
    while after in heirs:
        after += 1
    return after if after < len(items) and items[after][0] >= 0 else heirs[item]


def _all_batches(sequence: _Sequence) -> Iterator[_Batch]:
    """Goes over the batches, those of loops once."""
    for one in sequence:
        if isinstance(one, _Repeated):
            yield from _all_batches(one.batches)
        else:
            yield one


def _unfolded(sequence: _Sequence) -> Iterator[_Batch]:
    for one in sequence:
        if isinstance(one, _Repeated):
            for _ in range(one.turns):
                yield from _unfolded(one.batches)
        else:
            yield one


def _counts(sequence: _Sequence) -> tuple[int, int, int]:
    """Returns the messages, those in batches of several, and the number of these batches."""
    messages = batched = batches = 0
    for one in sequence:
        if isinstance(one, _Repeated):
            inner = _counts(one.batches)
            messages += one.turns * inner[0]
            batched += one.turns * inner[1]
            batches += one.turns * inner[2]
        else:
            messages += len(one.items)
            batched += len(one.items) if len(one.items) > 1 else 0
            batches += len(one.items) > 1
    return messages, batched, batches


def _difference(sends: _Sequence, receives: _Sequence) -> str:
    """Returns why the batches of two ranks do not match one by one; nothing if they do."""
    if any(sum(batch.sizes) > _MOST_BYTES for batch in _all_batches(receives)):
        return _TOO_LARGE
    if _are_equal(sends, receives):
        return ""
    if max(_counts(sends)[0], _counts(receives)[0]) > _MOST_COMPARED:
        return _TOO_LONG
    pairs = itertools.zip_longest(_unfolded(sends), _unfolded(receives))
    is_same = all(a is not None and b is not None and _match(a, b) for a, b in pairs)
    return "" if is_same else _OTHERWISE


def _are_equal(sends: _Sequence, receives: _Sequence) -> bool:
    """Reports whether batches match in the same loops."""
    if len(sends) != len(receives):
        return False
    for a, b in zip(sends, receives, strict=True):
        if isinstance(a, _Repeated) and isinstance(b, _Repeated):
            if a.turns != b.turns or not _are_equal(a.batches, b.batches):
                return False
        elif isinstance(a, _Repeated) or isinstance(b, _Repeated) or not _match(a, b):
            return False
    return True


def _match(sent: _Batch, received: _Batch) -> bool:
    """Reports whether the messages of two batches match each other, in the order of each tag."""
    # Sorting is stable: messages with the same tag stay in order.
    first, second = (
        sorted(zip(one.tags, one.sizes, strict=True), key=lambda pair: pair[0])
        for one in (sent, received)
    )
    return len(first) == len(second) and all(
        a[0] == b[0] and a[1] <= b[1] for a, b in zip(first, second, strict=True)
    )
