"""The origin of results: the experiment as given, version, machine and all its settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tradewind.config import keys
from tradewind.config.schema import Key, Table
from tradewind.errors import ConfigError
from tradewind.files import parse_json
from tradewind.report.page.markup import table
from tradewind.units import Dimension, quantity_text

if TYPE_CHECKING:
    import xarray

# The name of a machine whose tables stand in the experiment itself.
OWN_MACHINE = "table"
_FACTS = {
    "tradewind_version": "made by tradewind",
    "machine": "simulated machines",
    "program": "program",
    "series": "series",
}


def origin_words(data: xarray.Dataset) -> list[str]:
    """Returns experiment, version, date and processor of the runs, as far as the data set has them."""
    known = {str(name): str(value) for name, value in data.attrs.items()}
    told = []
    # A table from Python has no file.
    source = Path(known.get("experiment_source", "")).name
    if source and source != "experiment":
        told.append(f"Experiment {source}")
    version = known.get("tradewind_version", "")
    made = f"Simulated by Tradewind {version}".rstrip() if version else ""
    if made and known.get("made_at"):
        made += f", {_dates(known['made_at'])}"
    if made and known.get("made_on"):
        made += f", on {known['made_on']}"
    return [*told, made] if made else told


def _dates(text: str) -> str:
    """Returns one or two dates as people write them: "2026-11-25 22:44 to 22:50 UTC"."""
    first, _, last = (part.replace("T", " ") for part in text.partition(" to "))
    first, last = first[:16], last[:16]
    if first[:10] == last[:10]:
        last = last[11:]
    return f"{first}{f' to {last}' if last and not first.endswith(last) else ''} UTC"


def settings_section(data: xarray.Dataset) -> str:
    """Returns facts, the experiment's text, and a table of settings for each machine."""
    attributes = {str(name): str(value) for name, value in data.attrs.items()}
    facts = [[title, attributes[name]] for name, title in _FACTS.items() if attributes.get(name)]
    facts = [
        [title, "given in the experiment" if text == OWN_MACHINE else text] for title, text in facts
    ]
    parts = ["<h3>How it was made</h3>"]
    if facts:
        parts.append(table(("fact", "value"), facts))
    if attributes.get("experiment"):
        text = escape(attributes["experiment"])
        parts.append(f"<details><summary>Experiment</summary><pre>{text}</pre></details>")
    overrides = _mapping(attributes.get("overrides", "{}"))
    if overrides:
        rows = [[name, str(value)] for name, value in overrides.items()]
        parts.append(table(("set from outside", "value"), rows))
    for machine, sections in _mapping(attributes.get("machine_settings", "{}")).items():
        body = table(("section", "key", "value"), list(_rows(sections)))
        own, _, varied = machine.partition(": ")
        name = varied if own == OWN_MACHINE else machine
        summary = f"{escape(f'Machine {name}'.strip())} and how it was simulated"
        parts.append(f"<details><summary>{summary}</summary>{body}</details>")
    return "\n".join(parts) if len(parts) > 1 else ""


def _mapping(text: str) -> dict[str, Any]:
    """Returns the table that an attribute holds, or an empty one if it is not ours."""
    try:
        value = parse_json(text, "attribute")
    except ConfigError:
        return {}
    return value if isinstance(value, dict) else {}


def _rows(sections: Mapping[str, Any]) -> Iterator[list[str]]:
    topology = str(sections.get("topology", {}).get("name", ""))
    for section, values in sections.items():
        known = _known(section, topology)
        for name, value in values.items():
            yield [section, name, _text(known.get(name), value)]


def _known(section: str, topology: str) -> Table:
    """Returns the keys of a section, with their units."""
    if section == "link" and topology in keys.topologies():
        return keys.link_table(topology)
    return keys.sections().get(section, {})


def _text(key: Key | None, value: Any) -> str:
    if key is not None and isinstance(value, int | float):
        for word, number in key.words.items():
            if number == value:
                return word
        if isinstance(key.kind, Dimension):
            return quantity_text(key.kind, value)
    if isinstance(value, list):
        return ", ".join(map(str, value[:16])) + (" ..." if len(value) > 16 else "")
    return str(value)
