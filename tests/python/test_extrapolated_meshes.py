"""Programs on meshes without structure: their pattern has the neighbours of a graph of ranks."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pausing_programs
import pytest
from conftest import Cli, needs_mpi
from recorded_programs import needs_mpicc
from recordings import NONBLOCKING, Recording, save

import tradewind as tw
from tradewind import mpi
from tradewind.cli import extrapolate_command, main
from tradewind.errors import ConfigError, TraceError
from tradewind.extrapolation import (
    discover,
    expand,
    first_difference,
    has_graph,
    load_pattern,
    pattern_text,
)
from tradewind.extrapolation.grids import balanced
from tradewind.extrapolation.rank_graph import FROM, TO, GraphFiles, RankGraph
from tradewind.trace_file import Trace, read_trace

# The calls of a rank with its neighbours.
Exchange = Callable[[Callable[..., None], RankGraph, int], None]
COUNTS, HELD = (5, 8, 13), 21


def write_edges(folder: Path, ranks: int) -> None:
    """Writes a graph in which ranks have different neighbours, who send them other weights than they get."""
    random = np.random.default_rng(ranks)
    lines = ["# FROM TO Weight"]
    for one in range(ranks):
        for other in range(one):
            # The last rank but one has no neighbours.
            if ranks - 2 not in (one, other) and random.random() < 4 / ranks:
                there, back = random.integers(1, 100, 2)
                lines += [f"{one} {other} {there}", f"{other} {one} {back}"]
    (folder / f"mesh{ranks}.edges").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> GraphFiles:
    folder = tmp_path_factory.mktemp("graphs")
    for ranks in (*COUNTS, HELD):
        write_edges(folder, ranks)
    return GraphFiles(f"{folder}/mesh{{ranks}}.edges")


def edges(graph: RankGraph, direction: str, rank: int) -> list[tuple[int, int]]:
    """Returns the step to each neighbour, and the weight of the edge."""
    links = graph.links[direction]
    own = links.edges(rank)
    steps = (links.others[own] - rank).tolist()
    return list(zip(steps, links.weights[own].tolist(), strict=True))


def requests(call: Callable[..., None], graph: RankGraph, rank: int) -> None:
    for _ in range(3):
        slots = 0
        for field, (a, b) in enumerate(((8, 0), (40, 16))):
            for peer, weight in edges(graph, FROM, rank):
                call("recv", [peer, field, a * weight + b, slots], flags=NONBLOCKING)
                slots += 1
        for field, (a, b) in enumerate(((8, 0), (40, 16))):
            for peer, weight in edges(graph, TO, rank):
                call("send", [peer, field, a * weight + b, slots], flags=NONBLOCKING)
                slots += 1
        call("wait", range(slots), computed=1.0 / 64)
        call("allreduce", [8])


def sendrecvs(call: Callable[..., None], graph: RankGraph, rank: int) -> None:
    pairs = zip(edges(graph, TO, rank), edges(graph, FROM, rank), strict=True)
    for (peer, there), (_, back) in pairs:
        call("sendrecv", [peer, 7, 24 * there, peer, 7, 24 * back])


def tags(call: Callable[..., None], graph: RankGraph, rank: int) -> None:
    slots = 0
    for peer, weight in edges(graph, FROM, rank):
        call("recv", [peer, rank + peer, 8 * weight, slots], flags=NONBLOCKING)
        slots += 1
    for peer, weight in edges(graph, TO, rank):
        call("send", [peer, rank, 8 * weight])
    call("wait", range(slots))


def collectives(call: Callable[..., None], graph: RankGraph, rank: int) -> None:
    sides = [edges(graph, direction, rank) for direction in (TO, FROM)]
    lists = [[len(one), *(n for peer, w in one for n in (peer, 16 * w))] for one in sides]
    for _ in range(4):
        call("neighbor_alltoallv", [n for one in lists for n in one])


def single_waits(call: Callable[..., None], graph: RankGraph, rank: int) -> None:
    sources, targets = edges(graph, FROM, rank), edges(graph, TO, rank)
    for _ in range(2):
        for slot, (peer, weight) in enumerate(sources):
            call("recv", [peer, 1, 8 * weight, slot], flags=NONBLOCKING)
        for slot, (peer, weight) in enumerate(targets, len(sources)):
            call("send", [peer, 1, 8 * weight, slot], flags=NONBLOCKING)
        for slot in range(len(sources) + len(targets)):
            call("wait", [slot], computed=1.0 / 32)
        call("barrier", [])


def received_in_turn(call: Callable[..., None], graph: RankGraph, rank: int) -> None:
    sources, targets = edges(graph, FROM, rank), edges(graph, TO, rank)
    for slot, (peer, weight) in enumerate(targets):
        call("send", [peer, 1, 8 * weight, slot], flags=NONBLOCKING)
    for peer, weight in sources:
        call("recv", [peer, 1, 8 * weight, len(targets)], flags=NONBLOCKING)
        call("wait", [len(targets)])
    call("wait", range(len(targets)))


def pairs_of_requests(call: Callable[..., None], graph: RankGraph, rank: int) -> None:
    pairs = zip(edges(graph, FROM, rank), edges(graph, TO, rank), strict=True)
    slots = 0
    for (peer, there), (_, back) in pairs:
        call("recv", [peer, 1, 8 * there, slots], flags=NONBLOCKING)
        call("send", [peer, 1, 8 * back, slots + 1], flags=NONBLOCKING)
        slots += 2
    for slot in range(slots):
        call("wait", [slot])


def puts(call: Callable[..., None], graph: RankGraph, rank: int) -> None:
    call("win_create", [0, 4096])
    for _ in range(2):
        call("post", [0, *(peer for peer, _ in edges(graph, FROM, rank))])
        call("start", [0, *(peer for peer, _ in edges(graph, TO, rank))])
        for peer, weight in edges(graph, TO, rank):
            call("put", [0, peer, 8 * weight])
        call("complete", [0])
        call("wait_posts", [0])
    call("win_free", [0])


def ranks_of(graph: RankGraph) -> int:
    return len(graph.links[TO].first) - 1


def beside(exchange: Exchange, *rounds: pausing_programs.Body, reduces: bool = False) -> Exchange:
    """Returns a program with an exchange with all neighbours and then rounds in which ranks pause, in each step."""

    def body(call: Callable[..., None], graph: RankGraph, rank: int) -> None:
        def call_at(name: str, arguments: object, line: int, flags: int = 0) -> None:
            call(name, arguments, flags=flags, line=line)

        for _ in range(3):
            exchange(call, graph, rank)
            for one in rounds:
                one(call_at, rank, ranks_of(graph))
            if reduces:
                call("allreduce", [8])

    return body


def one_exchange(call: Callable[..., None], graph: RankGraph, rank: int) -> None:
    slots = 0
    for name, direction in (("recv", FROM), ("send", TO)):
        for peer, weight in edges(graph, direction, rank):
            call(name, [peer, 1, 8 * weight, slots], flags=NONBLOCKING)
            slots += 1
    call("wait", range(slots))


PROGRAMS = {
    "requests": (requests, ('numbers = ["40 * weight + 16"]', 'peers = "graph"')),
    "sendrecvs": (sendrecvs, ('numbers = ["24 * weight", "24 * weight"]',)),
    "tags of senders": (tags, ('tags = ["peer"]', 'tags = ["rank"]')),
    "waits for each request": (single_waits, ('waits = ["r0"]\npeers = "graph"',)),
    "receives in turn": (received_in_turn, ('loop = "graph"',)),
    "pairs of requests": (pairs_of_requests, ('loop = "graph"', 'waits = ["r1"]')),
    "neighbourhood collectives": (collectives, ('"16 * weight", "16 * weight"',)),
    "puts": (puts, ('call = "post"', 'numbers = ["8 * weight"]')),
    "requests beside a tree": (
        beside(one_exchange, pausing_programs.reduce_by_tree),
        ('peers = "graph"', "inside and x % 2 ** (k + 1) == 0"),
    ),
    "requests and collectives beside a scatter": (
        beside(requests, pausing_programs.scatter_by_tree, reduces=True),
        ('peers = "graph"', "min(2 ** (ceil(log2(nx)) - 1 - k), nx - peer_x)"),
    ),
    "sendrecvs beside a tree up and a tree down": (
        beside(sendrecvs, pausing_programs.broadcast_and_reduce),
        ('peers = "graph"', "x % 2 ** (ceil(log2(nx)) - k) == 0"),
    ),
    "requests beside doubling with pairs, twice": (
        beside(one_exchange, *[pausing_programs.doubling_with_pairs] * 2),
        ('peers = "graph"', '"folded(nx, x, k) - x"'),
    ),
    "pairs of requests beside prefix sums": (
        beside(pairs_of_requests, pausing_programs.prefix_sums),
        ('loop = "graph"', 'tags = ["k"]'),
    ),
    "receives in turn beside doubling by one line": (
        beside(received_in_turn, pausing_programs.doubling_by_one_line),
        ('loop = "graph"', "rank >= 2 * 2 ** floor(log2(P)) - P"),
    ),
    "waits for each request beside a sort": (
        beside(single_waits, pausing_programs.odd_and_even),
        ('waits = ["r0"]\npeers = "graph"', 'when = "rank < P - 1 and (x + k) % 2 == 0"'),
    ),
}


def recorded(body: Callable[..., None], graph: RankGraph, ranks: int) -> Trace:
    recording = Recording(ranks)
    for rank in range(ranks):

        def call(
            name: str, arguments: object, rank: int = rank, line: int = 0, **more: object
        ) -> None:
            site = f"mesh.f90:{line or name}"
            recording.call(rank, name, list(arguments), site=site, **more)  # type: ignore[call-overload, arg-type]

        call("init", [])
        body(call, graph, rank)
    return recording.trace()


def pattern_of(body: Callable[..., None], files: GraphFiles) -> tw.extrapolation.Pattern:
    graphs = [files.read(ranks) for ranks in COUNTS]
    traces = [recorded(body, *both) for both in zip(graphs, COUNTS, strict=True)]
    return discover(traces, graphs=graphs)[0]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_recording_that_was_held_back_is_predicted(
    name: str, files: GraphFiles, tmp_path: Path
) -> None:
    body, words = PROGRAMS[name]
    path = tmp_path / "a.pattern"
    path.write_text(pattern_text(pattern_of(body, files)), encoding="utf-8")
    for some in words:
        assert some in path.read_text(encoding="utf-8")
    graph = files.read(HELD)
    predicted = Trace.of(expand(load_pattern(path), HELD, graph=graph))
    assert first_difference(predicted, recorded(body, graph, HELD), with_sites=True) is None
    # Another graph has other messages.
    ring = RankGraph.read(_ring(tmp_path, HELD), "", HELD)
    other = Trace.of(expand(load_pattern(path), HELD, graph=ring))
    assert first_difference(other, recorded(body, graph, HELD)) is not None


def test_bytes_are_functions_of_weight_and_problem(files: GraphFiles) -> None:
    def of(levels: int) -> Callable[..., None]:
        def body(call: Callable[..., None], graph: RankGraph, rank: int) -> None:
            for peer, weight in edges(graph, TO, rank):
                call("send", [peer, 0, 8 * levels * weight + 64])

        return body

    setups = [(5, 8), (8, 8), (13, 8), (8, 20), (5, 31)]
    graphs = [files.read(ranks) for ranks, _ in setups]
    traces = [
        recorded(of(levels), graph, ranks)
        for (ranks, levels), graph in zip(setups, graphs, strict=True)
    ]
    problems = [{"levels": levels} for _, levels in setups]
    pattern, _ = discover(traces, problems=problems, graphs=graphs)
    graph = files.read(HELD)
    predicted = Trace.of(expand(pattern.with_sizes({"levels": 137}), HELD, graph=graph))
    assert first_difference(predicted, recorded(of(137), graph, HELD)) is None


def _ring(folder: Path, ranks: int) -> Path:
    path = folder / "ring.edges"
    pairs = [(rank, (rank + step) % ranks) for rank in range(ranks) for step in (1, -1)]
    path.write_text("".join(f"{one} {other} 5\n" for one, other in pairs), encoding="utf-8")
    return path


def test_what_a_graph_does_not_explain_is_refused(files: GraphFiles) -> None:
    def other_order(call: Callable[..., None], graph: RankGraph, rank: int) -> None:
        for peer, weight in reversed(edges(graph, TO, rank)):
            call("send", [peer, 0, 8 * weight])

    def other_bytes(call: Callable[..., None], graph: RankGraph, rank: int) -> None:
        for peer, weight in edges(graph, TO, rank):
            call("send", [peer, 0, weight**2])

    def some_ranks(call: Callable[..., None], graph: RankGraph, rank: int) -> None:
        if rank in (1, 2, 4):
            requests(call, graph, rank)

    with pytest.raises(TraceError, match=r"^send at mesh\.f90:send"):
        pattern_of(other_order, files)
    with pytest.raises(TraceError, match="no rule gives its bytes by the weight of edges"):
        pattern_of(other_bytes, files)
    with pytest.raises(TraceError, match="no rule tells which ranks make it"):
        pattern_of(some_ranks, files)
    # The root of the tree is rank 1 of 5, 2 of 8 and 4 of 13.
    with pytest.raises(TraceError, match=r"at mesh\.f90:\d"):
        pattern_of(beside(one_exchange, from_the_middle), files)


def from_the_middle(call: pausing_programs.Call, rank: int, ranks: int) -> None:
    root = ranks // 3
    place = (rank - root) % ranks
    for _, bit in pausing_programs.powers(ranks):
        if place < bit and place + bit < ranks:
            call("send", [(rank + bit) % ranks - rank, 1, 8], 1)
        elif bit <= place < 2 * bit:
            call("recv", [(rank - bit) % ranks - rank, 1, 8], 2)


def test_a_pattern_needs_its_graph_and_takes_no_other(files: GraphFiles) -> None:
    pattern = pattern_of(requests, files)
    assert has_graph(pattern)
    with pytest.raises(TraceError, match=r"expected the file of one as program\.graph"):
        expand(pattern, HELD)
    plain = discover(
        [recorded(lambda call, *_: call("barrier", []), files.read(5), n) for n in (2, 3, 4)]
    )[0]
    with pytest.raises(TraceError, match="but the pattern has no calls"):
        expand(plain, 5, graph=files.read(5))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('call = "bcast"\npeers = "graph"\nnumbers = [0, 8]', 'bcast: peers = "graph" is for send'),
        ('call = "send"\npeers = "graph"\nnumbers = [8]', "send: has 0 tags, must have 1"),
        ('call = "send"\npeers = "graph"\ntags = [0]', "send: has 0 numbers, must have 1"),
        ('call = "put"\npeers = "graph"\nnumbers = [8]', "put: window is missing"),
        (
            'call = "send"\npeers = "graph"\ntags = [0]\nnumbers = [8]\noffsets = [[1]]',
            "send: has offsets",
        ),
        ('call = "send"\npeers = "mesh"\ntags = [0]', 'peers = .mesh.: expected "graph"'),
    ],
)
def test_wrong_patterns_are_refused(text: str, why: str, files: GraphFiles, tmp_path: Path) -> None:
    path = tmp_path / "a.pattern"
    head = '[pattern]\nversion = 1\ngrid = "line"\n[[do]]\n'
    path.write_text(f"{head}{text}\n", encoding="utf-8")
    with pytest.raises(TraceError, match=why):
        expand(load_pattern(path), 5, graph=files.read(5))


def test_experiments_name_the_graph_of_each_rank_count(files: GraphFiles, tmp_path: Path) -> None:
    path = tmp_path / "a.pattern"
    path.write_text(pattern_text(pattern_of(requests, files)), encoding="utf-8")
    program = {"name": "trace", "trace": str(path), "graph": files.graph}
    for ranks in (8, HELD):
        save(recorded(requests, files.read(ranks), ranks), tmp_path / "a.trace")
        machine = {"name": "fattree-m"}
        found = tw.simulate({"machine": machine, "program": program | {"ranks": ranks}})
        known = tw.simulate(
            {"machine": machine, "program": {"name": "trace", "trace": str(tmp_path / "a.trace")}}
        )
        assert all(found.counts[key] == known.counts[key] for key in ("messages", "bytes"))
        assert found.time_s == pytest.approx(known.time_s, rel=1e-3)
    for change, why in (
        ({"graph": "none.edges"}, r"program\.graph = .*none\.edges.*cannot be read|No such file"),
        ({"partition_file": "none.part"}, r"program\.partition_file = .*No such file"),
        ({"ranks": 4}, "mesh4"),
    ):
        with pytest.raises(ConfigError, match=why):
            tw.simulate(
                {"machine": {"name": "fattree-m"}, "program": {"ranks": 8} | program | change}
            )


def test_the_command_line_names_the_graph_before_the_traces(
    cli: Cli, files: GraphFiles, tmp_path: Path
) -> None:
    paths = []
    for ranks in (*COUNTS, HELD):
        paths.append(tmp_path / f"a{ranks}.trace")
        save(recorded(requests, files.read(ranks), ranks), paths[-1])
    *traces, held = map(str, paths)
    output = str(tmp_path / "a.pattern")
    done = cli(
        "extrapolate", f"graph={files.graph}", *traces, "-o", output, "--check", held, "--json"
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["checks"] == {held: "equal"}
    (tmp_path / "no.edges").write_text("# FROM TO Weight\n")
    for words, why in (
        ((f"graph={tmp_path}/none{{ranks}}.edges",), "graph of 5 ranks: .*none5.edges"),
        ((f"graph={tmp_path}/no.edges",), "no.edges: no rank has a neighbour in it; expected"),
        ((f"partition={traces[0]}",), "is given without graph=FILE"),
        ((f"graph={files.graph}", "graph=other"), "is given, too"),
    ):
        failed = cli("extrapolate", *words, *traces, "-o", output)
        assert failed.returncode == 2
        assert failed.stderr.count("\n") == 1
        assert re.search(why, failed.stderr), failed.stderr


def sends(peers_of: Callable[[int, int], set[int]], size: Callable[[int, int], int]) -> Exchange:
    """Returns an exchange in which ranks send to others by a rule."""

    def exchange(call: Callable[..., None], graph: RankGraph, rank: int) -> None:
        for peer in sorted(peers_of(rank, ranks_of(graph)) - {rank}):
            call("send", [peer - rank, 0, size(rank, peer)])

    return exchange


def on_grid(rank: int, ranks: int, *, is_open: bool = False) -> set[int]:
    """Returns the four neighbours on a grid."""
    nx, ny = balanced(ranks, 2)
    places = [(rank % nx + dx, rank // nx + dy) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    return {
        x % nx + nx * (y % ny)
        for x, y in places
        if not is_open or (x in range(nx) and y in range(ny))
    }


def eight(*_: int) -> int:
    return 8


PEERS = "no rule tells which ranks make it with which peers: rank 1 of 8 has rank 0"


@pytest.mark.parametrize(
    ("exchange", "why", "is_hinted"),
    [
        (one_exchange, PEERS, True),
        (one_exchange, "no offset and no formula gives its peers in some of its calls: 1", True),
        (one_exchange, "no rule gives its bytes, [8, 16]", True),
        (sends(on_grid, eight), "no rule gives its bytes, [8, 16]", False),
        (one_exchange, "no rule gives its counts, [8, 16]", False),
        (one_exchange, f"it receives from any source; {PEERS}", False),
        (one_exchange, f"{PEERS}; without 5 ranks there is a pattern of 8, 13 ranks", False),
        (sends(on_grid, eight), PEERS, False),
        (sends(partial(on_grid, is_open=True), eight), PEERS, False),
        (sends(on_grid, lambda rank, peer: 8 * (rank + peer)), PEERS, True),
        (sends(lambda rank, _: {(rank - 1) // 2} if rank else set(), eight), PEERS, False),
        (sends(lambda _, ranks: set(range(ranks)), eight), PEERS, False),
    ],
)
def test_a_refusal_for_peers_as_in_a_mesh_says_that_a_graph_helps(
    exchange: Exchange,
    why: str,
    is_hinted: bool,
    files: GraphFiles,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refused(*_: object) -> None:
        raise TraceError(f"send at mesh.f90:send (call 2): {why} (rank 1 of 8)")

    monkeypatch.setattr(extrapolate_command, "discover", refused)
    paths = []
    for ranks in (8, 13, HELD):
        trace = recorded(exchange, files.read(ranks), ranks)
        paths.append(str(save(trace, tmp_path / f"{ranks}.trace")))
    output = ["-o", str(tmp_path / "a.pattern")]
    hint = "; if neighbours come from a mesh, give it as graph=FILE" if is_hinted else ""
    for words, end in (([], hint), ([f"graph={files.graph}"], "")):
        assert main(["extrapolate", *words, *paths, *output]) == 2
        assert capsys.readouterr().err.endswith(f"{why} (rank 1 of 8){end}\n")


# Models, with the exchange of each.
MODELS = {
    "homme": ["homme", "ne=6", "steps=2"],
    "homme by neighbourhood collectives": ["homme", "ne=6", "steps=2", "exchange=native"],
    "fvwam": ["fvwam", "mesh=sea.nc", "directions=12", "frequencies=8", "steps=2"],
}


@needs_mpi
@needs_mpicc
@pytest.mark.parametrize("name", MODELS)
def test_our_models_on_meshes_are_predicted_call_by_call(
    name: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = MODELS[name]
    Path("case.toml").write_text("[homme]\nne = 6\nsteps = 2\n", encoding="utf-8")
    if settings[0] == "fvwam":
        assert cli("mesh", "generate", "--cells", "642", "-o", "sea.nc").returncode == 0
    graphs = GraphFiles("mesh.graph", "mesh.part.{ranks}")
    traces = {}
    for ranks in (5, 8, 12, 18):
        of = (
            ["mesh", "partition", "sea.nc"]
            if settings[0] == "fvwam"
            else ["partition", "homme", "case.toml"]
        )
        part = f"mesh.part.{ranks}"
        made = cli(*of, "-n", str(ranks), "-o", part, "--graph", "mesh.graph")
        assert made.returncode == 0, made.stderr
        traces[ranks] = record_model([*settings, f"partition_file={part}"], ranks)
    check_prediction(traces, 18, graphs)


# Models whose halo is deeper than one cell, with the setting of a case and those of messages alone, and the numbers
# of ranks. Reductions of semi_lagrangian double their distances; the ranks beyond a power of two pause.
HALOS: dict[str, tuple[str, str, list[str], tuple[int, ...]]] = {
    "fvwam, two rings": (
        "fvwam",
        'mesh = "sea.nc"\ndirections = 12\nfrequencies = 8\nscheme = "limited"\n',
        ["mesh=sea.nc", "directions=12", "frequencies=8", "scheme=limited", "steps=2"],
        (5, 8, 12, 18),
    ),
    "semi_lagrangian": (
        "semi_lagrangian",
        'grid = [48, 24, 4]\ntime_step = "7200 s"\n',
        ["grid=[48,24,4]", "time_step=7200000000000000", "steps=3"],
        (2, 4, 8, 16),
    ),
    "semi_lagrangian, no powers of two": (
        "semi_lagrangian",
        'grid = [48, 24, 4]\ntime_step = "7200 s"\n',
        ["grid=[48,24,4]", "time_step=7200000000000000", "steps=3"],
        (4, 5, 6, 8, 11),
    ),
}


@needs_mpi
@pytest.mark.parametrize("name", HALOS)
def test_models_with_deep_halos_are_predicted_call_by_call(
    name: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    model, case, settings, counts = HALOS[name]
    Path("case.toml").write_text(f"[{model}]\n{case}", encoding="utf-8")
    if model == "fvwam":
        assert cli("mesh", "generate", "--cells", "642", "-o", "sea.nc").returncode == 0
    traces = {}
    for ranks in counts:
        made = cli("graph", model, "case.toml", "-n", str(ranks), "-o", f"halo{ranks}.edges")
        assert made.returncode == 0, made.stderr
        traces[ranks] = record_model([model, *settings], ranks)
    check_prediction(traces, counts[-1], GraphFiles("halo{ranks}.edges"))


def record_model(settings: list[str], ranks: int) -> Trace:
    """Records a model without data."""
    command = [sys.executable, "-m", "tradewind"]
    run = [*command, "mpiexec", "-n", str(ranks), str(mpi.find().program), "run"]
    name = f"{ranks}.trace"
    whole = [*command, "record", "-o", name, "--", *run, *settings, "payload=false"]
    subprocess.run(whole, check=True, capture_output=True)
    return read_trace(Path(name))


def check_prediction(traces: dict[int, Trace], held_back: int, graphs: GraphFiles) -> None:
    held = traces.pop(held_back)
    pattern, _ = discover(list(traces.values()), graphs=[graphs.read(ranks) for ranks in traces])
    predicted = Trace.of(expand(pattern, held_back, graph=graphs.read(held_back)))
    assert first_difference(predicted, held, with_sites=True) is None
