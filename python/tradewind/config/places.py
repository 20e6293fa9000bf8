"""Where the package finds its machine files and experiments."""

from __future__ import annotations

from pathlib import Path

from tradewind.errors import ConfigError, suggestion

_PACKAGE = Path(__file__).parent.parent
# Files beside the experiments of a study that are none themselves.
_OF_A_STUDY = ("study.toml", "claims.toml")


def data_folder(name: str) -> Path:
    """Finds the folder `machines` or `experiments`: beside the package, or in the source tree.

    Raises:
        ConfigError: If the installation lacks it.
    """
    for folder in (_PACKAGE / name, _PACKAGE.resolve().parents[1] / name):
        if folder.is_dir():
            return folder
    raise ConfigError(f"this installation has no folder {name} beside {_PACKAGE}")


def machine_files() -> dict[str, Path]:
    """Lists every shipped machine file by the name it is used under, and those of ./machines."""
    own = {path.stem: path.resolve() for path in sorted(Path("machines").glob("*.toml"))}
    shipped = {path.stem: path for path in sorted(data_folder("machines").glob("*.toml"))}
    return shipped | {name: path for name, path in own.items() if name not in shipped}


def experiment_files() -> dict[str, Path]:
    """Lists every shipped experiment by its name, such as "zheng2018/fig5b"."""
    folder = data_folder("experiments")
    names = {}
    for path in sorted(folder.glob("*/*.toml")):
        if path.name in _OF_A_STUDY:
            continue
        names[path.relative_to(folder).with_suffix("").as_posix()] = path
    return names


def study_folders() -> dict[str, Path]:
    """Lists every shipped study by its name, such as "worley1998"."""
    folder = data_folder("experiments")
    return {path.parent.name: path.parent for path in sorted(folder.glob("*/study.toml"))}


def find_experiment(given: Path) -> Path:
    """Finds the file of an experiment that is named by its path or by its shipped name.

    Raises:
        ConfigError: If there is neither.
    """
    if given.is_file():
        return given
    shipped = experiment_files()
    name = given.with_suffix("").as_posix().removeprefix("experiments/")
    if name in shipped:
        return shipped[name]
    raise ConfigError(f"{given}: no such experiment file; {suggestion(name, shipped)}")
