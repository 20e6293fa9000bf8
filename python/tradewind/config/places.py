"""The folders of machine files, experiments and cases."""

from __future__ import annotations

import difflib
from pathlib import Path

from tradewind.errors import ConfigError
from tradewind.files import is_there, load_toml, shortened

_PACKAGE = Path(__file__).parent.parent
# Files beside the experiments of a study that are none themselves.
_MOST_NAMES = 20
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
    return {name: path for name, path in _shipped_files().items() if "program" in load_toml(path)}


def case_files(model: str) -> dict[str, Path]:
    """Lists every shipped case of a model by its name, such as "jamroz2016/jw_se"."""
    return {name: path for name, path in _shipped_files().items() if model in load_toml(path)}


def _shipped_files() -> dict[str, Path]:
    folder = data_folder("experiments")
    return {
        path.relative_to(folder).with_suffix("").as_posix(): path
        for path in sorted(folder.glob("*/*.toml"))
        if path.name not in _OF_A_STUDY
    }


def study_folders() -> dict[str, Path]:
    """Lists every shipped study by its name, such as "worley1998"."""
    folder = data_folder("experiments")
    return {path.parent.name: path.parent for path in sorted(folder.glob("*/study.toml"))}


def _is_file(path: Path) -> bool:
    """Returns whether there is such a file or pipe; a name that is too long is none."""
    try:
        return path.exists() and not path.is_dir()
    except (OSError, ValueError):
        return False


def find_experiment(given: Path) -> Path:
    """Finds the file of an experiment that is named by its path or by its shipped name.

    Raises:
        ConfigError: If there is neither.
    """
    if _is_file(given):
        return given
    shipped = experiment_files()
    name = _shipped_name(given)
    if name in shipped:
        return shipped[name]
    raise _not_found(given, name, list(shipped), "experiment", "experiments")


def find_case(model: str, given: Path) -> Path:
    """Finds the file of a case that is named by its path or by its shipped name.

    Raises:
        ConfigError: If there is neither.
    """
    if _is_file(given):
        return given
    shipped = case_files(model)
    name = _shipped_name(given)
    if name in shipped:
        return shipped[name]
    raise _not_found(given, name, list(shipped), f"case of {model}", "experiments")


def _not_found(given: Path, name: str, shipped: list[str], kind: str, listed: str) -> ConfigError:
    """Makes the error for a file that is not there; many names are left to `tradewind list`."""
    shown = shortened(str(given))
    wrong = "is a folder" if is_there(given) else "no such file"
    expected = "expected a TOML file" + (f" or the name of a shipped {kind}" if shipped else "")
    near = difflib.get_close_matches(name, shipped, n=1)
    if near:
        hint = f'; did you mean "{near[0]}"?'
    elif len(shipped) <= _MOST_NAMES:
        hint = f": {', '.join(shipped)}" if shipped else ""
    else:
        hint = f"; tradewind list {listed} names them"
    return ConfigError(f"{shown}: {wrong}; {expected}{hint}")


def _shipped_name(given: Path) -> str:
    return given.with_suffix("").as_posix().removeprefix("experiments/")
