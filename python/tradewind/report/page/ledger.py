"""The ledger of a study: claims with verdicts that colour, border, sign and word tell apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from tradewind.report.page.sources import Claim

# Class of the style sheet, and sign, by the first words of a verdict.
_LOOKS = (
    ("not reproduced", "bad", "\N{BALLOT X}"),
    ("not testable", "open", "\N{EN DASH}"),
    ("undecided", "unsure", "\N{PLUS-MINUS SIGN}"),
    ("partly", "open", "\N{ALMOST EQUAL TO}"),
    ("reproduced", "good", "\N{CHECK MARK}"),
)


def ledger_section(claims: Sequence[Claim]) -> str:
    """Returns the section with the counts, boxes that choose verdicts, and the table."""
    counts = Counter(claim.verdict for claim in claims)
    chips = "".join(
        f'<label><input type="checkbox" checked data-verdict="{escape(verdict)}">'
        f"{_chip(verdict)} {count}</label>"
        for verdict, count in counts.most_common()
    )
    places = any(claim.place for claim in claims)
    head = ["id", *(["where"] if places else []), "claim", "verdict", "evidence"]
    top = "".join(f'<th scope="col">{name}</th>' for name in head)
    rows = "".join(_row(claim, places) for claim in claims)
    return (
        '<section id="ledger"><h2>Ledger</h2>'
        f"<fieldset><legend>{len(claims)} claims; shown verdicts</legend>{chips}</fieldset>"
        '<div class="scroll" tabindex="0" role="region" aria-label="Ledger of claims"><table>'
        f"<thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table></div></section>"
    )


def claims_of_picture(name: str, claims: Sequence[Claim]) -> str:
    """Returns the claims of the study about a picture, each with its verdict; empty if there are none."""
    own = [claim for claim in claims if claim.is_about(name)]
    if not own:
        return ""
    lines = "".join(
        f"<li><b>{escape(claim.id)}</b> {_chip(claim.verdict)} {escape(claim.claim)}</li>"
        for claim in own
    )
    return f'<ul class="claims">{lines}</ul>'


def _row(claim: Claim, places: bool) -> str:
    place = f"<td>{escape(claim.place)}</td>" if places else ""
    return (
        f'<tr data-verdict="{escape(claim.verdict)}"><th scope="row">{escape(claim.id)}</th>{place}'
        f"<td>{escape(claim.claim)}</td><td>{_chip(claim.verdict)}</td>"
        f"<td>{escape(claim.evidence)}</td></tr>"
    )


def _chip(verdict: str) -> str:
    looks = ((name, sign) for start, name, sign in _LOOKS if verdict.startswith(start))
    name, sign = next(looks, ("open", "?"))
    return f'<span class="verdict {name}"><span aria-hidden="true">{sign}</span> {escape(verdict)}</span>'
