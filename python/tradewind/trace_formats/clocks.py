"""The clocks of ranks in a trace of another program: messages that arrive before they are sent show that they disagree.

A replay needs durations on each rank only. It is not wrong where clocks disagree; what the archive says of
waits between ranks is.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from tradewind.units import seconds_text

_PS_PER_S = 1e12


class MessageClocks:
    """The times at which messages are sent and received, by communicator, ranks in it, and tag.

    Of a message whose both ends are known nothing is kept.
    """

    def __init__(self) -> None:
        self._sent: dict[tuple[Any, ...], deque[int]] = {}
        self._received: dict[tuple[Any, ...], deque[int]] = {}
        self._messages = 0
        self._early = 0
        self._most = 0

    def sent(self, channel: tuple[Any, ...], ticks: int) -> None:
        """Notes the time at which the next message of a channel is sent."""
        received = _first(self._received, channel)
        if received is None:
            self._sent.setdefault(channel, deque()).append(ticks)
        else:
            self._compare(ticks, received)

    def received(self, channel: tuple[Any, ...], ticks: int) -> None:
        """Notes the time at which the next message of a channel has been received."""
        sent = _first(self._sent, channel)
        if sent is None:
            self._received.setdefault(channel, deque()).append(ticks)
        else:
            self._compare(sent, ticks)

    def remark(self, scale: float) -> str | None:
        """Returns a line for people if clocks disagree.

        Args:
            scale: Picoseconds of a tick.
        """
        if not self._early:
            return None
        most = seconds_text(self._most * scale / _PS_PER_S)
        return (
            f"the clocks of ranks disagree: {self._early} of {self._messages} messages are received before they"
            f" are sent, by up to {most}; a replay takes durations only"
        )

    def _compare(self, sent: int, received: int) -> None:
        self._messages += 1
        self._early += received < sent
        self._most = max(self._most, sent - received)


def _first(times: dict[tuple[Any, ...], deque[int]], channel: tuple[Any, ...]) -> int | None:
    """Takes the first time of a channel, if there is one."""
    waiting = times.get(channel)
    if waiting is None:
        return None
    first = waiting.popleft()
    if not waiting:
        del times[channel]
    return first
