"""The kinds of input files that are damaged, and the commands that have to cope with them."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fuzz_mutations import Mutant, mutate_binary, mutate_text
from fuzz_traces import ACTIONS, SCHEDULE, compiled_schedule, every_call, write_damaged
from tradewind import core, extras
from tradewind.config import places
from tradewind.trace_file import write_trace

ROOT = Path(__file__).parents[1]

_TINY = """
[machine]
name = "given.toml"

[program]
name = "allreduce"
bytes = "64 B"
ranks = 2
"""
_TUNED = """
[machine]
name = "laptop"

[program]
name = "allreduce"
bytes = "64 B"
ranks = 4
allreduce = { algorithm = "tuned", tuning = "tuning.json" }
"""
_SWEEP = """
[experiment]
title = "what is damaged"

[machine]
name = "laptop"

[program]
name = "transposition"
grid = [16, 16, 8]
ranks = 4
alltoallv = { algorithm = "ring_k", radix = 2 }

[simulation]
packet_size = "1 KiB"
matrix_bins = 4
link_map_bins = 4
timeline = true

[sweep]
"program.ranks" = [2, 4]
"""
_EXAMPLES = ("rossby_haurwitz", "advection")
HELMHOLTZ = """
[helmholtz]
grid = [16, 12, 6]
restart = 2
method = "pipelined_gcr"
tolerance = 1e-6
iterations = 50
slices = 3
preconditioner = "line"
"""

_REPLAY = """
[machine]
name = "laptop"

[program]
name = "trace"
trace = "{}"
"""
PATTERN = b"""
[pattern]
version = 1
grid = "nx = 2"
made_from = [4, 6, 8]

[sizes]
width = 40

[[do]]
call = "comm_create"
about = "x"

[[do]]
loop = 3

[[do.do]]
call = "recv"
label = "r0"
site = "solver.f90:212"
offsets = [[-1, 0]]
peers_when = ["inside"]
tags = [1]
numbers = ["8 * part(width, ny, y)"]
processor = "1e-6 + 2e-6 / P"

[[do.do]]
call = "send"
label = "r1"
when = "rank < P"
offsets = [[1, 0]]
peers_when = ["inside"]
tags = [1]
numbers = ["8 * part(width, ny, y)"]

[[do.do]]
call = "wait"
waits = ["r0", "r1"]

[[do.do]]
call = "alltoallv"
group = "x"
counts = ["16 * part(9, m, j)", "16 * part(9, nx, x)"]

[[do]]
loop = 2
index = "k"

[[do.do]]
call = "sendrecv"
grid = "line"
offsets = [["2 ** k"], ["-(2 ** k)"]]
tags = ["5 + k", "5 + k"]
numbers = ["16 * 2 ** k", "16 * 2 ** k"]

