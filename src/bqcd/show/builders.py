"""Which function shows what of which record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

BUILDERS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "Verdict": {
            "report": "reports.findings:report_verdict",
            "fragment": "reports.findings:verdict_fragment",
            "plot": "plots.verdicts:plot_verdict",
            "panel": "terminal:verdict_panel",
            "headline": "words.verdicts:headline",
            "explain": "words.verdicts:explanation",
            "strength": "words.verdicts:strength_of",
        },
        "Assessment": {
            "report": "reports.findings:report_assessment",
            "fragment": "reports.findings:assessment_fragment",
            "plot": "plots.sensitivity:plot_assessment",
            "panel": "terminal:assessment_panel",
            "headline": "words.assessments:headline",
            "aside": "words.third_columns:aside",
            "explain": "words.assessments:explanation",
            "sheet": "sheets.assessments:settings_sheet",
        },
        "Scan": {
            "report": "reports.findings:report_scan",
            "fragment": "reports.findings:scan_fragment",
            "plot": "plots.matrices:plot_scan",
            "sheet": "sheets.scans:pairs_sheet",
            "skipped": "sheets.scans:skipped_sheet",
            "failed": "sheets.scans:failed_sheet",
            "summary": "words.scans:summary",
        },
        "PairRows": {
            "sheet": "sheets.scans:rows_sheet",
            "text": "sheets.scans:rows_text",
            "fragment": "reports.findings:rows_fragment",
        },
        "Orientation": {
            "report": "reports.orientations:report_orientation",
            "fragment": "reports.orientations:orientation_fragment",
            "plot": "plots.graphs:plot_orientation",
            "sheet": "sheets.graphs:edges_sheet",
            "summary": "words.graphs:summary",
        },
        "Bootstrap": {
            "sheet": "sheets.graphs:bootstrap_sheet",
            "summary": "words.graphs:bootstrap_summary",
        },
        "Comparison": {
            "plot": "plots.comparisons:plot_comparison",
            "sheet": "sheets.graphs:comparison_sheet",
            "summary": "words.graphs:comparison_summary",
        },
        "Compatibility": {"sentence": "words.compatibility:sentence"},
        "InvariantCauses": {
            "sheet": "sheets.invariance:predictors_sheet",
            "summary": "words.invariance:summary",
        },
        "EdgeRecord": {"sentence": "words.graphs:sentence"},
        "GraphNote": {"sentence": "words.graphs:note_words"},
        "Note": {"sentence": "words.assessments:note_words"},
        "Limit": {"sentence": "words.assessments:limit_words"},
        "Results": {
            "report": "reports.benchmarks:report_results",
            "fragment": "reports.benchmarks:results_fragment",
        },
    }
)
"""Builders by kind of record, as module of ``bqcd.show`` and function: loaded when asked for."""


def builder(kind: type, what: str) -> Callable[..., Any]:
    """Function that shows something of a kind of record.

    Parameters
    ----------
    kind : type
        Of the record.
    what : str
        What is asked for.

    Raises
    ------
    LookupError
        If there is none.
    """
    for base in kind.__mro__:
        if what in BUILDERS.get(base.__name__, ()):
            module, _, function = BUILDERS[base.__name__][what].partition(":")
            found: Callable[..., Any] = getattr(import_module(f"bqcd.show.{module}"), function)
            return found
    raise LookupError(f"Nothing shows the {what} of a {kind.__name__}.")
