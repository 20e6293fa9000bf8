"""The clocks of ranks in a trace of another program: messages that arrive before they are sent show that they disagree.

A replay needs durations on each rank only. It is not wrong where clocks disagree; what the archive says of
waits between ranks is.
"""

from __future__ import annotations

from typing import Any

from tradewind.units import seconds_text

_PS_PER_S = 1e12


class MessageClocks:
    """The times at which messages are sent and received, by communicator, ranks in it, and tag."""

    def __init__(self) -> None:
        self._sent: dict[tuple[Any, ...], list[int]] = {}
        self._received: dict[tuple[Any, ...], list[int]] = {}

    def sent(self, channel: tuple[Any, ...], ticks: int) -> None:
        """Notes the time at which the next message of a channel is sent."""
        self._sent.setdefault(channel, []).append(ticks)

    def received(self, channel: tuple[Any, ...], ticks: int) -> None:
        """Notes the time at which the next message of a channel has been received."""
        self._received.setdefault(channel, []).append(ticks)

    def remark(self, scale: float) -> str | None:
        """Returns a line for people if clocks disagree.

        Args:
            scale: Picoseconds of a tick.
        """
        early, most, all_ = 0, 0, 0
        for channel, received in self._received.items():
            for begin, end in zip(self._sent.get(channel, ()), received, strict=False):
                all_ += 1
                if end < begin:
                    early += 1
                    most = max(most, begin - end)
        if not early:
            return None
        return (
            f"the clocks of ranks disagree: {early} of {all_} messages are received before they are"
            f" sent, by up to {seconds_text(most * scale / _PS_PER_S)}; a replay takes durations only"
        )
