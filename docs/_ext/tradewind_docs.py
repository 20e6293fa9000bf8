"""Directives that write tables from the program itself, and formulas as MathML."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import xarray
from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from tradewind import core, units
from tradewind.config import keys
from tradewind.config.schema import Key, Table
from tradewind.report.page import write_report
from tradewind.report.reach import reach_of
from tradewind.studies import Part, ledger_of, load_study
from tradewind.studies.functions import FUNCTIONS
from tradewind.studies.ledger import write_ledger

_PLAIN = {bool: "true or false", int: "whole number", float: "number", str: "text"}
_REPORT = "report.html"

Cell = str | nodes.Node


def table_node(head: Iterable[str], rows: Iterable[Iterable[Cell]], code: int) -> nodes.table:
    """Returns a table; text in its column `code` is set as code."""
    titles, lines = list(head), [list(row) for row in rows]
    group = nodes.tgroup(cols=len(titles))
    group += [nodes.colspec(colwidth=1) for _ in titles]
    body = nodes.tbody()
    for line in lines:
        body += _row(line, code)
    group += [nodes.thead("", _row(titles, -1)), body]
    return nodes.table("", group, classes=["colwidths-auto"])


def _row(cells: Sequence[Cell], code: int) -> nodes.row:
    row = nodes.row()
    for index, cell in enumerate(cells):
        inner = cell
        if isinstance(cell, str):
            inner = nodes.literal(cell, cell) if index == code else nodes.Text(cell)
        row += nodes.entry("", nodes.paragraph("", "", inner))
    return row


class Catalogue(SphinxDirective):
    """Writes names and summaries of one part of the compiled core's catalogue."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Returns the table."""
        entries = core.load().catalogue()
        if self.arguments[0] not in entries:
            raise self.error(f"no part of the catalogue; there are {', '.join(entries)}")
        return [table_node(("Name", "What it is"), entries[self.arguments[0]], 0)]


class Keys(SphinxDirective):
    """Writes what one table of TOML keys accepts; the argument names it in `tables`."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Returns the table, or a sentence if it has no keys."""
        known = tables()
        if self.arguments[0] not in known:
            raise self.error(f"no table of keys; there are {', '.join(known)}")
        return [keys_node(known[self.arguments[0]])]


class Functions(SphinxDirective):
    """Writes the functions of the conditions of studies."""

    def run(self) -> list[nodes.Node]:
        """Returns the table."""
        rows = [entry.summary.partition(": ")[::2] for entry in FUNCTIONS.values()]
        return [table_node(("Function", "Value"), rows, 0)]


class Ledger(SphinxDirective):
    """Judges the claims of the study in the argument by its results in _extra/STUDY."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Returns a definition list: place and verdict, then claim and evidence."""
        listing = nodes.definition_list()
        for entry in ledger_of(load_study(self.arguments[0]), _results(self)):
            head = f"{entry.id}, {entry.place}: {entry.verdict}"
            shown = f"<details><summary>evidence</summary>{escape(entry.evidence)}</details>"
            about = [nodes.paragraph("", entry.claim), nodes.raw("", shown, format="html")]
            term = nodes.term("", head)
            listing += nodes.definition_list_item("", term, nodes.definition("", *about))
        return [listing]


class Results(SphinxDirective):
    """Links report and NetCDF files of _extra/STUDY: each part of the study in the argument, and on how many ranks it was run."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Returns a line, and a table: part, what it is, up to which number of ranks it was run."""
        folder = _results(self)
        place = "../" * self.env.docname.count("/") + f"{folder.name}/"
        study = load_study(folder.name)
        rows = [
            (
                nodes.reference("", file, refuri=f"{place}data/{file}"),
                part.title,
                part.place,
                _run_on(folder / "data" / file, part),
            )
            for part in study.parts.values()
            if (folder / "data" / (file := f"{part.name}.nc")).is_file()
        ]
        line = nodes.paragraph()
        line += nodes.reference("", "Every figure", refuri=place + _REPORT)
        line += nodes.Text(
            " on one page, to zoom and to switch series, with values, claims and settings."
        )
        return [line, table_node(("File", "What it has", "Where", "Run on"), rows, -1)]


def _run_on(path: Path, part: Part) -> str:
    """The numbers of ranks of stored results, and how far the full series goes if that is farther."""
    with xarray.open_dataset(path) as data:
        reach = reach_of(data)
    if reach is None:
        return ""
    wanted = part.full.get("sweep.program.ranks", [])
    missing = sorted(set(wanted) - set(reach.ranks))
    return reach.text + (
        f"; of the full series not {missing[0]:,} to {missing[-1]:,}" if missing else ""
    )


