"""Checks before a run starts: does it fit the simulated machine, and the memory of this one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tradewind import core
from tradewind.config.experiment import Member
from tradewind.config.spec import Spec
from tradewind.errors import ConfigError, TopologyError
from tradewind.host import UNLIMITED, address_space, available_memory
from tradewind.units import bytes_text, count_text


@dataclass(frozen=True)
class Prediction:
    """The size of a run as the core predicts it.

    Args:
        memory_bytes: Memory at its peak.
        address_bytes: Address space at its peak, most of which may never be touched.
        ranks: Simulated ranks.
        nodes: Nodes of the simulated machine.
        messages: Messages, roughly.
        packets: Packets, roughly.
    """

    memory_bytes: int
    address_bytes: int
    ranks: int
    nodes: int
    messages: int
    packets: int

    @property
    def text(self) -> str:
        """The prediction in words."""
        return (
            f"{self.ranks} ranks, about {count_text(self.messages)} messages, "
            f"{count_text(self.packets)} packets, {bytes_text(self.memory_bytes)} of memory"
        )


def check_runs(
    members: Sequence[Member], source: str, memory: int | None = None
) -> list[Prediction]:
    """Predicts every run and refuses what cannot work.

    Args:
        members: The runs.
        source: The experiment's file, for messages.
        memory: Bytes that a run may need; default: what this machine has.

    Raises:
        ConfigError: If the core refuses the settings of a run (more ranks than the machine has
            places, for example), or if it needs more memory than there is.
    """
    free = available_memory() if memory is None else memory
    is_here = memory is None or memory < UNLIMITED
    address = address_space() if is_here else UNLIMITED
    return [_check_run(member, source, free, address) for member in members]


def predict(spec: Spec) -> Prediction:
    """Returns what the core expects of a run.

    Raises:
        ConfigError: If the core refuses its settings.
    """
    raw = core.load().predict(spec.tables())
    return Prediction(
        int(raw["memory_bytes"]),
        int(raw["address_bytes"]),
        int(raw["ranks"]),
        int(raw["nodes"]),
        int(raw["messages"]),
        int(raw["packets"]),
    )


def _placed(spec: Spec, error: ConfigError) -> str:
    """Returns what the core has said, after the table and key that it is about if that is known."""
    message = str(error)
    key = re.match(r"(\w+) = ", message)
    for name, table in spec.tables().items():
        part = name if name in ("program", "placement", "simulation") else f"machine.{name}"
        if key is not None and key[1] in table:
            return f"{part}.{message}"
    if isinstance(error, TopologyError):
        return f"machine.topology: {message}"
    return message


def _check_run(member: Member, source: str, free: int, address: int) -> Prediction:
    where = f"{source} ({member.label})" if member.parameters else source
    try:
        prediction = predict(member.spec)
    except ConfigError as error:
        raise type(error)(f"{where}: {_placed(member.spec, error)}") from None
    given = member.spec.simulation.memory_limit
    limit = free if given is None else given
    if prediction.memory_bytes > limit:
        need, have = bytes_text(prediction.memory_bytes), bytes_text(limit)
        advice = "use fewer ranks or a larger packet_size, or set simulation.memory_limit to try it anyway"
        raise ConfigError(f"{where}: needs about {need} of memory, {have} are available; {advice}")
    if given is None and prediction.address_bytes > address:
        need, have = bytes_text(prediction.address_bytes), bytes_text(address)
        raise ConfigError(
            f"{where}: reserves about {need} of address space, of which `ulimit -v` leaves {have}; "
            "raise that limit, or set simulation.memory_limit to try it anyway"
        )
    return prediction
