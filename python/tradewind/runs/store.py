"""Finished runs on disk: one JSON file and one array file per run, each with a checksum and atomic."""

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
from tradewind.files import write_atomically, write_error, write_text
from tradewind.results.raw_schema import faults
from tradewind.results.record import (
    DamagedError,
    checked,
    damaged,
    is_sealed,
    load_record,
    sealed,
)
from tradewind.results.run_result import Array
from tradewind.runs.lock import locked
from tradewind.runs.run import ErrorRecord, Run

_SCHEMA = "run 2"


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
            "arrays_sha256": hashlib.sha256(data).hexdigest(),
        }
        self._write(member, record, version)

    def save_failure(self, member: Member, error: ErrorRecord, version: str) -> None:
        """Records that a run failed, and why."""
        self._write(member, {"status": "failed", "error": dict(error)}, version)

    def load(self, member: Member, version: str) -> Run | None:
        """Returns a finished run, if it is there, whole, of this version, and of exactly these settings."""
        try:
            return self.read(member, version)
        except DamagedError:
            return None

    def read(self, member: Member, version: str) -> Run | None:
        """Returns a finished run as `load` does.

        Raises:
            DamagedError: If its record or its arrays are not what was written; the message names the file.
        """
        record = self._read(member)
        if record is None or record.get("status") != "done" or record.get("version") != version:
            return None
        scalars = record.get("result")
        raw = _joined(scalars, self._read_arrays(member, record.get("arrays_sha256")))
        fault = next(faults(raw), None)
        if fault is not None:
            raise damaged(self._path(member), fault)
        return Run.of(member, cast(RawRun, raw))

    def remove(self, members: Iterable[Member]) -> None:
        """Removes the runs of some members, so that they are made again.

        Raises:
            Error: If the folder cannot be written.
        """
        try:
            for member in members:
                for path in (self._path(member), self._arrays(member)):
                    path.unlink(missing_ok=True)
        except OSError as error:
            raise write_error(self.folder, error) from None

    def count(self, members: Iterable[Member], version: str) -> int:
        """Returns how many of the members are finished, as `load` sees it."""
        return sum(self.load(member, version) is not None for member in members)

    def load_failure(self, member: Member) -> ErrorRecord | None:
        """Returns the error with which a run ended, if it is recorded.

        Raises:
            DamagedError: If the record is not what was written.
        """
        record = self._read(member)
        error = record.get("error") if record and record.get("status") == "failed" else None
        if not isinstance(error, dict) or not {"kind", "message"} <= set(error):
            return None
        return {"kind": str(error["kind"]), "message": str(error["message"])}

    def _write(self, member: Member, record: Mapping[str, Any], version: str) -> None:
        head = {
            "version": version,
            "key": member.key,
            "machine": member.machine,
            "parameters": dict(member.parameters),
            "spec": member.spec.tables(),
        }
        write_text(self._path(member), sealed(head | dict(record), _SCHEMA))

    def _read(self, member: Member) -> dict[str, Any] | None:
        """Returns the record of a run, or None if it has none.

        Raises:
            DamagedError: If it is not what was written.
        """
        path = self._path(member)
        if not path.exists():
            return None
        record = load_record(path)
        record = checked(record, path, _SCHEMA) if is_sealed(record) else _of_format_1(record, path)
        if record.get("key") != member.key or not _is_spec(record.get("spec"), member):
            raise damaged(path, "it holds another run")
        return record

    def _read_arrays(self, member: Member, checksum: object) -> dict[str, Array]:
        path = self._arrays(member)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise damaged(path, str(error.strerror or error)) from None
        if hashlib.sha256(data).hexdigest() != checksum:
            raise damaged(path, "its checksum is wrong")
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}

    def _path(self, member: Member) -> Path:
        return self.folder / f"{member.key}.json"

    def _arrays(self, member: Member) -> Path:
        return self.folder / f"{member.key}.npz"


@contextlib.contextmanager
def opened(folder: Path | None) -> Iterator[RunStore]:
    """Opens the store of a result folder, for one process; without one, a store that vanishes at the end.

    Args:
        folder: The result folder, in which the runs have a folder of their own.

    Raises:
        ConfigError: If another process writes into the folder.
    """
    if folder is not None:
        with locked(folder):
            yield RunStore(folder / "runs")
        return
    with tempfile.TemporaryDirectory(prefix="tradewind-") as temporary:
        yield RunStore(Path(temporary))


def _hash_of(record: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record.get("result"), sort_keys=True).encode()).hexdigest()


def _is_spec(stored: Any, member: Member) -> bool:
    """Returns whether these are the settings of the run."""
    tables = stored.values() if isinstance(stored, dict) else [None]
    return all(isinstance(table, dict) for table in tables) and tables_key(stored) == member.key


def _of_format_1(record: dict[str, Any], path: Path) -> dict[str, Any]:
    """Returns a record of the days before records had a checksum of everything: only the result has one."""
    if record.get("format") != 1:
        raise damaged(path, "it has no schema")
    if record.get("status") == "done" and record.get("result_sha256") != _hash_of(record):
        raise damaged(path, "the checksum of its result is wrong or missing")
    return record


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


def _joined(scalars: object, arrays: Mapping[str, Array]) -> object:
    """Puts arrays back into their tables; what is no table is left for the check of the schema."""
    if not isinstance(scalars, dict):
        return scalars
    for path, array in arrays.items():
        *parents, last = path.split(".")
        table: Any = scalars
        for part in parents:
            table = table.setdefault(part, {}) if isinstance(table, dict) else None
        if isinstance(table, dict):
            table[last] = array
    return scalars
