"""Settings are declared once: files, Python and the compiled core give the same values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import wave_meshes
from recordings import halo, save

from tradewind import core
from tradewind.cli import main
from tradewind.config import keys, places
from tradewind.config.experiment import Experiment
from tradewind.config.schema import Table
from tradewind.config.spec import Tables

# The program that a test adds to a machine file, so that there is a run.
_PROGRAM = {"name": "allreduce", "bytes": "64 B", "ranks": 2}
# Read by Python alone, by the run and not by its prediction, only where another setting asks for
# it, or as a name.
_NOT_ALWAYS_READ = {
    ("simulation", "memory_limit"),
    ("simulation", "threads"),
    ("simulation", "critical_path"),
    ("simulation", "error_target"),
    ("simulation", "max_timeline_records"),
    ("placement", "file"),
    ("routing", "name"),
    # Only where `processes` is not given.
    ("program", "process_grid"),
    # A rate without a default.
    ("node", "copy_bandwidth"),
}


def _tables(spec: Tables) -> dict[str, Table]:
    """Returns what the sections of a run accept."""
    topology = str(spec["topology"]["name"])
    program = keys.programs()[str(spec["program"]["name"])]
    return {
        **keys.sections(),
        "link": keys.link_table(topology),
        "topology": keys.topologies()[topology].keys,
        "routing": keys.routings()[str(spec["routing"]["name"])],
        "program": program.keys,
    }


def _without_defaults(spec: Tables) -> Tables:
    """Returns the settings of a run without those that only have their default."""
    tables = _tables(spec)
    return {
        section: {
            key: value
            for key, value in settings.items()
            if key not in tables[section]
            or tables[section][key].default is None
            or tables[section][key].default != value
        }
        for section, settings in spec.items()
    }


def _check(spec: Tables) -> None:
    """Checks that the core reads the values of Python, and takes the same ones for absent keys."""
    read: dict[str, dict[str, Any]] = core.load().read_values(spec)
    differing = {
        (section, key): (value, read[section][key])
        for section, settings in spec.items()
        for key, value in settings.items()
        if key in read[section] and read[section][key] != value
    }
    assert not differing
    assert core.load().read_values(_without_defaults(spec)) == read
    tables = _tables(spec)
    unread = {
        (section, key)
        for section, settings in spec.items()
        for key in settings
        if section != "program" and key in tables[section] and key not in read[section]
    }
    assert unread - _NOT_ALWAYS_READ == set()


def _first(given: Path | dict[str, Any]) -> Tables:
    """Returns the settings of the first run of an experiment, without resolving the others."""
    experiment = Experiment.load(given)
    return experiment._member((0,) * len(experiment.axes)).spec.tables()


@pytest.mark.parametrize("name", places.machine_files())
def test_the_core_reads_a_machine_file_as_python_does(name: str) -> None:
    _check(_first({"machine": {"name": name}, "program": _PROGRAM}))


@pytest.mark.parametrize("name", places.experiment_files())
def test_the_core_reads_an_experiment_as_python_does(name: str) -> None:
    _check(_first(places.experiment_files()[name]))


@wave_meshes.needed
@pytest.mark.parametrize("name", [name for name, one in keys.programs().items() if not one.kinds])
def test_the_core_has_the_defaults_of_a_program_that_python_has(name: str, tmp_path: Path) -> None:
    edges = tmp_path / "edges.txt"
    edges.write_text("0 1 8\n")
    files = {"graph": edges, "trace": save(halo(4), tmp_path / "a.trace")}
    needed = {
        key: str(files.get(key) or wave_meshes.globe())
        if entry.is_file
        else [48, 24, 8]
        if entry.kind is list
        else 2
        if entry.kind is int
        else "8 B"
        for key, entry in keys.programs()[name].keys.items()
        if entry.required
    }
    amount = {"time": "1 ms"} if name == "compute" else {}
    program = {"name": name, "ranks": 4} | needed | amount
    _check(_first({"machine": {"name": "torus-m"}, "program": program}))


@pytest.mark.parametrize(
    ("kind", "section", "key"), [("networks", "simulation", "network"), ("nodes", "node", "model")]
)
def test_the_choices_of_a_setting_are_listed(
    kind: str, section: str, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["list", kind, "--json"]) == 0
    listed = [entry["name"] for entry in json.loads(capsys.readouterr().out)[kind]]
    assert sorted(listed) == sorted(keys.sections()[section][key].choices)


def test_transport_has_the_same_two_values_everywhere() -> None:
    tables = [
        keys.algorithm(),
        *keys.measurements().values(),
        *keys.sections().values(),
        *(table for one in keys.programs().values() for table in (one.keys, one.run_keys)),
        *(
            table
            for one in core.load().algorithms()
            for table in keys.options_of(one["operation"]).values()
        ),
    ]
    found = [table["transport"].choices for table in tables if "transport" in table]
    assert len(found) > 5
    assert {tuple(sorted(choices or ())) for choices in found} == {("puts", "two_sided")}


def test_hardly_a_line_outside_a_model_quotes_its_name() -> None:
    root = Path(__file__).parents[2]
    models = [entry["name"] for entry in core.load().programs() if entry["is_model"]]
    own = [root / "src" / "tradewind" / "models", root / "python" / "tradewind" / "studies"]
    found = [
        f"{path.relative_to(root)}:{number}: {line.strip()}"
        for folder in ("src", "python", "apps", "bench", "tools")
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in (".cpp", ".hpp", ".h", ".def", ".py", ".sh")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if own[1] not in path.parents
        and any(f'"{model}"' in line and own[0] / model not in path.parents for model in models)
    ]
    assert len(found) <= 3, "\n".join(found)
