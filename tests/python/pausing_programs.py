"""Programs with rounds in which some ranks pause: what one rank calls in each step."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from recordings import NOBODY, NONBLOCKING, Recording

from tradewind.trace_file import Trace

# Makes a call: its name, its arguments, and the line of the program, which is also its call site.
Call = Callable[..., None]
# The calls of a rank among so many.
Body = Callable[[Call, int, int], None]


def powers(ranks: int) -> Iterator[tuple[int, int]]:
    """Yields k and 2^k up to the number of ranks."""
    k = 0
    while 1 << k < ranks:
        yield k, 1 << k
        k += 1


def recorded(body: Body, ranks: int, *, steps: int = 3, reduces: bool = True) -> Trace:
    """Records steps with computation, each with an allreduce at its end, if that is wanted."""
    recording = Recording(ranks)
    for rank in range(ranks):
        recording.call(rank, "init")

        def call(
            name: str, arguments: list[int], line: int, rank: int = rank, flags: int = 0
        ) -> None:
            recording.call(rank, name, arguments, site=f"a.c:{line}", flags=flags, computed=1e-5)

        for _ in range(steps):
            body(call, rank, ranks)
            if reduces:
                recording.call(rank, "allreduce", [8], site="a.c:99")
        recording.call(rank, "finalize")
    return recording.trace()


def reduce_by_tree(call: Call, rank: int, ranks: int) -> None:
    for _, bit in powers(ranks):
        if rank & bit:
            call("send", [-bit, 1, 800], 1)
            return
        if rank + bit < ranks:
            call("recv", [bit, 1, 800], 2)


def broadcast_by_tree(call: Call, rank: int, ranks: int) -> None:
    bits = [bit for _, bit in powers(ranks)]
    first = next((bit for bit in bits if rank & bit), 2 * bits[-1])
    if rank:
        call("recv", [-first, 2, 800], 3)
    for bit in reversed(bits):
        if bit < first and rank + bit < ranks:
            call("send", [bit, 2, 800], 4)


def broadcast_and_reduce(call: Call, rank: int, ranks: int) -> None:
    reduce_by_tree(call, rank, ranks)
    broadcast_by_tree(call, rank, ranks)


def broadcast_from_small_ranks(call: Call, rank: int, ranks: int) -> None:
    for k, bit in powers(ranks):
        if rank < bit and rank + bit < ranks:
            call("send", [bit, k, 800], 5)
        elif bit <= rank < 2 * bit:
            call("recv", [-bit, k, 800], 6)


def gather_by_tree(call: Call, rank: int, ranks: int) -> None:
    for _, bit in powers(ranks):
        if rank & bit:
            call("send", [-bit, 1, 16 * min(bit, ranks - rank)], 7)
            return
        if rank + bit < ranks:
            call("recv", [bit, 1, 16 * min(bit, ranks - rank - bit)], 8)


def scatter_by_tree(call: Call, rank: int, ranks: int) -> None:
    bits = [bit for _, bit in powers(ranks)]
    first = next((bit for bit in bits if rank & bit), 2 * bits[-1])
    if rank:
        call("recv", [-first, 2, 16 * min(first, ranks - rank)], 9)
    for bit in reversed(bits):
        if bit < first and rank + bit < ranks:
            call("send", [bit, 2, 16 * min(bit, ranks - rank - bit)], 10)


def prefix_sums(call: Call, rank: int, ranks: int) -> None:
    for k, bit in powers(ranks):
        if rank + bit < ranks:
            call("send", [bit, k, 64], 11)
        if rank >= bit:
            call("recv", [-bit, k, 64], 12)


def prefix_sums_at_once(call: Call, rank: int, ranks: int) -> None:
    for _, bit in powers(ranks):
        slots = 0
        for name, peer, line in (("recv", rank - bit, 13), ("send", rank + bit, 14)):
            if 0 <= peer < ranks:
                call(name, [peer - rank, 7, 64, slots], line, flags=NONBLOCKING)
                slots += 1
        if slots:
            call("wait", list(range(slots)), 15)


def prefix_sums_with_nobody(call: Call, rank: int, ranks: int) -> None:
    for _, bit in powers(ranks):
        arguments: list[int] = []
        for peer in (rank + bit, rank - bit):
            arguments += [peer - rank, 7, 64] if 0 <= peer < ranks else [NOBODY, 7, 0]
        call("sendrecv", arguments, 16)


def doubling_with_pauses(call: Call, rank: int, ranks: int) -> None:
    for _, bit in powers(ranks):
        peer = (rank ^ bit) - rank
        if rank + peer < ranks:
            call("sendrecv", [peer, 7, 64, peer, 7, 64], 17)


def odd_and_even(call: Call, rank: int, ranks: int) -> None:
    for k in range(ranks):
        peer = 1 if (rank + k) % 2 == 0 else -1
        if 0 <= rank + peer < ranks:
            call("sendrecv", [peer, 1, 96, peer, 1, 96], 18)


def odd_and_even_with_nobody(call: Call, rank: int, ranks: int) -> None:
    for k in range(ranks):
        peer = 1 if (rank + k) % 2 == 0 else -1
        message = [peer, 1, 96] if 0 <= rank + peer < ranks else [NOBODY, 1, 0]
        call("sendrecv", [*message, *message], 19)


def odd_and_even_in_order(call: Call, rank: int, ranks: int) -> None:
    for k in range(ranks):
        if (rank + k) % 2 == 0 and rank + 1 < ranks:
            call("send", [1, k, 96], 20)
            call("recv", [1, k, 96], 21)
        elif (rank + k) % 2 == 1 and rank > 0:
            call("recv", [-1, k, 96], 22)
            call("send", [-1, k, 96], 23)


def odd_and_even_at_once(call: Call, rank: int, ranks: int) -> None:
    for k in range(ranks):
        peer = 1 if (rank + k) % 2 == 0 else -1
        if 0 <= rank + peer < ranks:
            call("recv", [peer, 1, 96, 0], 24, flags=NONBLOCKING)
            call("send", [peer, 1, 96, 1], 25, flags=NONBLOCKING)
            call("wait", [0, 1], 26)


def doubling_with_fold(call: Call, rank: int, ranks: int) -> None:
    """The ranks beyond the largest power of two have a partner among the first ranks."""
    power = 1 << (ranks.bit_length() - 1)
    if rank >= power:
        call("send", [-power, 2, 128], 27)
        call("recv", [-power, 4, 128], 28)
        return
    if rank + power < ranks:
        call("recv", [power, 2, 128], 29)
    for _, bit in powers(power):
        peer = (rank ^ bit) - rank
        call("sendrecv", [peer, 3, 128, peer, 3, 128], 30)
    if rank + power < ranks:
        call("send", [power, 4, 128], 31)


def doubling_with_pairs(call: Call, rank: int, ranks: int) -> None:
    """The first ranks form a pair for each rank beyond the largest power of two; the second of a pair goes on."""
    power = 1 << (ranks.bit_length() - 1)
    rest = ranks - power
    if rank < 2 * rest and rank % 2 == 0:
        call("send", [1, 2, 128], 32)
        call("recv", [1, 4, 128], 33)
        return
    if rank < 2 * rest:
        call("recv", [-1, 2, 128], 34)
    place = rank // 2 if rank < 2 * rest else rank - rest
    for _, bit in powers(power):
        other = place ^ bit
        peer = (2 * other + 1 if other < rest else other + rest) - rank
        call("sendrecv", [peer, 3, 128, peer, 3, 128], 35)
    if rank < 2 * rest:
        call("send", [-1, 4, 128], 36)


def broadcast_at_once(call: Call, rank: int, ranks: int) -> None:
    """A broadcast by a tree that waits for all of its messages at its end."""
    bits = [bit for _, bit in powers(ranks)]
    first = next((bit for bit in bits if rank & bit), 2 * bits[-1])
    if rank:
        call("recv", [-first, 2, 800], 37)
    slots = 0
    for bit in reversed(bits):
        if bit < first and rank + bit < ranks:
            call("send", [bit, 2, 800, slots], 38, flags=NONBLOCKING)
            slots += 1
    call("wait", range(slots), 39)


def doubling_in_order(call: Call, rank: int, ranks: int) -> None:
    """Recursive doubling with a fold, in which the lower one of two ranks sends first."""
    power = 1 << (ranks.bit_length() - 1)
    if rank >= power:
        call("send", [-power, 2, 128], 40)
        call("recv", [-power, 4, 128], 41)
        return
    if rank + power < ranks:
        call("recv", [power, 2, 128], 42)
    for _, bit in powers(power):
        peer = (rank ^ bit) - rank
        calls = [("send", 43), ("recv", 44)] if peer > 0 else [("recv", 45), ("send", 46)]
        for name, line in calls:
            call(name, [peer, 3, 128], line)
    if rank + power < ranks:
        call("send", [power, 4, 128], 47)


def doubling_by_one_line(call: Call, rank: int, ranks: int, size: int = 128) -> None:
    """Recursive doubling with a fold of the last ranks, whose messages are all made by the same lines."""
    power = 1 << (ranks.bit_length() - 1)
    rest = ranks - power

    def exchange(to: int | None, source: int | None) -> None:
        slots = 0
        for name, peer, line in (("recv", source, 48), ("send", to, 49)):
            if peer is not None:
                call(name, [peer, 3, size, slots], line, flags=NONBLOCKING)
                slots += 1
        call("wait", range(slots), 50 + slots)

    if rank >= power:
        exchange(-rest, None)
        exchange(None, -rest)
        return
    if rank + rest >= power:
        exchange(None, rest)
    for _, bit in powers(power):
        exchange((rank ^ bit) - rank, (rank ^ bit) - rank)
    if rank + rest >= power:
        exchange(rest, None)


def neighbors(call: Call, rank: int, ranks: int) -> None:
    """An exchange with the ranks before and after."""
    slots = 0
    for peer, line in ((-1, 53), (1, 54)):
        if 0 <= rank + peer < ranks:
            call("recv", [peer, 5, 80, slots], line, flags=NONBLOCKING)
            slots += 1
    for peer, line in ((1, 55), (-1, 56)):
        if 0 <= rank + peer < ranks:
            call("send", [peer, 5, 80], line)
    call("wait", range(slots), 57)


def in_turn(*bodies: Body) -> Body:
    """Returns a program that makes the calls of others one after the other."""

    def body(call: Call, rank: int, ranks: int) -> None:
        for one in bodies:
            one(call, rank, ranks)

    return body
