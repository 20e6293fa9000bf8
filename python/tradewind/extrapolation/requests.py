"""The requests that the calls of a program start, and the waits that complete them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tradewind.extrapolation.pattern import ALL
from tradewind.extrapolation.template import Member, Template, TemplateCall, calls_of
from tradewind.extrapolation.tree import CallNode, LoopNode, Node
from tradewind.trace_file import NONBLOCKING

Trees = Mapping[Member, list[Node]]


class DifferentWaitsError(Exception):
    """Some ranks wait for requests of other calls than the rest.

    Args:
        members: Those ranks.
    """

    def __init__(self, members: Sequence[Member]) -> None:
        super().__init__("a wait completes other requests on some ranks")
        self.members = members


class Requests:
    """Knows which calls start the requests that a wait completes.

    Args:
        template: The calls.
        trees: The calls of each rank.
        labels: Gets a label for each call that starts a request, by its identity.
    """

    def __init__(self, template: Sequence[Template], trees: Trees, labels: dict[int, str]) -> None:
        self._owner: dict[int, TemplateCall] = {}
        # For each wait the labels that it completes, and those that are open then, with the rank.
        self._seen: dict[int, list[tuple[Member, Counter[str], Counter[str]]]] = {}
        # For each wait that completes one request after the other the calls that started them; None: not the oldest one.
        self._oldest: dict[int, list[tuple[Member, TemplateCall | None]]] = {}
        self._labels = labels
        self._started: dict[str, TemplateCall] = {}
        for call in calls_of(template):
            for node in call.seen.values():
                self._owner[id(node)] = call
            if call.key.flags & NONBLOCKING:
                labels[id(call)] = f"r{len(labels)}"
                self._started[labels[id(call)]] = call
        for member, tree in trees.items():
            self._walk(member, tree, {})

    def of(self, call: TemplateCall) -> list[str]:
        """Returns the labels that a wait completes.

        Raises:
            DifferentWaitsError: If it completes requests of other calls on some ranks than on others.
        """
        if call.key.name != "wait":
            return []
        if call.key.peers:
            return [self._labels[id(self.started_by(call))]]
        seen = self._seen.get(id(call), [])
        # Waits for one request each may follow each other in another order on each rank.
        if not call.steps and all(done == started for _, done, started in seen):
            return [ALL]
        labels = {label for _, done, _ in seen for label in done}
        strange = [
            member
            for member, done, started in seen
            if any(done[label] != started[label] for label in labels)
        ]
        if strange:
            raise DifferentWaitsError(strange)
        return sorted(labels, key=lambda label: int(label[1:]))

    def started_by(self, wait: TemplateCall) -> TemplateCall:
        """Returns the call that starts the requests which a wait completes for one neighbour after the other.

        Raises:
            DifferentWaitsError: If it completes those of several calls, or not the oldest one each time.
        """
        calls = self._oldest.get(id(wait), [])
        starters = {id(call) for _, call in calls}
        first = calls[0][1] if calls else None
        if len(starters) > 1 or first is None:
            raise DifferentWaitsError([member for member, _ in calls])
        return first

    def _walk(self, member: Member, nodes: Sequence[Node], open_slots: dict[int, str]) -> None:
        for node in nodes:
            if isinstance(node, LoopNode) and node.peers:
                for turn in range(node.turns):
                    for call in node.body:
                        assert isinstance(call, CallNode)
                        self._walk_along(member, call, turn, open_slots)
            elif isinstance(node, CallNode) and node.key.peers:
                for turn in range(max(len(node.slots), len(node.waits))):
                    self._walk_along(member, node, turn, open_slots)
            elif isinstance(node, LoopNode):
                # Requests that a turn leaves open are completed in the next one.
                for body in node.rounds or [node.body] * min(2, node.turns):
                    self._walk(member, body, open_slots)
            elif node.slots:
                open_slots[node.slots[0]] = self._labels[id(self._owner[id(node)])]
            elif node.key.name == "wait":
                self._note(member, node, open_slots)

    def _walk_along(
        self, member: Member, node: CallNode, turn: int, open_slots: dict[int, str]
    ) -> None:
        """Starts or completes the request for a neighbour in a graph of ranks."""
        call = self._owner[id(node)]
        if node.slots:
            open_slots[node.slots[turn]] = self._labels[id(call)]
        elif node.waits:
            slot = node.waits[turn]
            label = open_slots.get(slot, "")
            starter = self._started[label] if _is_oldest(slot, open_slots) else None
            open_slots.pop(slot, None)
            self._oldest.setdefault(id(call), []).append((member, starter))

    def _note(self, member: Member, node: CallNode, open_slots: dict[int, str]) -> None:
        started = Counter(open_slots.values())
        if node.peers and len(node.waits) == 1 and _is_oldest(node.waits[0], open_slots):
            # A wait for one request completes the oldest of its call.
            started = Counter([open_slots[node.waits[0]]])
        done = Counter(open_slots.pop(slot) for slot in node.waits if slot in open_slots)
        self._seen.setdefault(id(self._owner[id(node)]), []).append((member, done, started))


def _is_oldest(slot: int, open_slots: Mapping[int, str]) -> bool:
    """Reports whether a request is open, and the oldest one of its label."""
    return slot in open_slots and slot == next(
        one for one, label in open_slots.items() if label == open_slots[slot]
    )
