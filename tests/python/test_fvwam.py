"""The wave model: the same bits on any ranks, outputs, winds of typhoons and files, and refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wave_meshes
from conftest import needs_mpi

from tradewind import core, extras
from tradewind.cli import main
from tradewind.config.experiment import Experiment
from tradewind.config.partition import item_graph, text_of
from tradewind.errors import ConfigError
from tradewind.mesh.mpas_file import read_mesh
from tradewind.models.case import Case
from tradewind.models.dataset import to_dataset, to_station_dataset
from tradewind.models.run import Checkpointing, ModelRun, plan, run, simulate
from tradewind.models.run_on_mpi import run_on_mpi

pytestmark = wave_meshes.needed
needs_metis = pytest.mark.skipif(not extras.available("pymetis"), reason="needs pymetis")

Raw = dict[str, Any]
CELLS = 155  # of the globe that are sea
AT_SEA = 100  # A cell there, and an edge of two of them, from 0.
# Passes near a cell of the globe.
TRACK = "0 132 13 950 250\n6 131 14 950 250"
SMALL: Raw = {
    "steps": 3,
    "time_step": "1800 s",
    "directions": 12,
    "frequencies": 10,
    "first_frequency_hz": 0.06,
    "frequency_ratio": 1.15,
    "wind": "typhoon",
    "wind_speed_m_s": 11.0,
    "wind_direction_deg": 60.0,
    "track": TRACK,
}
# Copies have no order of sums.
EXCHANGES = [name for name in core.names("mesh") if not name.startswith("sum_")]
# The values of choices that change no bit of a result.
DISTRIBUTIONS: list[Raw] = [
    {"partition": "consecutive"},
    {"partition": "curve", "overlap": "computation"},
    {"overlap": "computation", "exchange": "on_arrival.persistent"},
    {"partition": "consecutive", "exchange": "puts"},
]


def case_of(changes: Raw | None = None, mesh: Path | None = None) -> Case:
    table = {"mesh": str(mesh or wave_meshes.globe())} | SMALL | (changes or {})
    return Case.read("fvwam", {"fvwam": {k: v for k, v in table.items() if v is not None}})


def same_bits(one: ModelRun, other: ModelRun) -> bool:
    """Returns whether all fields and numbers of all output times are the same."""
    pairs = list(zip(one.snapshots, other.snapshots, strict=True))
    return len(pairs) > 1 and all(
        first.numbers == second.numbers
        and all(
            np.array_equal(first.fields[name], second.fields[name], equal_nan=True)
            for name in first.fields
        )
        for first, second in pairs
    )


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("scheme", ["upwind", "limited", "heun"])
def test_all_ranks_exchanges_and_partitions_have_the_same_bits(
    scheme: str, precision: str, tmp_path: Path
) -> None:
    kind = {"scheme": scheme, "precision": precision}
    reference = run(case_of(kind))
    heights = reference.final.fields["significant_height_m"]
    assert reference.final.numbers["fastest_wind_m_s"] > 20
    assert len(heights) == CELLS and 0.1 < heights.min() < heights.max() < 30
    for exchange in EXCHANGES:
        assert same_bits(run(case_of(kind | {"exchange": exchange}), 5), reference), exchange
    for ranks in (2, 33):
        for changes in DISTRIBUTIONS:
            assert same_bits(run(case_of(kind | changes), ranks), reference), (ranks, changes)
    scattered = tmp_path / "own.part"
    scattered.write_text(text_of(np.arange(CELLS) * 7 % 5), encoding="utf-8")
    by_file = case_of(kind | {"partition_file": str(scattered)})
    assert same_bits(run(by_file, 5), reference)


@needs_metis
def test_a_partition_by_metis_has_the_same_bits_and_fewer_cut_edges() -> None:
    case = case_of({"partition": "metis"})
    assert same_bits(run(case, 6), run(case_of()))
    assert "partition_file" in case.on(6).settings
    graph = item_graph("fvwam", case_of().settings, 6)
    assert len(graph.first) == CELLS + 1 and set(np.diff(graph.first)) <= {3, 4, 5, 6}


def test_sources_none_and_wam3_differ_and_both_keep_their_bits() -> None:
    ends = []
    for sources in ("wam4", "wam3", "none"):
        changes = {"sources": sources, "source_steps": 2, "output_every_hours": 0.5}
        one = run(case_of(changes))
        assert same_bits(one, run(case_of(changes | {"overlap": "computation"}), 7))
        assert [snapshot.step for snapshot in one.snapshots] == [0, 1, 2, 3]
        ends.append(one.final.fields["significant_height_m"])
    assert not np.array_equal(ends[0], ends[1]) and not np.array_equal(ends[0], ends[2])


@needs_mpi
@pytest.mark.parametrize(
    ("processes", "changes"),
    [
        (1, {}),
        (2, {"scheme": "limited", "precision": "double", "overlap": "computation"}),
        (3, {"partition": "consecutive", "exchange": "puts"}),
        (3, {"exchange": "native_nonblocking", "overlap": "computation"}),
        *((4, {"exchange": name}) for name in ("native", "persistent", "pairwise", "on_arrival")),
        *((4, {"exchange": name}) for name in ("in_order", "sends_first")),
        (4, {"exchange": "on_arrival.persistent", "scheme": "limited"}),
        (2, {"exchange": "persistent", "scheme": "heun"}),
    ],
)
def test_processes_of_mpi_have_the_same_bits(processes: int, changes: Raw) -> None:
    kept = {key: changes[key] for key in ("scheme", "precision") if key in changes}
    there = plan(case_of(changes), processes)
    run_on_mpi(there)
    assert same_bits(there, run(case_of(kept)))


def restarted(changes: Raw, ranks: int, file: Path, mesh: Path | None = None) -> ModelRun:
    again = plan(case_of(changes, mesh), ranks)
    simulate(again, None, Checkpointing(restart=file))
    return again


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"precision": "double", "scheme": "limited"},
        {"scheme": "heun", "tide_amplitude_m": 2.0},
        # The output after the restart is no step of the source terms: its wind is older.
        {"source_steps": 3, "output_every_hours": 0.5},
    ],
)
def test_a_restarted_run_has_the_bits_of_one_in_one_go(changes: Raw, tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.bin"
    first = plan(case_of(changes | {"steps": 4}), 4)
    simulate(first, None, Checkpointing(4, file))
    whole = run(case_of(changes | {"steps": 8}), 4)
    again = restarted(changes | {"steps": 8}, 4, file)
    ends = {snapshot.step: snapshot for snapshot in whole.snapshots}
    assert again.final.step == 8
    for snapshot in again.snapshots:
        for name, values in snapshot.fields.items():
            same = np.array_equal(values, ends[snapshot.step].fields[name], equal_nan=True)
            assert same, (snapshot.step, name)


def test_a_checkpoint_is_for_its_own_mesh_partition_and_settings(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.bin"
    simulate(plan(case_of(), 3), None, Checkpointing(2, file))
    # The same mesh in another folder is the same mesh.
    moved = tmp_path / "moved.nc"
    moved.write_bytes(wave_meshes.globe().read_bytes())
    assert restarted({"steps": 4}, 3, file, moved).final.step == 4
    other = tmp_path / "other.nc"
    wave_meshes.rewrite(wave_meshes.globe(), other, "bottomDepth", lambda depth: depth + 1)
    for changes, ranks, mesh, told in (
        ({}, 3, other, "mesh"),
        ({"partition": "consecutive"}, 3, None, "partition"),
        ({}, 4, None, "ranks"),
        ({"scheme": "limited"}, 3, None, "scheme"),
        ({"wind_speed_m_s": 12.0}, 3, None, "wind_speed_m_s"),
        ({"track": TRACK.replace("131", "130")}, 3, None, "track"),
        ({"directions": 24}, 3, None, "directions"),
    ):
        with pytest.raises(ConfigError, match=told):
            restarted({"steps": 4} | changes, ranks, file, mesh)


def test_a_checkpoint_with_another_partition_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.bin"
    parts = [text_of((np.arange(CELLS) + shift) % 3) for shift in (0, 1)]
    simulate(plan(case_of({"partition_file": parts[0]}), 3), None, Checkpointing(2, file))
    assert restarted({"partition_file": parts[0], "steps": 4}, 3, file).final.step == 4
    with pytest.raises(ConfigError, match="partition"):
        restarted({"partition_file": parts[1], "steps": 4}, 3, file)


def test_the_dataset_is_a_mesh_of_ugrid_with_fields_on_faces(tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    done = run(case_of({"output_every_hours": 1.0, "steps": 2}), 3)
    to_dataset(done).to_netcdf(tmp_path / "fields.nc")
    with xarray.open_dataset(tmp_path / "fields.nc", mask_and_scale=False) as dataset:
        assert "UGRID-1.0" in dataset.Conventions and "CF-1.11" in dataset.Conventions
        assert dataset.mesh.cf_role == "mesh_topology"
        assert dataset.mesh.face_coordinates == "face_lon face_lat"
        assert dataset.face_nodes.start_index == 0 and dataset.face_nodes._FillValue == -1
        names = {
            variable.attrs["standard_name"]: variable
            for variable in dataset.data_vars.values()
            if variable.attrs.get("location") == "face"
        }
        assert set(names) == {
            "sea_surface_wave_significant_height",
            "sea_surface_wave_mean_period_from_variance_spectral_density_inverse_frequency_moment",
            "sea_surface_wave_mean_period_from_variance_spectral_density_second_frequency_moment",
            "sea_surface_wave_period_at_variance_spectral_density_maximum",
            "sea_surface_wave_to_direction",
            "sea_surface_wave_directional_spread",
            "eastward_wind",
            "northward_wind",
            "sea_floor_depth_below_sea_surface",
        }
        assert all(variable.mesh == "mesh" for variable in names.values())
        assert dataset.hs.dims == ("time", "face") and dataset.hs.shape == (2, CELLS)
        check_faces(dataset)


@pytest.mark.parametrize("calendar", [None, "noleap"])
def test_times_have_the_dates_of_the_wind(calendar: str | None, tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    wind = wave_meshes.write_wind(tmp_path / "wind.nc", [6, 12], [-90, 0, 90])
    if calendar is not None:
        with extras.need("netCDF4", "winds", "mesh").Dataset(wind, "a") as file:
            file["time"].calendar = calendar
    changes = {
        "wind": "file",
        "wind_file": str(wind),
        "track": None,
        "wind_speed_m_s": None,
        "steps": 2,
    }
    done = run(case_of(changes | {"output_every_hours": 1.0, "points": "here 180 0"}), 2)
    for made in (to_dataset(done), to_station_dataset(done)):
        made.to_netcdf(tmp_path / "dated.nc")
        with xarray.open_dataset(tmp_path / "dated.nc", decode_times=False) as dataset:
            assert dataset.time.units == "seconds since 2024-04-15 00:00:00"
            assert dataset.time.standard_name == "time"
            assert dataset.time.attrs.get("calendar") == calendar
            assert dataset.time.values.tolist() == [21600, 25200]
    if calendar is None:
        with xarray.open_dataset(tmp_path / "dated.nc") as dataset:
            assert dataset.time.values[1] == np.datetime64("2024-04-15T07:00:00")
    # Without dates CF has another name.
    undated = to_dataset(run(case_of({"steps": 1}), 2))
    assert undated.time.attrs["standard_name"] == "forecast_period"
    assert undated.time.attrs["units"] == "s"


def check_faces(dataset: Any) -> None:
    """The corners of each face go round its centre counterclockwise."""

    def points(name: str) -> Any:
        longitude, latitude = (
            np.radians(dataset[f"{name}_{axis}"].values) for axis in ("lon", "lat")
        )
        around = np.cos(latitude)
        return np.stack(
            [around * np.cos(longitude), around * np.sin(longitude), np.sin(latitude)], 1
        )

    nodes, centers = points("node"), points("face")
    for face, center in zip(dataset.face_nodes.values, centers, strict=True):
        ring = nodes[face[face >= 0]]
        assert 5 <= len(ring) <= 6
        assert np.linalg.norm(ring.mean(axis=0) - center) < 0.05
        assert np.all(np.cross(ring, np.roll(ring, -1, axis=0)) @ center > 0)


def test_a_typhoon_raises_the_sea_near_its_strongest_wind() -> None:
    changes = {
        "steps": None,
        "hours": 1.0,
        "time_step": "300 s",
        "directions": 24,
        "frequencies": 25,
        "first_frequency_hz": 0.042,
        "frequency_ratio": 1.1,
        "wind_speed_m_s": 0.0,
        "track": "0 128 18 950 120\n6 127 19.5 950 120",
    }
    done = run(case_of(changes, wave_meshes.region()), 2)
    fields, mesh = done.final.fields, done.outline["mesh"]
    wind = np.hypot(fields["east_wind_m_s"], fields["north_wind_m_s"])
    height = np.nan_to_num(fields["significant_height_m"])
    highest, fastest = int(np.argmax(height)), int(np.argmax(wind))
    assert 30 < wind.max() < 60 and 2 < height[highest] < 15
    assert done.final.numbers["fastest_wind_m_s"] == wind.max()
    assert done.final.numbers["highest_m"] == height.max()
    # Within the ring of the strongest wind, 120 km from the centre at 18.25 N, 127.83 E.
    longitude, latitude = np.array(mesh["face_longitudes"]), np.array(mesh["face_latitudes"])
    east = (longitude - 127.83) * np.cos(np.radians(18.25))
    distance_km = np.hypot(east, latitude - 18.25) * 111.2
    assert distance_km[highest] < 240 and distance_km[fastest] < 200
    assert height[distance_km > 700].mean() < 0.3 * height.max()
    # The young sea follows a hard wind.
    hard = wind > 25
    toward = np.degrees(np.arctan2(fields["east_wind_m_s"], fields["north_wind_m_s"]))[hard]
    off = (fields["mean_direction_deg"][hard] - toward + 180) % 360 - 180
    assert np.abs(off).max() < 30


def test_winds_of_a_file_drive_the_waves(tmp_path: Path) -> None:
    wind = wave_meshes.write_wind(tmp_path / "wind.nc", [0, 6], [-90, 0, 90])
    changes = {
        "wind": "file",
        "wind_file": str(wind),
        "track": None,
        "wind_speed_m_s": None,
        "start": "calm",
        "steps": 4,
    }
    done = run(case_of(changes | {"output_every_hours": 0.5}), 3)
    east = [snapshot.fields["east_wind_m_s"] for snapshot in done.snapshots]
    for snapshot, values in zip(done.snapshots, east, strict=True):
        assert np.allclose(values, 10 + snapshot.time_s / 3600, atol=1e-5)
    heights = [snapshot.number("mean_height_m") for snapshot in done.snapshots]
    assert heights[0] == 0 and np.all(np.diff(heights) > 0)
    assert np.isnan(done.snapshots[0].fields["mean_period_s"]).all()
    assert same_bits(done, run(case_of(changes | {"output_every_hours": 0.5})))


def rewritten_wind(folder: Path, change: Callable[[Any], None], *, is_turned: bool = False) -> Path:
    """Writes winds as `write_wind` does; with longitude before latitude if they are turned."""
    netcdf = extras.need("netCDF4", "winds", "mesh")
    path = wave_meshes.write_wind(folder / "wind.nc", [0, 6], [-90, -30, 20, 90])
    if not is_turned:
        with netcdf.Dataset(path, "a") as file:
            change(file)
        return path
    turned = folder / "turned.nc"
    with netcdf.Dataset(path) as old, netcdf.Dataset(turned, "w", format="NETCDF3_CLASSIC") as new:
        for name, values in old.variables.items():
            order = [
                values.dimensions.index(one)
                for one in ("time", "lon", "lat")
                if one in values.dimensions
            ]
            for one in values.dimensions:
                if one not in new.dimensions:
                    new.createDimension(one, old.dimensions[one].size)
            made = new.createVariable(name, values.dtype, [values.dimensions[at] for at in order])
            made.setncatts({key: values.getncattr(key) for key in values.ncattrs()})
            made[:] = np.transpose(values[:], order)
        change(new)
    return turned


def in_knots(file: Any) -> None:
    for name in ("u10", "v10"):
        file[name][:] = file[name][:] * (3600 / 1852)
        file[name].units = "knots"


@pytest.mark.parametrize("is_turned", [False, True])
def test_winds_of_other_units_and_orders_are_the_same(is_turned: bool, tmp_path: Path) -> None:
    def run_on(change: Callable[[Any], None], is_turned: bool = False) -> ModelRun:
        def uneven(file: Any) -> None:
            # Some wind that depends on both axes.
            over = (np.sin(np.radians(file["lat"][:]))[:, None], np.arange(12.0)[None, :])
            for name, factor in (("u10", 1), ("v10", -1)):
                values = factor * (12 + 5 * over[0] + 0.5 * over[1])
                file[name][:] = np.broadcast_to(values.T if is_turned else values, file[name].shape)
            change(file)

        wind = rewritten_wind(tmp_path, uneven, is_turned=is_turned)
        changes = {"wind": "file", "wind_file": str(wind), "track": None, "wind_speed_m_s": None}
        return run(case_of(changes | {"steps": 2}))

    reference = run_on(lambda file: None)
    same = run_on(lambda file: None, is_turned)
    east = reference.final.fields["east_wind_m_s"]
    assert np.ptp(east) > 3 and np.array_equal(east, same.final.fields["east_wind_m_s"])
    knots = run_on(in_knots, is_turned)
    assert np.allclose(knots.final.fields["east_wind_m_s"], east, rtol=1e-5)


def odd_wind(name: str, attribute: str, value: Any) -> Callable[[Path], Raw]:
    """Returns changes of a case whose wind has an attribute, or a first value, that is odd."""

    def change(file: Any) -> None:
        if attribute:
            file[name].setncattr(attribute, value)
        else:
            file[name][0, 0, 0] = value

    return lambda folder: {
        "wind": "file",
        "wind_file": str(rewritten_wind(folder, change)),
        "track": None,
        "wind_speed_m_s": None,
    }


def write_case(folder: Path, changes: Raw | None = None, name: str = "case.toml") -> Path:
    table = {"mesh": str(wave_meshes.globe())} | SMALL | (changes or {})
    lines = [f"{key} = {json.dumps(value)}" for key, value in table.items() if value is not None]
    (folder / name).write_text("\n".join(["[fvwam]", *lines, ""]), encoding="utf-8")
    return folder / name


def damaged_mesh(folder: Path) -> Path:
    """Returns a mesh in which a cell has a neighbour that does not know it."""

    def change(values: Any) -> Any:
        values[40, 0] = values[100, 0]
        return values

    return wave_meshes.rewrite(wave_meshes.globe(), folder / "damaged.nc", "cellsOnCell", change)


def changed_mesh(folder: Path, name: str, change: Callable[[Any], Any]) -> Raw:
    """Returns the settings with a mesh in which a field has another value at a cell or edge of the sea."""

    def changed(values: Any) -> Any:
        values[AT_SEA] = change(values)
        return values

    return {"mesh": str(wave_meshes.rewrite(wave_meshes.globe(), folder / "odd.nc", name, changed))}


def divided_mesh(folder: Path) -> Path:
    """Returns a mesh whose sea has two parts, with land along the equator."""
    heights = read_mesh(wave_meshes.globe()).cells[:, 2]

    def change(values: Any) -> Any:
        return np.where(np.abs(heights) < 0.2, 0, values)

    return wave_meshes.rewrite(wave_meshes.globe(), folder / "divided.nc", "maskCell", change)


def truncated(folder: Path) -> Path:
    path = folder / "short.nc"
    path.write_bytes(wave_meshes.globe().read_bytes()[:-9])
    return path


def mesh_with_a_cell_twice(folder: Path) -> Path:
    source = wave_meshes.globe()
    for name in ("latCell", "lonCell"):

        def change(values: Any) -> Any:
            values[AT_SEA] = values[AT_SEA + 1]
            return values

        source = wave_meshes.rewrite(source, folder / f"{name}.nc", name, change)
    return source


def wind_of(folder: Path, hours: list[float], latitudes: list[float]) -> Raw:
    wind = wave_meshes.write_wind(folder / "wind.nc", hours, latitudes)
    return {"wind": "file", "wind_file": str(wind), "track": None, "wind_speed_m_s": None}


def foreign_checkpoint(folder: Path) -> list[str]:
    simulate(plan(case_of({"directions": 24}), 2), None, Checkpointing(2, folder / "foreign.bin"))
    return ["--restart", str(folder / "foreign.bin")]


def as_netcdf4(source: Path, folder: Path) -> Path:
    """Copies a file into the format NetCDF-4, with a text of variable length and a group."""
    netcdf = extras.need("netCDF4", "meshes", "mesh")
    target = folder / f"{source.stem}-4.nc"
    with netcdf.Dataset(source) as old, netcdf.Dataset(target, "w", format="NETCDF4") as new:
        old.set_auto_maskandscale(False)
        new.setncatts({key: old.getncattr(key) for key in old.ncattrs()})
        for name, dimension in old.dimensions.items():
            new.createDimension(name, None if name == "time" else dimension.size)
        for name, variable in old.variables.items():
            made = new.createVariable(name, variable.dtype, variable.dimensions, zlib=True)
            made.setncatts({key: variable.getncattr(key) for key in variable.ncattrs()})
            made[:] = variable[:]
        new.createVariable("history", str, ())[...] = "made for a test"
        new.createGroup("more").createDimension("time", 2)
    return target


def test_meshes_and_winds_of_netcdf_4_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    wind = wave_meshes.write_wind(tmp_path / "wind.nc", [6, 12], [-90, 0, 90])
    changes: Raw = {"wind": "file", "wind_file": str(wind), "track": None, "wind_speed_m_s": None}
    reference = run(case_of(changes), 2)
    # Slabs smaller than any variable.
    monkeypatch.setattr("tradewind.netcdf_file._SLAB", 100)
    changes["wind_file"] = str(as_netcdf4(wind, tmp_path))
    mesh = as_netcdf4(wave_meshes.globe(), tmp_path)
    case = case_of(changes, mesh)
    assert same_bits(run(case, 2), reference)
    # A copy is made once for each content, and a settled case keeps it.
    copies = {file: file.stat().st_ino for file in (tmp_path / "cache/tradewind/netcdf").iterdir()}
    assert len(copies) == 2
    assert case_of(changes, mesh).settings == case.settings
    kept = {key: case.settings[key] for key in ("mesh", "wind_file")}
    assert case_of(changes | kept).settings == case.settings
    assert {file: file.stat().st_ino for file in copies} == copies
    # The simulator reads them, too, and messages name the file that was given.
    program = {"name": "fvwam", "ranks": 2, "mesh": str(mesh), "steps": 1}
    (member,) = Experiment.load({"machine": "laptop", "program": program}).members()
    assert member.spec.program["mesh"] == case.settings["mesh"]
    with pytest.raises(ConfigError, match=r"\[fvwam\]: wind-4\.nc: the wind ends"):
        plan(case_of(changes | {"hours": 10.0, "steps": None}, mesh), 2)


def test_a_damaged_netcdf_4_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    whole = as_netcdf4(wave_meshes.globe(), tmp_path).read_bytes()
    for size in (4, 100, len(whole) // 2):
        short = tmp_path / "short.nc"
        short.write_bytes(whole[:size])
        with pytest.raises(ConfigError, match=r"fvwam\.mesh = .*cannot be read"):
            case_of(None, short)
    assert not list((tmp_path / "cache").rglob("*.netcdf-classic*"))


def late_checkpoint(folder: Path) -> list[str]:
    simulate(plan(case_of({"steps": 4}), 2), None, Checkpointing(3, folder / "late.bin"))
    return ["--restart", str(folder / "late.bin")]


REFUSED: dict[str, tuple[Callable[[Path], Raw | list[str]], str]] = {
    "no mesh": (lambda folder: {"mesh": None}, "fvwam.mesh: is missing"),
    "missing mesh": (lambda folder: {"mesh": "none.nc"}, "none.nc"),
    "folder": (lambda folder: {"mesh": str(folder)}, "is no regular file"),
    "device": (lambda folder: {"mesh": "/dev/zero"}, "is no regular file"),
    "no mesh file": (lambda folder: {"mesh": str(folder / "case.toml")}, "nccopy"),
    "truncated": (lambda folder: {"mesh": str(truncated(folder))}, "short.nc: ends before"),
    "missing variable": (
        lambda folder: {
            "mesh": str(
                wave_meshes.rewrite(wave_meshes.globe(), folder / "part.nc", "angleEdge", None)
            )
        },
        "part.nc: has no variable angleEdge",
    ),
    "inconsistent": (lambda folder: {"mesh": str(damaged_mesh(folder))}, "does not have it as"),
    "angle": (
        lambda folder: changed_mesh(folder, "angleEdge", lambda old: old[AT_SEA] + 1.5),
        "odd.nc: angleEdge between cells ",
    ),
    "distance": (
        lambda folder: changed_mesh(folder, "dcEdge", lambda old: old[AT_SEA] * 1.5),
        "odd.nc: dcEdge is ",
    ),
    "length": (
        lambda folder: changed_mesh(folder, "dvEdge", lambda old: old[AT_SEA] * 3),
        "contradicts dcEdge and dvEdge of its edges",
    ),
    "area": (
        lambda folder: changed_mesh(folder, "areaCell", lambda old: old[AT_SEA] / 3),
        f"odd.nc: areaCell({AT_SEA + 1}) contradicts",
    ),
    "latitude": (
        lambda folder: changed_mesh(folder, "latCell", lambda old: old[AT_SEA] + 0.1),
        "whose latCell and lonCell are ",
    ),
    "mask": (
        lambda folder: changed_mesh(folder, "maskCell", lambda old: 3),
        f"odd.nc: maskCell({AT_SEA + 1}) = 3 is not 0 or 1",
    ),
    "cell twice": (
        lambda folder: {"mesh": str(mesh_with_a_cell_twice(folder))},
        f"cells {AT_SEA + 1} and {AT_SEA + 2} are at the same place",
    ),
    "parts": (
        lambda folder: {"mesh": str(divided_mesh(folder))},
        "divided.nc: the sea is in 2 parts that share no edge, of ",
    ),
    "too many ranks": (
        lambda folder: [str(CELLS + 1)],
        f"{CELLS + 1} ranks are more than the {CELLS} sea cells of",
    ),
    "partition of another size": (lambda folder: {"partition_file": "0\n1\n"}, "only 2 ranks"),
    "partition of other ranks": (
        lambda folder: {"partition_file": text_of(np.arange(CELLS) % 5)},
        "rank",
    ),
    "wind elsewhere": (lambda folder: wind_of(folder, [0, 6], [-30, 30]), "the wind covers"),
    "wind too short": (lambda folder: wind_of(folder, [0, 1], [-90, 90]), "the wind ends 1 h"),
    "unit of the wind": (odd_wind("v10", "units", "furlong week-1"), 'units = "furlong week-1"'),
    "fill value": (odd_wind("u10", "", 9.97e36), "u10 has 9.97e+36 m/s"),
    "date": (odd_wind("time", "units", "hours since 2024-13-45"), "expected a date"),
    "two latitudes": (odd_wind("lon", "units", "degrees_north"), "are both latitudes"),
    "speed without wind": (
        lambda folder: {"wind": "none", "track": None},
        'wind = "none" has no wind_speed_m_s',
    ),
    "few frequencies": (
        lambda folder: {"wind": "uniform", "wind_speed_m_s": 3.0, "track": None},
        "a wind of 3 m/s raises waves of 0.42",
    ),
    "period of the swell": (
        lambda folder: {"start": "swell", "swell_period_s": 1000.0},
        "swell_period_s = 1000 is not in the spectrum",
    ),
    "place of the swell": (
        lambda folder: {"start": "swell", "swell_longitude_deg": 0.0, "swell_radius_km": 10.0},
        "is within two radii, swell_radius_km = 10, of the centre",
    ),
    "no source terms": (lambda folder: {"source_steps": 4}, "source_steps = 4 are more than the 3"),
    "deep sea": (
        lambda folder: changed_mesh(folder, "bottomDepth", lambda old: 1e6),
        f"odd.nc: bottomDepth({AT_SEA + 1}) = 1e+06 of a sea cell is not in 0.25..12000 m",
    ),
    "corner": (
        lambda folder: changed_mesh(folder, "latVertex", lambda old: old[AT_SEA] + 1),
        f"latVertex({AT_SEA + 1})",
    ),
    "late checkpoint": (late_checkpoint, "is from after step 3, and the run ends after step 3"),
    "unstable": (lambda folder: {"time_step": "100000 s"}, "allow at most "),
    "foreign checkpoint": (foreign_checkpoint, "its directions is 24, that of this run 12"),
    "short track": (
        lambda folder: {"track": "0 128 18 950 60\n1 129 18 950 60"},
        "track: its points cover the hours 0 to 1, but the wind is needed at 1.5",
    ),
    "track": (lambda folder: {"track": "0 128 18 1200 60"}, "track, line 1"),
}


def test_a_sea_in_several_parts_runs_if_that_is_wanted(tmp_path: Path) -> None:
    mesh = {"mesh": str(divided_mesh(tmp_path)), "all_seas": True}
    run = plan(case_of(mesh), 2)
    simulate(run)
    assert run.is_complete


@pytest.mark.parametrize("mpi", [False, pytest.param(True, marks=needs_mpi)])
@pytest.mark.parametrize(("change", "told"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_run_is_refused_in_one_line_and_leaves_earlier_output(
    mpi: bool,
    change: Callable[[Path], Raw | list[str]],
    told: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    earlier = {
        "fields.nc": b"earlier fields",
        "diagnostics.json": b"{}",
        "checkpoint.bin": b"state",
    }
    for name, content in earlier.items():
        (out / name).write_bytes(content)
    write_case(tmp_path)
    changes = change(tmp_path)
    words = changes if isinstance(changes, list) else []
    case = write_case(tmp_path, changes if isinstance(changes, dict) else {})
    ranks = words.pop() if words[:1] == [str(CELLS + 1)] else "2"
    where = ["-n" if mpi else "--simulated-ranks", ranks]
    assert main(["run", "fvwam", str(case), *where, "-o", str(out), *words]) == 2
    # A restart is read after the run has been planned, which is told before, as are earlier files of others.
    *notes, error = capsys.readouterr().err.splitlines()
    plans = [note for note in notes if "not written by tradewind" not in note]
    assert told in error and error.startswith("error: ")
    assert len(plans) == ("--restart" in words)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == earlier


def test_the_largest_stable_step_is_told_and_accepted() -> None:
    with pytest.raises(ConfigError, match=r"allow at most (\d+\.?\d*) s") as refused:
        plan(case_of({"time_step": "86400 s"}))
    # A single point stays for any time.
    still = {"track": "0 132 13 950 250"}
    largest = float(str(refused.value).rpartition("at most ")[2].split()[0])
    assert (
        plan(case_of(still | {"time_step": f"{largest * 0.999} s"})).outline["time_step_s"]
        < largest
    )
    with pytest.raises(ConfigError, match="is not stable"):
        plan(case_of(still | {"time_step": f"{largest * 1.001} s"}))


def test_the_hash_depends_on_the_content_of_the_mesh_alone(tmp_path: Path) -> None:
    def hash_of(mesh: Path) -> str:
        program = {"name": "fvwam", "mesh": str(mesh), "ranks": 4}
        (member,) = Experiment.load({"machine": "laptop", "program": program}).members()
        return member.spec.key

    moved = tmp_path / "elsewhere" / "sea.nc"
    moved.parent.mkdir()
    moved.write_bytes(wave_meshes.globe().read_bytes())
    other = wave_meshes.rewrite(
        wave_meshes.globe(), tmp_path / "other.nc", "bottomDepth", lambda depth: depth + 1
    )
    assert hash_of(moved) == hash_of(wave_meshes.globe())
    assert hash_of(other) != hash_of(wave_meshes.globe())


def test_the_command_writes_fields_and_goes_on_from_its_checkpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = write_case(tmp_path)
    out = tmp_path / "out"
    ranks = ["--simulated-ranks", "3"]
    assert main(["run", "fvwam", str(case), *ranks, "-o", str(out), "--checkpoint-every", "3"]) == 0
    assert {"fields.nc", "diagnostics.json", "checkpoint.bin"} <= {p.name for p in out.iterdir()}
    capsys.readouterr()
    more = write_case(tmp_path, {"steps": 5}, "more.toml")
    ends = []
    for words in (["--restart", str(out / "checkpoint.bin")], []):
        assert main(["run", "fvwam", str(more), *ranks, "--json", *words]) == 0
        ends.append(json.loads(capsys.readouterr().out)["snapshots"][-1])
    assert ends[0] == ends[1]
