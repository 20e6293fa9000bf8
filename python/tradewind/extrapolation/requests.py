"""The requests that the calls of a program start, and the waits that complete them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tradewind.extrapolation.pattern import ALL
from tradewind.extrapolation.template import Member, Template, TemplateCall, calls_of
from tradewind.extrapolation.tree import CallNode, LoopNode, Node
from tradewind.trace_file import NONBLOCKING

Trees = Mapping[Member, list[Node]]


class Requests:
    """Knows which calls start the requests that a wait completes.

    Args:
        template: The calls.
        trees: The calls of each rank.
        labels: Gets a label for each call that starts a request, by its identity.
    """

    def __init__(self, template: Sequence[Template], trees: Trees, labels: dict[int, str]) -> None:
        self._owner: dict[int, TemplateCall] = {}
        self._completes: dict[int, set[str]] = {}
        self._leaves: set[int] = set()
        self._labels = labels
        for call in calls_of(template):
            for node in call.seen.values():
                self._owner[id(node)] = call
            if call.key.flags & NONBLOCKING:
                labels[id(call)] = f"r{len(labels)}"
        for tree in trees.values():
            self._walk(tree, {})

    def of(self, call: TemplateCall) -> list[str]:
        """Returns the labels that a wait completes."""
        if call.key.name != "wait":
            return []
        if id(call) not in self._leaves:
            return [ALL]
        return sorted(self._completes.get(id(call), ()), key=lambda label: int(label[1:]))

    def _walk(self, nodes: Sequence[Node], open_slots: dict[int, str]) -> None:
        for node in nodes:
            if isinstance(node, LoopNode):
                # Requests that a turn leaves open are completed in the next one.
                for body in node.rounds or [node.body] * min(2, node.turns):
                    self._walk(body, open_slots)
            elif node.slot >= 0:
                open_slots[node.slot] = self._labels[id(self._owner[id(node)])]
            elif node.key.name == "wait":
                self._note(node, open_slots)

    def _note(self, node: CallNode, open_slots: dict[int, str]) -> None:
        wait = id(self._owner[id(node)])
        done = {open_slots.pop(slot) for slot in node.waits if slot in open_slots}
        self._completes.setdefault(wait, set()).update(done)
        if open_slots:
            self._leaves.add(wait)
