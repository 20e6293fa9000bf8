"""Call: a call that is made of the records of an archive of OTF2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tradewind.trace_formats.collective_sizes import Collective


@dataclass(eq=False)
class Call:
    """A call whose arguments may become known later.

    Args:
        name: Its name in traces.
        arguments: Its arguments, without those for slots.
        comm: The number of the communicator.
        flags: Its flags.
        label: The text of a call of which only the name is known.
        is_open: Whether what it is becomes known only when its request is complete.
        is_lost: Whether it is a receive that never matches anything.
        has_slot: Whether it starts a request.
        completes: The calls whose requests it completes.
        computed: The time since the call before in ps.
        inside: The time in the call in ps.
    """

    name: str
    arguments: list[int] | Collective = field(default_factory=list)
    comm: int = 0
    flags: int = 0
    label: str = ""
    is_open: bool = False
    is_lost: bool = False
    has_slot: bool = False
    completes: Sequence[Call] = ()
    computed: int = 0
    inside: int = 0