[[do]]
call = "neighbor_alltoallv"
grid = "balanced 2"
offsets = [[0, 1], ["nx // 2", 0], [0, -1], ["-(nx // 2)", 0]]
sources = 2
peers_when = ["inside", "", "inside", ""]
numbers = [64, "8 * nx", 64, "8 * nx"]
"""
_MESH = "mesh.nc"
WAVES = f"""
[fvwam]
mesh = "{_MESH}"
directions = 12
frequencies = 8
first_frequency_hz = 0.06
time_step = "1800 s"
steps = 2
scheme = "limited"
source_steps = 2
overlap = "computation"
wind = "typhoon"
wind_speed_m_s = 5.0
track = '''
0 128 18 950 120
6 127 19.5 945 120
'''
"""

_ENTRY = {
    "operation": "allreduce",
    "ranks": 4,
    "bytes": 64,
    "from_bytes": 0,
    "to_bytes": 2**63 - 1,
    "algorithm": "recursive_k",
    "options": {"radix": 2, "protocol": "synchronous"},
    "transport": "two_sided",
    "time_s": 1e-6,
    "default": "ring",
    "default_time_s": 2e-6,
    "native_time_s": None,
}
TUNING = {
    "format": "tradewind-tuning",
    "version": 1,
    "experiment": "fuzz",
    "by": "simulation",
    "finished": True,
    "entries": [_ENTRY, {**_ENTRY, "bytes": 4096, "algorithm": "ring", "options": {}}],
    "tried": {"a": 1e-6, "b": None},
}


@dataclass(frozen=True)
class Trial:
    """One damaged input, laid out in a folder.

    Args:
        commands: Arguments of `tradewind`, one list per call in the folder.
        mutant: The damaged file.
        name: Its name in the folder.
    """

    commands: Sequence[Sequence[str]]
    mutant: Mutant
    name: str


@dataclass(frozen=True)
class Kind:
    """Files of one kind.

    Args:
        share: How often it is chosen, relative to the others.
        make: Fills a folder with a damaged input.
    """

    share: int
    make: Callable[[Path, random.Random], Trial]


def _text_trial(
    folder: Path,
    rng: random.Random,
    sources: Sequence[bytes],
    name: str,
    commands: Sequence[Sequence[str]],
) -> Trial:
    """Damages one of the sources and writes it to a file of the folder."""
    ending = name.rpartition(".")[2]
    mutant = mutate_text(
        rng.choice(sources), list(sources), ending, rng, is_strict=ending == "toml"
    )
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(mutant.content)
    return Trial(commands, mutant, name)


def _read(paths: Sequence[Path]) -> list[bytes]:
    return [path.read_bytes() for path in sorted(paths)]


def _experiments(folder: Path, rng: random.Random) -> Trial:
    shipped = (ROOT / "experiments").rglob("*.toml")
    sources = [path for path in shipped if path.name not in ("study.toml", "claims.toml")]
    own = [ROOT / "examples" / "small.toml", ROOT / "examples" / "sweep.toml"]
    texts = [*_read([*sources, *own]), *[_SWEEP.encode()] * 20]
    # Most without -o: pictures take longer than all the rest.
    words = [
        "simulate",
        "experiment.toml",
        "--json",
        *(["-o", "results"] if rng.random() < 0.1 else []),
    ]
    return _text_trial(folder, rng, texts, "experiment.toml", [words])


def _machines(folder: Path, rng: random.Random) -> Trial:
    (folder / "experiment.toml").write_text(_TINY, encoding="utf-8")
    network = rng.choice(("packet", "analytic"))
    words = ["simulate", "experiment.toml", "--set", f"simulation.network={network}"]
    shown = ["machine", "show", "given.toml", "--from", "0", "--to", "1", "--json"]
    texts = _read(list((ROOT / "machines").glob("*.toml")))
    return _text_trial(folder, rng, texts, "given.toml", [words, shown])


def _cases(model: str, text: bytes) -> Callable[[Path, random.Random], Trial]:
    def make(folder: Path, rng: random.Random) -> Trial:
        ranks = ["--simulated-ranks", str(rng.choice((1, 2, 3, 8)))]
        words = ["run", model, "case.toml", *ranks, "-o", "results", "--json"]
        if _MESH.encode() in text:
            mesh = sample_results().with_name(_MESH).read_bytes()
            if rng.random() < 0.5:
                (folder / "case.toml").write_bytes(text)
                mutant = mutate_binary(mesh, rng)
                (folder / _MESH).write_bytes(mutant.content)
                return Trial([words], Mutant(mutant.content, False, mutant.story), _MESH)
            (folder / _MESH).write_bytes(mesh)
        return _text_trial(folder, rng, [text], "case.toml", [words])

    return make


def _studies(name: str) -> Callable[[Path, random.Random], Trial]:
    def make(folder: Path, rng: random.Random) -> Trial:
        source = rng.choice(sorted(places.study_folders().values()))
        shutil.copytree(source, folder / "study")
        texts = [(source / name).read_bytes()]
        words = ["reproduce", "study", "-o", "results"]
        return _text_trial(folder, rng, texts, f"study/{name}", [words])

    return make


def _tuning(folder: Path, rng: random.Random) -> Trial:
    (folder / "experiment.toml").write_text(_TUNED, encoding="utf-8")
    words = ["simulate", "experiment.toml"]
    here = {"experiment": "experiment.toml", "machine": "laptop", "limit_s": 1.0, "keys": ["a"]}
    texts = [json.dumps(TUNING | here | {"tradewind": core.load().version}).encode()]
    tune = ["tune", "experiment.toml", "-o", "tuning.json", "--limit", "1"]
    tune += ["--set", "program.allreduce=ring"]
    return _text_trial(
        folder, rng, texts, "tuning.json", [words, tune] if rng.random() < 0.2 else [words]
    )


def _results(folder: Path, rng: random.Random) -> Trial:
    """One file of a folder that `simulate` has written, then all that reads such a folder."""
    shutil.copytree(sample_results(), folder / "results")
    files = sorted(path for path in (folder / "results").rglob("*") if path.is_file())
    path = rng.choice([one for one in files if one.suffix in (".json", ".npz", ".nc", ".csv")])
    content = path.read_bytes()
    if path.suffix == ".json" and rng.random() < 0.7:
        mutant = mutate_text(content, [content], "json", rng, is_strict=False)
    else:
        mutant = mutate_binary(content, rng)
    path.write_bytes(mutant.content)
    if path.suffix == ".nc":
        # The file counts where the runs are gone.
        shutil.rmtree(folder / "results" / "runs")
        (folder / "results" / "experiment.json").unlink()
    commands = [["report", "results"]]
    if rng.random() < 0.3:
        commands.append(["plot", "results", "--kind", "scaling"])
    if rng.random() < 0.2:
        commands.append(["simulate", "experiment.toml", "-o", "results"])
    (folder / "experiment.toml").write_text(_SWEEP, encoding="utf-8")
    name = str(path.relative_to(folder))
    return Trial(commands, Mutant(mutant.content, False, mutant.story), name)


def _meshes(folder: Path, rng: random.Random) -> Trial:
    """A mesh file, or the distribution of its cells."""
    shutil.copy(sample_results().parent / _MESH, folder / _MESH)
    partition = ["mesh", "partition", _MESH, "-n", "3", "--method"]
    if rng.random() < 0.2:
        text = "".join(f"{cell % 3}\n" for cell in range(SAMPLE_CELLS)).encode()
        mutant = mutate_binary(text, rng)
        (folder / "parts.txt").write_bytes(mutant.content)
        return Trial([[*partition, "parts.txt"]], mutant, "parts.txt")
    mutant = mutate_binary((folder / _MESH).read_bytes(), rng)
    (folder / _MESH).write_bytes(mutant.content)
    return Trial([["mesh", "check", _MESH], [*partition, "curve"]], mutant, _MESH)


_FORMATS = {"a.goal": SCHEDULE.encode(), "a.txt": ACTIONS.encode(), "a.bin": compiled_schedule()}


def _traces(folder: Path, rng: random.Random) -> Trial:
    """A trace of our own, a schedule in GOAL, as text or compiled, or actions of SimGrid."""
    # Copies of traces must not fill the cache folder of the user.
    os.environ["XDG_CACHE_HOME"] = str(folder.parent / "cache")
    name = rng.choice(("a.trace", "a.trace", "a.trace", *_FORMATS))
    if name in _FORMATS:
        mutant = mutate_binary(_FORMATS[name], rng)
        (folder / name).write_bytes(mutant.content)
    elif rng.random() < 0.8:
        story = write_damaged(folder / name, rng)
        mutant = Mutant((folder / name).read_bytes(), must_fail=False, story=story)
    else:
        mutant = mutate_binary((sample_results().parent / name).read_bytes(), rng)
        (folder / name).write_bytes(mutant.content)
    merged = rng.choice(("", "aggregate = true\n"))
    (folder / "experiment.toml").write_text(_REPLAY.format(name) + merged, encoding="utf-8")
    exported = ["inspect", name, "--export", rng.choice(("goal", "perfetto")), "out"]
    commands = [["inspect", name, "--json"], exported, ["simulate", "experiment.toml"]]
    return Trial(commands, mutant, name)


def _patterns(folder: Path, rng: random.Random) -> Trial:
    """A pattern, as `extrapolate` writes it. Loops stay short: more turns take longer, as they should."""
    os.environ["XDG_CACHE_HOME"] = str(folder.parent / "cache")
    while True:
        mutant = mutate_text(PATTERN, [PATTERN], "toml", rng, is_strict=False)
        turns = re.findall(rb"^loop = (.*)$", mutant.content, re.MULTILINE)
        if all(turn.isdigit() and len(turn) < 3 for turn in turns):
            break
    (folder / "a.pattern").write_bytes(mutant.content)
    replay = _REPLAY.format("a.pattern") + "ranks = 6\n"
    (folder / "experiment.toml").write_text(replay, encoding="utf-8")
    return Trial([["simulate", "experiment.toml"]], mutant, "a.pattern")


def _elevations(folder: Path, rng: random.Random) -> Trial:
    """A file of heights over longitude and latitude."""
    mutant = mutate_binary((sample_results().parent / "heights.nc").read_bytes(), rng)
    (folder / "heights.nc").write_bytes(mutant.content)
    words = ["mesh", "generate", "-o", _MESH, "--cells", "12", "--depth", "heights.nc"]
    return Trial([words], mutant, "heights.nc")


SAMPLE_CELLS = 42
_SAMPLE: list[Path] = []


def sample_results() -> Path:
    """The folder of results that is damaged; `make_sample` has made it."""
    return _SAMPLE[0]


def make_sample(folder: Path, run: Callable[[Path, Sequence[str]], None]) -> None:
    """Makes results to be damaged.

    Args:
        folder: Where.
        run: Runs `tradewind` with these arguments in a folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "experiment.toml").write_text(_SWEEP, encoding="utf-8")
    run(folder, ["simulate", "experiment.toml", "-o", "results"])
    for command in ("report", "plot"):
        run(folder, [command, "results"])
    ledger = [{"id": "A1", "claim": "c", "verdict": "holds", "evidence": {"a": 1}, "parts": ["p"]}]
    (folder / "results" / "ledger.json").write_text(json.dumps(ledger), encoding="utf-8")
    (folder / "results" / "tables").mkdir()
    (folder / "results" / "tables" / "a.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    run(folder, ["mesh", "generate", "-o", _MESH, f"--cells={SAMPLE_CELLS}", "--lloyd=0"])
    _write_heights(folder / "heights.nc")
    write_trace(folder / "a.trace", every_call(), {"complete": True})
    _SAMPLE[:] = [folder / "results"]


def _write_heights(path: Path) -> None:
    netcdf = extras.need("netCDF4", "files of heights", "mesh")
    with netcdf.Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        for name, units, axis in (
            ("lat", "degrees_north", range(-90, 91, 30)),
            ("lon", "degrees_east", range(0, 360, 30)),
        ):
            file.createDimension(name, len(axis))
            file.createVariable(name, "f8", (name,))[:] = list(axis)
            file.variables[name].units = units
        file.createVariable("height", "f4", ("lat", "lon"))[:] = -100


def _models() -> dict[str, Kind]:
    """Returns a kind for each model that has a case here."""
    examples = [(ROOT / "examples" / f"{name}.toml").read_bytes() for name in _EXAMPLES]
    cases = {
        model: case
        for model in core.names("models")
        for case in (*examples, HELMHOLTZ.encode(), WAVES.encode())
        if f"[{model}]\n".encode() in case
    }
    return {model: Kind(3, _cases(model, case)) for model, case in cases.items()}


def kinds() -> Mapping[str, Kind]:
    """All of them, by name."""
    return {
        "experiment": Kind(6, _experiments),
        "machine": Kind(4, _machines),
        **_models(),
        "study": Kind(2, _studies("study.toml")),
        "claims": Kind(2, _studies("claims.toml")),
        "tuning": Kind(2, _tuning),
        "results": Kind(2, _results),
        "mesh": Kind(3, _meshes),
        "elevation": Kind(1, _elevations),
        "trace": Kind(5, _traces),
        "pattern": Kind(2, _patterns),
    }
