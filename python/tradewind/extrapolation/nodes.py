"""Remarks on programs that group their ranks by node, of which a pattern knows the recorded nodes only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tradewind.trace_file import Trace

SPLITS_BY_NODE = "MPI_Comm_split_type"


def remarks_on_nodes(traces: Sequence[Trace]) -> list[str]:
    """Says what a pattern takes the communicator of a node for, if a recorded program has made one.

    Args:
        traces: The recordings, by ascending number of ranks.

    Returns:
        A remark, or none if no program calls MPI_Comm_split_type.
    """
    splitting = [trace for trace in traces if _counted(trace.facts.get("functions"))]
    if not splitting:
        return []
    hosts = [_number_of_hosts(trace) for trace in splitting]
    if max(hosts) == 1:
        where = "all recordings are of one node"
        taken = "all ranks as those of one node"
    else:
        pairs = zip(splitting, hosts, strict=True)
        recorded = dict.fromkeys(f"{trace.ranks} ranks on {count}" for trace, count in pairs)
        where = f"was recorded with {', '.join(recorded)} nodes"
        taken = "the ranks of a node as they were there"
    return [
        f"the program calls {SPLITS_BY_NODE}, and {where}: the pattern takes {taken}, whatever the "
        "machine; record several nodes with as many ranks on each as the machine has, or change grid "
        "and groups in the pattern"
    ]


def _counted(functions: object) -> bool:
    """Reports whether the counts of functions of a recording have one that groups ranks by node."""
    return isinstance(functions, Mapping) and bool(functions.get(SPLITS_BY_NODE))


def _number_of_hosts(trace: Trace) -> int:
    """Returns on how many nodes a recording was made; one if it does not say."""
    hosts: Any = trace.facts.get("hosts")
    return max(1, len(hosts)) if isinstance(hosts, list) else 1
