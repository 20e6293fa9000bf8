"""The report as one HTML page that needs no network: figures, ledger, runs, experiment, machine."""

from __future__ import annotations

import base64
import importlib.resources
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from tradewind import core, extras
from tradewind.files import write_text
from tradewind.report.page.busiest_links import busiest_links
from tradewind.report.page.figures import figures
from tradewind.report.page.findings import findings_section
from tradewind.report.page.ledger import claims_of_picture, ledger_section
from tradewind.report.page.markup import data_uri, table
from tradewind.report.page.replay import replay_section
from tradewind.report.page.settings import origin_words, settings_section
from tradewind.report.page.sources import Contents, Gap, Part, read_contents, shows
from tradewind.report.page.tables import run_table
from tradewind.report.page.texts import counted
from tradewind.report.page.time_line import time_line

# The page may not load anything; scripts, styles and pictures are inside it.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)
# The processor time in s for critical paths, unless it is set.
PATH_S = 5.0
_THEMES = ("system", "light", "dark")


def write_report(
    folder: Path,
    path: Path,
    note: Callable[[str], None] = lambda words: None,
    path_s: float = PATH_S,
) -> Path:
    """Writes the report of a folder of results.

    Args:
        folder: A folder that `tradewind simulate`, `demo` or `reproduce` has written.
        path: The page, written all or not at all.
        note: Is told of every run with damaged files.
        path_s: The processor time in s for critical paths that runs have not kept.

    Raises:
        ConfigError: If the folder is missing, holds no results, or a file in it is damaged.
        Error: If the extra `report` is missing or the page cannot be written.
    """
    extras.need("xarray", "reports")
    library = extras.need("plotly.offline", "reports").get_plotlyjs()
    contents = read_contents(folder, path_s)
    for gap in (gap for part in contents.parts for gap in part.gaps if gap.is_damage):
        note(f"left out: {gap.label}: {gap.reason}")
    write_text(path, page(contents, library))
    return path


def page(contents: Contents, library: str) -> str:
    """Returns the HTML text of a report.

    Args:
        contents: The contents of the page.
        library: The text of plotly.js.
    """
    drawings: dict[str, Any] = {}
    title = _title(contents)
    sections = list(_sections(contents, title, drawings))
    packed = _packed("figures", json.dumps(drawings, separators=(",", ":"), allow_nan=False))
    parts = [
        _head(title),
        '<body><a class="skip" href="#content">To the content</a>',
        f'<header><h1>{escape(title)}</h1><div class="bar">{_made(contents)}{_theme_choice()}</div>',
        f'{_navigation(sections)}</header><main id="content">',
        _notices(bool(drawings)),
        *[text for _, _, text in sections],
        "</main>",
        packed + _packed("plotly", library) if drawings else "",
        f"<script>\n{_asset('report.js')}</script></body></html>\n",
    ]
    return "\n".join(parts)


def _navigation(sections: Sequence[tuple[str, str, str]]) -> str:
    if len(sections) < 2:
        return ""
    links = "".join(f'<li><a href="#{key}">{escape(name)}</a></li>' for key, name, _ in sections)
    return f'<nav aria-label="Sections"><ul>{links}</ul></nav>'


def _sections(
    contents: Contents, heading: str, drawings: dict[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """Yields anchor, title and text of each section; the figures are added to `drawings`."""
    gaps = [(part, gap) for part in contents.parts for gap in part.gaps]
    if gaps:
        yield "missing", "What is missing", _missing(gaps)
    if contents.ledger:
        yield "ledger", "Ledger", ledger_section(contents.ledger)
    if contents.pictures:
        yield "pictures", "Pictures", _pictures(contents)
    for index, part in enumerate(contents.parts):
        title = _named(part, contents)
        pictured = any(shows(picture.stem, part.name) for picture in contents.pictures)
        claims = "" if pictured else claims_of_picture(part.name, contents.ledger)
        # The page has this title already.
        title = "Results" if title == heading else title
        yield f"part-{index}", title, _part(part, title, claims, f"part-{index}", drawings)
    shown = {picture.stem for picture in contents.pictures}
    rest = [name for name in contents.tables if name not in shown]
    if rest:
        tables = "".join(_folded_table(name, contents) for name in rest)
        yield "tables", "Tables", f'<section id="tables"><h2>Tables</h2>{tables}</section>'


def _named(part: Part, contents: Contents) -> str:
    """Returns the title, with the name where it is a word of the user's: of a study, or of equal titles."""
    twice = sum(other.title == part.title for other in contents.parts) > 1
    of_study = part.data.attrs.get("part") == part.name
    return f"{part.title} ({part.name})" if part.name and (twice or of_study) else part.title


def _title(contents: Contents) -> str:
    if len(contents.parts) == 1 and not contents.ledger:
        return contents.parts[0].title
    heading = contents.folder / "ledger.md"
    if contents.ledger and heading.is_file():
        first = heading.read_text(encoding="utf-8", errors="replace").partition("\n")[0]
        return first.removeprefix("# ").strip() or contents.folder.name
    return f"Results in {contents.folder.resolve().name}"


def _head(title: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)} - Tradewind report</title>"
        f"<style>\n{_asset('report.css')}</style></head>"
    )


