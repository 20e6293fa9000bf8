"""tuning.json: what was found, and the plain table of it that the compiled library reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isqrt
from pathlib import Path
from typing import Any

from tradewind import core
from tradewind.config import keys
from tradewind.config.schema import written
from tradewind.config.spec import Spec
from tradewind.errors import ConfigError
from tradewind.files import load_json, write_text

FORMAT, VERSION = "tradewind-tuning", 1
_LARGEST = 2**63 - 1
_SECONDS = (int, float)
# Ratios of the time to that of the default and of the native collective, with their intervals.
_RATIOS = (
    *("ratio", "ratio_low", "ratio_high"),
    *("native_ratio", "native_ratio_low", "native_ratio_high"),
)
_ABOUT = ("experiment", "machine", "by", "tradewind", "limit_s", "keys")
# Allowed types of the fields of an entry.
_FIELDS: Mapping[str, tuple[type, ...]] = {
    "operation": (str,),
    "ranks": (int,),
    "bytes": (int,),
    "algorithm": (str,),
    "options": (dict,),
    "time_s": _SECONDS,
    "default": (str,),
    "default_time_s": (*_SECONDS, type(None)),
    "native_time_s": (*_SECONDS, type(None)),
    "transport": (str,),
    **dict.fromkeys(_RATIOS, (*_SECONDS, type(None))),
    **dict.fromkeys(("pairs", "candidates", "programs"), (int,)),
    "fastest": (str,),
    "phases": (list,),
}


@dataclass(frozen=True)
class Entry:
    """The best choice for one operation; times are of one operation, in seconds.

    Args:
        operation: "alltoallv", "allreduce", "neighbor", "mesh", or MODEL.KEY, a choice of a model, whose
            times are those of a time step.
        ranks: Ranks that take part.
        size: Bytes of a block (alltoallv), vector (allreduce) or message (neighbor, mesh).
        algorithm: Its name.
        options: Those that the algorithm reads and that differ from the default, but the transport.
        time_s: Its time.
        default: Name and options of the default in words.
        default_time_s: Its time; None if it was not finished.
        native_time_s: Time of the MPI library's own collective; None if it was not measured.
        transport: "two_sided" or "puts".
        ratio: Time of the fastest candidate over that of the default, measured in turns; None if
            there is nothing to compare. Of simulated times the interval is one number.
        ratio_low: Lower end of its 95 % interval.
        ratio_high: Upper end.
        pairs: Pairs of measurements in turns.
        fastest: The fastest candidate of the search in words, even if it is not the choice.
        candidates: Candidates that were tried.
        programs: Different programs among them.
        native_ratio: Time of the choice over that of the native collective, measured in turns.
        native_ratio_low: Lower end of its 95 % interval.
        native_ratio_high: Upper end.
        phases: The phases that do the operation, by name; none for a program without phases.
    """

    operation: str
    ranks: int
    size: int
    algorithm: str
    options: Mapping[str, int | str]
    time_s: float
    default: str
    default_time_s: float | None = None
    native_time_s: float | None = None
    transport: str = "two_sided"
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None
    pairs: int = 0
    fastest: str = ""
    candidates: int = 0
    programs: int = 0
    native_ratio: float | None = None
    native_ratio_low: float | None = None
    native_ratio_high: float | None = None
    phases: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """The comparison with the default in words, such as "faster" or "no difference"."""
        if self.default_time_s is None:
            return "default not finished"
        if self.ratio_low is None or self.ratio_high is None:
            return "not compared"
        return "faster" if self.ratio_high < 1.0 else "no difference"

    @property
    def label(self) -> str:
        """Algorithm and options in words."""
        by = [] if self.transport == "two_sided" else [f"by {self.transport}"]
        return ", ".join(
            [self.algorithm, *(f"{key} {value}" for key, value in self.options.items()), *by]
        )

    def gain(self, other_s: float | None) -> float | None:
        """Returns the share of `other_s` by which this one is faster."""
        return None if other_s is None else 1.0 - self.time_s / other_s


@dataclass(frozen=True)
class Tuning:
    """The content of a file.

    Args:
        entries: The best choices.
        about: Experiment, machine, how it was found, version; the key of each entry's default.
        tried: Time of every candidate by its key; None if it was given up or does not work.
        finished: False if the search was interrupted.
    """

    entries: Sequence[Entry]
    about: Mapping[str, Any] = field(default_factory=dict)
    tried: Mapping[str, float | None] = field(default_factory=dict)
    finished: bool = True

    @property
    def operations(self) -> tuple[str, ...]:
        """Operations that were tuned."""
        return tuple(dict.fromkeys(entry.operation for entry in self.entries))

    def ranges(self) -> Iterator[tuple[Entry, int, int]]:
        """Yields every entry with the sizes it is for: up to the geometric mean with its neighbours."""
        for entry in self.entries:
            sizes = sorted(
                other.size
                for other in self.entries
                if (other.operation, other.ranks) == (entry.operation, entry.ranks)
            )
            at = sizes.index(entry.size)
            low = isqrt(sizes[at - 1] * entry.size) + 1 if at > 0 else 0
            last = at + 1 == len(sizes)
            yield entry, low, _LARGEST if last else isqrt(entry.size * sizes[at + 1])

    def table_text(self) -> str:
        """Returns the table of src/tradewind/comm/tuning/tuning.hpp."""
        columns = ("operation", "ranks", "from", "to", "algorithm", *keys.options())
        lines = [f"{FORMAT} {VERSION}", f"# {' '.join(columns)}"]
        for entry, low, high in self.ranges():
            by = {} if entry.transport == "two_sided" else {"transport": entry.transport}
            given = {**entry.options, **by}
            options = " ".join(str(given.get(key, "-")) for key in keys.options())
            place = f"{entry.operation} {entry.ranks} {low} {high}"
            lines.append(f"{place} {entry.algorithm} {options}")
        return "\n".join(lines) + "\n"

    def save(self, path: Path) -> None:
        """Writes the JSON file, and the table beside it for programs in C++."""
        entries = []
        for entry, low, high in self.ranges():
            fields = asdict(entry)
            fields["bytes"] = fields.pop("size")
            gains = {
                "gain_to_default": entry.gain(entry.default_time_s),
                "gain_to_native": entry.gain(entry.native_time_s),
            }
            verdict = {"verdict": entry.verdict}
            entries.append({**fields, "from_bytes": low, "to_bytes": high, **gains, **verdict})
        content = {
            "format": FORMAT,
            "version": VERSION,
            **self.about,
            "finished": self.finished,
            "entries": entries,
            "tried": dict(self.tried),
        }
        write_text(path, json.dumps(content, indent=1) + "\n")
        write_text(path.with_suffix(".table"), self.table_text())


def load_tuning(path: Path) -> Tuning:
    """Reads a tuning file.

    Raises:
        ConfigError: If it cannot be read, is of another version, or names unknown operations or
            algorithms.
    """
    raw = load_json(path)
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise ConfigError(f"{path}: no tuning file of tradewind (format is not {FORMAT})")
    if raw.get("version") != VERSION:
        raise ConfigError(
            f"{path}: version {raw.get('version')}, this tradewind reads {VERSION}; tune again"
        )
    try:
        entries = [_entry(item) for item in raw["entries"]]
        about = {k: raw[k] for k in _ABOUT if k in raw}
        if not isinstance(about.get("limit_s", 0.0), _SECONDS):
            raise TypeError(f"limit_s = {written(about['limit_s'])}")
        tuning = Tuning(entries, about, _tried(raw["tried"]), bool(raw["finished"]))
        for entry in entries:
            core.load().tuned_case(tuning.table_text(), entry.operation, entry.ranks, entry.size)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise ConfigError(f"{path}: damaged: {error!r}") from None
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    return tuning


def _entry(raw: Mapping[str, Any]) -> Entry:
    for key, kinds in _FIELDS.items():
        if key in raw and (isinstance(raw[key], bool) or not isinstance(raw[key], kinds)):
            raise TypeError(f"{key} = {written(raw[key])}")
    if raw.get("transport", "two_sided") not in keys.algorithm()["transport"].choices:
        raise ValueError(f"transport = {written(raw['transport'])}")
    for key, value in raw["options"].items():
        is_known = key in keys.options() and key != "transport"
        if not is_known or isinstance(value, bool) or not isinstance(value, int | str):
            raise ValueError(f"options.{key} = {written(value)}")
    values = {key: raw[key] for key in Entry.__dataclass_fields__ if key in raw and key != "size"}
    names = raw.get("phases", [])
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"phases = {written(names)}")
    return Entry(size=raw["bytes"], **{**values, "phases": tuple(names)})


def _tried(raw: Mapping[str, Any]) -> dict[str, float | None]:
    for key, value in raw.items():
        if isinstance(value, bool) or not isinstance(value, int | float | None):
            raise TypeError(f"tried.{key} = {written(value)}")
    return dict(raw)


def remarks(spec: Spec) -> list[str]:
    """Returns remarks on runs that use a tuning for another number of ranks.

    Args:
        spec: A resolved run.
    """
    return core.load().tuning_remarks(spec.tables())
