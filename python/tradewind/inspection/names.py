"""The names of recorded calls in MPI, and the flags of events."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tradewind.trace_file import NONBLOCKING, PERSISTENT, TIMING

if TYPE_CHECKING:
    from tradewind.trace_file import Numbers, Trace

# The string of an unknown call site.
NO_SITE = -1
# Names that do not follow from the name of the call.
_NAMES = {
    "put": "MPI_Put",
    "get": "MPI_Get",
    "accumulate": "MPI_Accumulate",
    "fence": "MPI_Win_fence",
    "post": "MPI_Win_post",
    "start": "MPI_Win_start",
    "complete": "MPI_Win_complete",
    "wait_posts": "MPI_Win_wait",
    "lock": "MPI_Win_lock",
    "unlock": "MPI_Win_unlock",
    "flush": "MPI_Win_flush",
    "file": "MPI_File (all calls)",
    "put_signal": "put with a signal",
    "wait_signal": "wait for a signal",
}
# One-sided calls with a request have an R in their names, such as MPI_Rput.
_ONE_SIDED = ("put", "get", "accumulate")
_KINDS = 64
# More than the sum of all flags of an event.
_FLAGS = 64


def mpi_name(call: str, flags: int, slots: int) -> str:
    """Returns the name of a call in MPI, such as MPI_Isend.

    Args:
        call: The name in the trace.
        flags: Its flags.
        slots: The number of requests that it completes.
    """
    if call == "wait":
        if flags & TIMING:
            return "MPI_Test or MPI_Waitany"
        return "MPI_Wait" if slots == 1 else "MPI_Waitall"
    if call in ("put_signal", "wait_signal"):
        return _NAMES[call]
    if flags & PERSISTENT:
        return f"MPI_Start ({call})"
    if call == "probe":
        return "MPI_Iprobe" if flags & (TIMING | NONBLOCKING) else "MPI_Probe"
    if flags & NONBLOCKING:
        return f"MPI_{'R' if call in _ONE_SIDED else 'I'}{call}"
    return _NAMES.get(call, f"MPI_{call.capitalize()}")


def kinds_of(trace: Trace) -> tuple[Numbers, list[str]]:
    """Sorts the events of a trace by the name of their call.

    Returns:
        For each event the index of its name, and the names. Calls recorded as `other` have the name
        that was recorded.
    """
    call, _, flags, _, first, count = columns(trace)
    slots = np.where(call == trace.calls.index("wait"), np.minimum(count, 2), 0)
    string = np.full(len(call), -1)
    is_other = (call == trace.calls.index("other")) & (count > 0)
    string[is_other] = trace.arrays["arguments"][first[is_other]]
    string[(string < 0) | (string >= len(trace.strings))] = -1
    key = ((string + 1) * 4 + slots) * _KINDS * _FLAGS + flags * _KINDS + call
    keys, kind = np.unique(key, return_inverse=True)
    names = [_name_of(int(one), trace) for one in keys]
    table = {name: index for index, name in enumerate(dict.fromkeys(names))}
    return np.array([table[name] for name in names], np.int64)[kind], list(table)


def columns(trace: Trace) -> tuple[Numbers, ...]:
    """Returns call, communicator, flags, site, first argument and number of arguments of the events."""
    return tuple(np.array(trace.arrays["events"]).reshape(-1, 6).T)


def _name_of(key: int, trace: Trace) -> str:
    string, slots = divmod(key // (_KINDS * _FLAGS), 4)
    call = trace.calls[key % _KINDS]
    if call == "other":
        return trace.strings[string - 1] if string else "unknown call"
    return mpi_name(call, key // _KINDS % _FLAGS, slots)
