"""Cases: what a model computes, as a TOML file says it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tradewind.config import keys
from tradewind.config.data_file import resolve_files
from tradewind.config.partition import read_partition_file, with_metis
from tradewind.config.program import resolve_tuning
from tradewind.config.schema import Section, Where, as_table, complete, read_table
from tradewind.errors import ConfigError, suggestion
from tradewind.files import load_toml


@dataclass(frozen=True)
class Case:
    """A case of a model.

    Args:
        model: The name of a program that runs with data.
        title: A title for people; empty if the file has none.
        settings: The settings in base units.
        source: The file that it is from, for messages; empty if there is none.
    """

    model: str
    title: str
    settings: Section
    source: str = ""

    @classmethod
    def load(cls, model: str, path: Path) -> Case:
        """Reads a case file: a table named as the model, and perhaps a title in [experiment].

        Raises:
            ConfigError: Naming file, key, value and what is allowed.
        """
        raw = load_toml(path)
        if model in keys.models() and model not in raw:
            raise ConfigError(f"{path}: has no table [{model}]")
        return cls.read(model, raw, str(path), path.parent)

    @classmethod
    def read(
        cls, model: str, raw: Mapping[str, Any], source: str = "case", directory: Path = Path()
    ) -> Case:
        """Reads a case from a table of tables.

        Args:
            model: The name of a model.
            raw: The tables.
            source: The origin of the tables, for messages.
            directory: The folder that relative paths of files start from.

        Raises:
            ConfigError: Naming key, value and what is allowed.
        """
        if model not in keys.models():
            raise ConfigError(f"unknown model {model!r}; {suggestion(model, keys.models())}")
        for name in raw:
            if name not in (model, "experiment"):
                raise ConfigError(f"{source}: unknown table [{name}]; allowed: {model}, experiment")
        about_where, where = Where(source, "experiment"), Where(source, model)
        about = read_table(
            as_table(raw.get("experiment", {}), about_where), keys.EXPERIMENT, about_where
        )
        known = keys.models()[model].run_keys
        table = as_table(raw.get(model, {}), where)
        section = complete(read_table(table, known, where), known, where)
        settings = resolve_tuning(section, where, directory)
        settings = read_partition_file(settings, where, directory)
        settings = resolve_files(settings, known, where, directory)
        return cls(model, str(about.get("title", "")), settings, source)

    def on(self, ranks: int) -> Case:
        """Returns the case with the distribution of its mesh, where METIS is to find it.

        Raises:
            ConfigError: If the settings or the ranks are wrong.
            Error: If pymetis is not installed.
        """
        return replace(self, settings=with_metis(self.model, self.settings, ranks))

    @contextlib.contextmanager
    def named(self) -> Iterator[None]:
        """Adds the file and its table to the errors that the core finds in the settings."""
        try:
            yield
        except ConfigError as error:
            if not self.source or str(error).startswith(self.source):
                raise
            said = str(error).removeprefix(f"{self.model}: ")
            raise type(error)(f"{self.source}: [{self.model}]: {said}") from None
