"""The numbers that the text of the paper prints; its figures have more, but no tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Printed:
    """Printed numbers of a case, each the smallest and the largest of a series.

    Args:
        exchange: Speed-up of the exchange by the collective over point-to-point messages.
        model: The same of the whole run.
        shares: Share of messages in the run time, by method.
    """

    exchange: tuple[float, float]
    model: tuple[float, float]
    shares: Mapping[str, tuple[float, float]]


# By the part of the study: sections 4.1.2 and 4.1.3, 4.2.2 and 4.2.3. Of the region's runs only the largest
# speed-up is printed.
PRINTED: Mapping[str, Printed] = {
    "regional_methods": Printed((4.78, 11.67), (1.0, 2.78), {}),
    "global_methods": Printed(
        (1.28, 5.63),
        (1.21, 1.65),
        {"point_to_point": (0.5217, 0.793), "graph_mapped": (0.1523, 0.7247)},
    ),
}
