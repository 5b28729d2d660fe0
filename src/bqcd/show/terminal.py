"""Answers for people to read: panels in the terminal, a table in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from bqcd.discovery.evidence import QuantileEvidence
from bqcd.show.words import shown_name

if TYPE_CHECKING:
    from rich.panel import Panel

    from bqcd.assessments import Assessment
    from bqcd.methods.verdict import Verdict


def verdict_rows(verdict: Verdict) -> list[tuple[str, str]]:
    """Facts of a verdict as label and text, the answer first."""
    x, y = shown_name(verdict.pair.x_name), shown_name(verdict.pair.y_name)
    cause, effect = (x, y) if verdict.confidence > 0.0 else (y, x)
    rows = [
        ("cause", cause if verdict.cause is not None else "undecided"),
        ("effect", effect if verdict.effect is not None else "undecided"),
        ("confidence", f"{verdict.confidence:+.6f}"),
    ]
    evidence = verdict.evidence
    if isinstance(evidence, QuantileEvidence):
        lengths = evidence.code_lengths
        rows += [
            (f"code length {x} -> {y}", f"{lengths.x_to_y:.6f}"),
            (f"code length {y} -> {x}", f"{lengths.y_to_x:.6f}"),
            ("levels", ", ".join(f"{level:.3f}" for level in lengths.quadrature.levels)),
        ]
        if evidence.x_ties or evidence.y_ties:
            ties = f"{evidence.x_ties:,} in {x}, {evidence.y_ties:,} in {y}"
            spread = f"spread {evidence.tie_spread:.1g} over {evidence.tie_orders} orders"
            rows.append(("ties", f"{ties}; {spread}"))
    dropped = f" ({verdict.dropped_rows:,} dropped)" if verdict.dropped_rows else ""
    rows.append(("rows", f"{verdict.n_rows:,}{dropped}"))
    if verdict.weighting is not None:
        worth = f"{verdict.weighting.effective_rows:,.0f} equally weighted rows"
        rows.append(("worth", worth))
    rows.append(("method", _method_line(verdict)))
    return rows


def _method_line(verdict: Verdict) -> str:
    settings = ", ".join(f"{k}={v}" for k, v in verdict.settings.items() if v is not None)
    name = verdict.name or "method"
    return f"{name} ({settings})" if settings else name


def verdict_panel(verdict: Verdict) -> Panel:
    """Panel with the answer as title, the facts, and the explanation below."""
    from rich.console import Group
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim")
    facts.add_column()
    for label, text in verdict_rows(verdict):
        facts.add_row(Text(label), Text(text))
    title = Text(verdict.headline, style="bold")
    body = Group(facts, Text(), Text(verdict.explain()))
    return Panel(body, title=title, title_align="left", expand=False, padding=(1, 2))


def assessment_panel(assessment: Assessment) -> Panel:
    """Panel with the answer as title and the explanation below."""
    from rich.panel import Panel
    from rich.text import Text

    title = Text(assessment.headline, style="bold")
    return Panel(Text(assessment.explain()), title=title, title_align="left", padding=(1, 2))


def verdict_html(verdict: Verdict) -> str:
    """Table with the answer as caption; every text is escaped."""
    cells = "".join(
        f'<tr><th style="text-align:left">{escape(label)}</th>'
        f'<td style="text-align:left">{escape(text)}</td></tr>'
        for label, text in verdict_rows(verdict)
    )
    return (
        f"<table><caption><b>{escape(verdict.headline)}</b></caption><tbody>{cells}</tbody></table>"
        f'<p style="max-width:60em">{escape(verdict.explain())}</p>'
    )