def _made(contents: Contents) -> str:
    runs = sum(part.runs for part in contents.parts)
    version = escape(core.load().version)
    known = f"{counted(runs, 'run')}; " if runs else ""
    return f'<span class="soft">{known}report by tradewind {version}</span>'


def _theme_choice() -> str:
    options = "".join(f'<option value="{name}">{name}</option>' for name in _THEMES)
    return f'<label class="needs-script">colours <select id="theme">{options}</select></label>'


def _notices(has_figures: bool) -> str:
    if not has_figures:
        return '<p id="trouble" hidden></p>'
    return (
        "<noscript><p>The figures need JavaScript; the tables hold their main values.</p></noscript>"
        '<p id="trouble" class="gaps" role="alert" hidden>The figures cannot be drawn by this '
        "browser; the tables hold their main values.</p>"
    )


def _missing(gaps: Sequence[tuple[Part, Gap]]) -> str:
    rows = [[part.title, gap.label, gap.state, gap.reason] for part, gap in gaps]
    words = f"{len(gaps)} entries: the figures and tables below leave these runs out."
    return (
        '<section id="missing" class="gaps"><h2>What is missing</h2>'
        f"<p>{words}</p>{table(('experiment', 'run', 'state', 'reason'), rows)}</section>"
    )


def _part(part: Part, title: str, claims: str, anchor: str, drawings: dict[str, Any]) -> str:
    parts = [f'<section id="{anchor}"><h2>{escape(title)}</h2>']
    parts += [f"<p>{escape(words)}</p>" for words in part.about]
    parts.append(f'<p class="soft">{escape(_origin(part))}</p>')
    parts += [claims, findings_section(part.data)]

    def place(figure: dict[str, Any]) -> str:
        key = f"{anchor}-{figure['id']}"
        drawings[key] = figure
        return (
            f'<figure id="{key}" class="needs-script" aria-labelledby="{key}-title">'
            f'<figcaption><h3 id="{key}-title">{escape(figure["title"])}</h3></figcaption></figure>'
        )

    parts += map(place, _figures(part))
    if "path_s" not in part.data:
        parts += [f'<p class="soft">{escape(words)}</p>' for words in part.remarks]
    parts += [
        busiest_links(part.data, part.finished),
        replay_section(part.finished, part.recording, place),
    ]
    parts += [run_table(part.data), settings_section(part.data), "</section>"]
    return "\n".join(parts)


def _figures(part: Part) -> Iterator[dict[str, Any]]:
    """Yields every figure of a part; that of the critical paths says which runs it leaves out."""
    for figure in figures(part.data):
        if figure["id"] == "path":
            figure["note"] = " ".join([figure["note"], *part.remarks])
        yield figure
    own = time_line(part.finished)
    if own is not None:
        yield own


def _origin(part: Part) -> str:
    """Returns how many runs there are, of which experiment, when and on what they were simulated."""
    told = []
    if part.runs:
        wanted = len([gap for gap in part.gaps if gap.state != "missing"])
        told.append(f"{part.runs - wanted} of {part.runs} runs")
    return "".join(f"{words}. " for words in [*told, *origin_words(part.data)]).strip()


def _pictures(contents: Contents) -> str:
    parts = ['<section id="pictures"><h2>Pictures</h2>']
    for picture in contents.pictures:
        name = picture.stem
        values = "; its values are in the table below" if name in contents.tables else ""
        parts.append(
            f'<figure><img src="{data_uri(picture)}" alt="Picture {escape(name)}{values}">'
            f"<figcaption>{escape(name)}{claims_of_picture(name, contents.ledger)}</figcaption>"
            f"{_folded_table(name, contents)}</figure>"
        )
    return "".join([*parts, "</section>"])


def _folded_table(name: str, contents: Contents) -> str:
    rows = contents.tables.get(name)
    if not rows:
        return ""
    body = table(rows[0], rows[1:])
    return f"<details><summary>Table {escape(name)}</summary>{body}</details>"


def _packed(key: str, text: str) -> str:
    """Returns a text compressed for the page, where the script finds it."""
    content = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    return f'<script type="text/plain" id="{key}">{content}</script>\n'


def _asset(name: str) -> str:
    return (importlib.resources.files(__package__) / "assets" / name).read_text(encoding="utf-8")
