"""Resources of the simulated machine: how busy a run kept them, and the bounds that they set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# Words for a reader; other names are classes of links.
_WORDS = {
    "injection": "interface, sending",
    "ejection": "interface, receiving",
    "memory": "memory of a node",
    "processor": "processor of a rank",
}


@dataclass(frozen=True)
class Resource:
    """A kind of resource of the simulated machine, and the busiest one of it.

    Args:
        name: A class of links, or injection, ejection, memory or processor. A processor is busy
            while its rank computes, copies, sends or receives, and not while it waits.
        utilisation: The share of the simulated time that the busiest one was at work, in 0..1.
        bound_s: The time in s that its work alone takes: no order of messages makes the run faster.
    """

    name: str
    utilisation: float
    bound_s: float

    @property
    def words(self) -> str:
        """The resource in words."""
        return _WORDS.get(self.name, f"{self.name} link" if self.name != "link" else "link")

    @property
    def busy(self) -> str:
        """The utilisation in words: "79 %"."""
        return f"{100 * self.utilisation:.0f} %"

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values, for JSON."""
        return {"name": self.name, "utilisation": self.utilisation, "bound_s": self.bound_s}


def resources_of(
    classes: Sequence[Mapping[str, Any]], processor_s: float, time_s: float
) -> tuple[Resource, ...]:
    """Returns the resources of a run, the busiest one first.

    Args:
        classes: The classes of links as the core reports them.
        processor_s: The time in s that the busiest rank did not wait.
        time_s: The simulated time.
    """
    found = [
        Resource(entry["name"], float(entry["utilisation_max"]), entry["utilisation_max"] * time_s)
        for entry in classes
    ]
    if processor_s > 0 and time_s > 0:
        found.append(Resource("processor", processor_s / time_s, processor_s))
    return tuple(sorted(found, key=lambda one: -one.utilisation))
