"""Finished runs on disk: one JSON file and one array file per run, each written all or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from tradewind.config.experiment import Member
from tradewind.config.spec import tables_key
from tradewind.core import RawRun
from tradewind.errors import ConfigError
from tradewind.files import load_json, write_atomically, write_text
from tradewind.results.run_result import Array
from tradewind.runs.run import ErrorRecord, Run

_FORMAT = 1


@dataclass(frozen=True)
class RunStore:
    """The folder with the finished runs of an experiment.

    Args:
        folder: Holds <key>.json and <key>.npz for each run.
    """

    folder: Path

    def save(self, member: Member, raw: RawRun, version: str) -> None:
        """Writes a finished run; its JSON file comes last and makes it valid.

        Raises:
            Error: If the disk is full or the folder cannot be written.
        """
        scalars, arrays = _split(raw)
        content = io.BytesIO()
        np.savez_compressed(content, **arrays)  # type: ignore[arg-type]
        data = content.getvalue()
        write_atomically(self._arrays(member), lambda file: file.write(data))
        record = {
            "status": "done",
            "result": scalars,
            "result_sha256": _hash_of(scalars),
            "arrays_sha256": hashlib.sha256(data).hexdigest(),
        }
        self._write(member, record, version)

    def save_failure(self, member: Member, error: ErrorRecord, version: str) -> None:
        """Records that a run failed, and why."""
        self._write(member, {"status": "failed", "error": dict(error)}, version)

    def load(self, member: Member, version: str) -> Run | None:
        """Returns a finished run, if it is there, whole, of this version, and of exactly these settings."""
        record = self._read(member)
        if record is None or record.get("status") != "done" or record.get("version") != version:
            return None
        if not _is_spec(record.get("spec"), member) or not _is_whole(record):
            return None
        try:
            data = self._arrays(member).read_bytes()
        except OSError:
            return None
        if hashlib.sha256(data).hexdigest() != record.get("arrays_sha256"):
            return None
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            raw = _joined(record["result"], {name: arrays[name] for name in arrays.files})
        return Run.of(member, cast(RawRun, raw))

    def count(self, members: Iterable[Member], version: str) -> int:
        """Returns how many of the members are finished, as `load` sees it."""
        return sum(self.load(member, version) is not None for member in members)

    def load_failure(self, member: Member) -> ErrorRecord | None:
        """Returns the error with which a run ended, if it is recorded."""
        record = self._read(member)
        error = record.get("error") if record and record.get("status") == "failed" else None
        if not isinstance(error, dict) or not {"kind", "message"} <= set(error):
            return None
        return {"kind": error["kind"], "message": error["message"]}

    def _write(self, member: Member, record: Mapping[str, Any], version: str) -> None:
        head = {
            "format": _FORMAT,
            "version": version,
            "key": member.key,
            "machine": member.machine,
            "parameters": dict(member.parameters),
            "spec": member.spec.tables(),
        }
        text = json.dumps(head | dict(record), indent=1, allow_nan=True) + "\n"
        write_text(self.folder / f"{member.key}.json", text)

    def _read(self, member: Member) -> dict[str, Any] | None:
        try:
            record = load_json(self.folder / f"{member.key}.json")
        except ConfigError:
            return None
        usable = isinstance(record, dict) and record.get("format") == _FORMAT
        return record if usable and record.get("key") == member.key else None

    def _arrays(self, member: Member) -> Path:
        return self.folder / f"{member.key}.npz"


@contextlib.contextmanager
def opened(folder: Path | None) -> Iterator[RunStore]:
    """Opens the store of a result folder; without one, a store that vanishes at the end.

    Args:
        folder: The result folder, in which the runs have a folder of their own.
    """
    if folder is not None:
        yield RunStore(folder / "runs")
        return
    with tempfile.TemporaryDirectory(prefix="tradewind-") as temporary:
        yield RunStore(Path(temporary))


def _hash_of(scalars: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(scalars, sort_keys=True).encode()).hexdigest()


def _is_spec(stored: Any, member: Member) -> bool:
    """Returns whether these are the settings of the run."""
    tables = stored.values() if isinstance(stored, dict) else [None]
    return all(isinstance(table, dict) for table in tables) and tables_key(stored) == member.key


def _is_whole(record: Mapping[str, Any]) -> bool:
    """Returns whether the result is what was written; runs of earlier days have no hash of it."""
    result = record.get("result")
    known = record.get("result_sha256")
    return isinstance(result, dict) and known in (None, _hash_of(result))


def _split(raw: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Separates the arrays of nested dicts; an array is named by its dotted path."""
    arrays: dict[str, Array] = {}

    def walk(value: Any, path: str) -> Any:
        if isinstance(value, np.ndarray):
            arrays[path] = value
            return None
        if isinstance(value, Mapping):
            inside = {
                key: walk(entry, f"{path}.{key}" if path else key) for key, entry in value.items()
            }
            return {
                key: entry
                for key, entry in inside.items()
                if f"{path}.{key}".lstrip(".") not in arrays
            }
        if isinstance(value, np.generic):
            return value.item()
        return value

    return walk(raw, ""), arrays


def _joined(scalars: dict[str, Any], arrays: Mapping[str, Array]) -> dict[str, Any]:
    for path, array in arrays.items():
        *parents, last = path.split(".")
        table = scalars
        for part in parents:
            table = table.setdefault(part, {})
        table[last] = array
    return scalars


def temporary_leftovers(folder: Path) -> Iterator[Path]:
    """Yields temporary files that a killed process left; they are safe to remove."""
    yield from folder.glob(".*.json.*")
    yield from folder.glob(".*.npz.*")
