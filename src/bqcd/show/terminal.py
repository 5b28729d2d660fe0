"""Answers for people to read: panels in the terminal, a table in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from bqcd.discovery.evidence import QuantileEvidence
from bqcd.methods.table import ALL_METHODS
from bqcd.methods.verdict import settings_of
from bqcd.show.words import ASSUMPTIONS, shown_name
from bqcd.show.words.scales import scale_rows
from bqcd.show.words.strengths import tie_words

if TYPE_CHECKING:
    from rich.panel import Panel

    from bqcd.assessments import Assessment
    from bqcd.assessments.stability import Interval
    from bqcd.methods.verdict import Verdict


Facts = list[tuple[str, str]]


def verdict_rows(verdict: Verdict, *, verbose: bool = True) -> Facts:
    """Facts of a verdict as label and text, the answer first.

    Parameters
    ----------
    verdict : Verdict
        What was found.
    verbose : bool, default=True
        Whether what the confidence was computed from is among them.
    """
    rows = [*_answer_rows(verdict), ("confidence", f"{verdict.confidence:+.4g}")]
    if verbose:
        rows += _evidence_rows(verdict)
    return [*rows, *_data_rows(verdict), ("method", _method_line(verdict, verbose=verbose))]


def assessment_rows(assessment: Assessment, *, verbose: bool = False) -> Facts:
    """Facts of an assessment as label and text, the answer first.

    Parameters
    ----------
    assessment : Assessment
        What was found.
    verbose : bool, default=False
        Whether what the confidence was computed from is among them.
    """
    # A verdict alone shall not wait for all that assessments know.
    from bqcd.show.chances import p_text, probability_text
    from bqcd.show.words.assessments import share_text

    verdict, link = assessment.verdict, assessment.dependence
    rows = _answer_rows(assessment)
    if assessment.probability is not None:
        rows.append(("probability", probability_text(assessment.probability)))
    stable = assessment.stability
    rows += [
        *_survival_rows(assessment),
        ("confidence", f"{assessment.confidence:+.4g}"),
        *_interval_rows(assessment.interval),
        ("halves that agree", f"{share_text(stable.agreeing)} of {stable.replicates}"),
        ("dependence", f"{link.strength:.2f} (p {p_text(link.p_value)})"),
    ]
    if verbose:
        rows += [*_evidence_rows(verdict), *_panel_rows(verdict)]
    return [*rows, *_data_rows(verdict), ("method", _method_line(verdict, verbose=verbose))]


def _survival_rows(assessment: Assessment) -> Facts:
    """What is found within the groups that were asked for, pooled and one by one."""
    from bqcd.show.words.third_columns import group_text

    survival = assessment.survival
    if survival is None:
        return []
    pair, name = assessment.verdict.seen_pair, shown_name(", ".join(survival.columns))
    rows = [(f"within {name}" if survival.grouping else f"given {name}",
             group_text(survival, survival.after, pair))]  # fmt: skip
    return rows + [
        (f"{name} {shown_name(group.label)}", group_text(group, group.dependence, pair))
        for group in survival.groups
    ]


def _interval_rows(interval: Interval | None) -> Facts:
    if interval is None:
        return []
    return [(f"{interval.level:.0%} interval", f"{interval.low:+.4g} to {interval.high:+.4g}")]


def _answer_rows(answered: Verdict | Assessment) -> Facts:
    """What the answer is, and who is the cause if that can be told."""
    named = (("cause", answered.cause), ("effect", answered.effect))
    told = [(label, shown_name(name)) for label, name in named if name is not None]
    return [("answer", answered.answer), *told]


def _evidence_rows(verdict: Verdict) -> Facts:
    """What a confidence of quantiles was computed from."""
    evidence = verdict.evidence
    if not isinstance(evidence, QuantileEvidence):
        return []
    x, y = shown_name(verdict.pair.x_name), shown_name(verdict.pair.y_name)
    lengths = evidence.code_lengths
    rows = [
        (f"code length {x} -> {y}", f"{lengths.x_to_y:.6f}"),
        (f"code length {y} -> {x}", f"{lengths.y_to_x:.6f}"),
        ("levels", ", ".join(f"{level:.3f}" for level in lengths.quadrature.levels)),
    ]
    if evidence.x_ties or evidence.y_ties:
        ties = f"{evidence.x_ties:,} in {x}, {evidence.y_ties:,} in {y}"
        rows.append(("ties", f"{ties}; {tie_words(evidence)}"))
    return rows


def _panel_rows(verdict: Verdict) -> Facts:
    """What a probability of the panel was made of, which a verdict alone has in its sentence."""
    evidence: Any = verdict.evidence
    if type(evidence).__name__ != "PanelEvidence":
        return []
    side = 1.0 if verdict.confidence > 0.0 else -1.0
    seen = {name: 0.5 + side * (p - 0.5) for name, p in evidence.probabilities.items()}
    agreeing, against = evidence.split()
    parts = (("relation alone", "relation"), ("scales alone", "scales"),
             ("margins alone, not used", "margins"), ("without evidence", "quick"))  # fmt: skip
    return [
        *((label, f"{seen[part]:.2f}") for label, part in parts if part in seen),
        ("voices that agree", f"{len(agreeing)} of {len(agreeing) + len(against)}"),
        ("common cause alone", f"{evidence.answers['common_cause']:.2f}"),
        ("no link", f"{evidence.answers['no_link']:.2f}"),
    ]


def _data_rows(verdict: Verdict) -> Facts:
    """Rows that were judged."""
    dropped = f" ({verdict.dropped_rows:,} dropped)" if verdict.dropped_rows else ""
    rows = [("rows", f"{verdict.n_rows:,}{dropped}")]
    rows += [(shown_name(name), told) for name, told in scale_rows(verdict.pair)]
    if verdict.weighting is not None:
        name, worth = shown_name(verdict.weighting.name), verdict.weighting.effective_rows
        rows.append(("weighted by", f"{name}, worth {worth:,.0f} equally weighted rows"))
    return rows


def _method_line(verdict: Verdict, *, verbose: bool) -> str:
    """Name of the method, with its settings if asked for or if they are not the usual ones."""
    name = verdict.name or "method"
    usual = settings_of(ALL_METHODS[name].build()) if name in ALL_METHODS and not verbose else {}
    told = {key: value for key, value in verdict.settings.items() if value is not None}
    settings = ", ".join(f"{k}={v}" for k, v in told.items() if verbose or usual.get(k) != v)
    return f"{name} ({settings})" if settings else name


def verdict_panel(verdict: Verdict, *, verbose: bool = False) -> Panel:
    """Panel with the answer as title, the facts, and the explanation below."""
    return _panel(verdict.headline, verdict_rows(verdict, verbose=verbose), verdict.explain())


def assessment_panel(assessment: Assessment, *, verbose: bool = False) -> Panel:
    """Panel with the answer as title, the facts, why, what speaks against it, and assumptions."""
    from bqcd.show.words.assessments import brief, caveats

    rows = assessment_rows(assessment, verbose=verbose)
    against = [f"- {caveat}" for caveat in caveats(assessment)]
    told = [brief(assessment)]
    if against:
        told.append("\n".join(["What speaks against relying on it:", *against]))
    text = "\n\n".join([*told, ASSUMPTIONS])
    return _panel(assessment.headline, rows, text, second_line=assessment.aside)


def _panel(headline: str, rows: Facts, text: str, *, second_line: str = "") -> Panel:
    from rich.console import Group
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim")
    facts.add_column()
    for label, told in rows:
        facts.add_row(Text(label), Text(told))
    title = Text(headline, style="bold")
    above = [Text(second_line, style="bold"), Text()] if second_line else []
    body = Group(*above, facts, Text(), Text(text))
    return Panel(body, title=title, title_align="left", expand=False, padding=(1, 2))


def verdict_html(verdict: Verdict) -> str:
    """Table with the answer as caption, the internals folded away; every text is escaped."""
    internals = _internals(verdict)
    folded = ""
    if internals:
        folded = (
            "<details><summary>Internals</summary>"
            f"<table><tbody>{_cells(internals)}</tbody></table></details>"
        )
    return (
        f"<table><caption><b>{escape(verdict.headline)}</b></caption>"
        f"<tbody>{_cells(verdict_rows(verdict, verbose=False))}</tbody></table>"
        f'<p style="max-width:60em">{escape(verdict.explain())}</p>{folded}'
    )


def _internals(verdict: Verdict) -> Facts:
    """Facts that are told when asked for only."""
    short = verdict_rows(verdict, verbose=False)
    return [fact for fact in verdict_rows(verdict) if fact not in short]


def _cells(rows: Facts) -> str:
    return "".join(
        f'<tr><th style="text-align:left">{escape(label)}</th>'
        f'<td style="text-align:left">{escape(text)}</td></tr>'
        for label, text in rows
    )