def write_reports(app: Sphinx, error: Exception | None) -> None:
    """Writes the report of each folder of results in _extra beside the copy of its data."""
    if error or app.builder.format != "html":
        return
    for results in sorted((Path(app.srcdir) / "_extra").glob("*/data")):
        folder = Path(app.outdir) / results.parent.name
        study = load_study(folder.name)
        write_ledger(ledger_of(study, folder), study, [], folder)
        write_report(folder, folder / _REPORT)


def _results(directive: SphinxDirective) -> Path:
    """The folder with results of the study that is the argument; the page depends on them and on its claims."""
    folder = Path(directive.env.srcdir) / "_extra" / directive.arguments[0]
    study = load_study(folder.name)
    for path in (*folder.glob("data/*.nc"), *study.folder.glob("*.toml")):
        directive.env.note_dependency(str(path))
    return folder


def keys_node(table: Table) -> nodes.Node:
    """Returns a table of keys; a sentence if there are none."""
    rows = [
        (key, *described(table[key])) for key in table if key != "name" or not table[key].required
    ]
    if not rows:
        return nodes.paragraph("", "No keys of its own.")
    head = ("Key", "Meaning", "Value", "Default", "Acts in")
    width = len(head) if any(key.acts for key in table.values()) else len(head) - 1
    return table_node(head[:width], [row[:width] for row in rows], 0)


def tables() -> dict[str, Table]:
    """Returns all tables of keys by the name that the directive uses."""
    named: dict[str, Table] = {
        "machine": keys.MACHINE_FILE,
        **keys.sections(),
        "link": keys.link_table("dragonfly"),
        "experiment": keys.EXPERIMENT,
        "algorithm": keys.algorithm(),
        "program": keys.PROGRAM_COMMON,
        "phase": keys.programs()["phases"].phase_keys,
    }
    named |= {f"topology.{name}": entry.keys for name, entry in keys.topologies().items()}
    named |= {f"routing.{name}": table for name, table in keys.routings().items()}
    named |= {f"program.{name}": entry.keys for name, entry in keys.programs().items()}
    named |= {f"measurement.{name}": table for name, table in keys.measurements().items()}
    return named


def described(key: Key) -> tuple[str, str, str, str]:
    """Returns what a key means, what it accepts, its default, and where it acts, in words."""
    text: Callable[[Any], str] = json.dumps
    if isinstance(key.kind, units.Dimension):
        value = f"{key.kind.name}, such as {key.kind.example}"
        text = partial(units.quantity_text, key.kind)
    elif key.kind is list:
        low, high = key.length
        entries = "times true or false" if key.takes_truths else "whole numbers"
        value = f"list of {low if low == high else f'{low} to {high}'} {entries}"
    else:
        value = _PLAIN[key.kind]
        text = str if key.kind is str else json.dumps
    if key.choices:
        value = ", ".join(key.choices)
    value += "".join(f"; or {word}" for word in key.words)
    meaning, default = key.without
    words = {number: word for word, number in key.words.items()}
    if key.required:
        default = "must be given"
    elif key.default is not None:
        default = words.get(key.default) or text(key.default)
    return meaning, value, default, key.acts


class AllKeys(SphinxDirective):
    """Writes one section per topology, routing rule, program or measurement with its keys."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Returns a definition list: name, then its table of keys."""
        listing = nodes.definition_list()
        for name, table in tables().items():
            kind, _, own = name.partition(".")
            if kind != self.arguments[0] or not own:
                continue
            term = nodes.term("", "", nodes.literal(own, own))
            listing += nodes.definition_list_item("", term, nodes.definition("", keys_node(table)))
        return [listing]


def _mathml(visitor: Any, node: nodes.Element, as_block: bool) -> None:
    try:
        tree = latex2mathml.tex2mathml(node.astext(), as_block=as_block)
    except MathError as error:
        raise ValueError(f"formula {node.astext()!r}: {error}") from error
    visitor.body.append(f"<div class='math'>{tree}</div>" if as_block else tree)
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Registers directives and the formula writer."""
    app.add_directive("catalogue", Catalogue)
    app.add_directive("functions", Functions)
    app.add_directive("keys", Keys)
    app.add_directive("ledger", Ledger)
    app.add_directive("results", Results)
    app.add_directive("all-keys", AllKeys)
    app.connect("build-finished", write_reports)
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(lambda visitor, node: _mathml(visitor, node, False), None),
        block_renderers=(lambda visitor, node: _mathml(visitor, node, True), None),
    )
    return {"parallel_read_safe": True}
