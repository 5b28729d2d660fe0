"""Reports: what a page says, in plain numbers and words. How it looks is up to ``bqcd.pages``."""

from bqcd.reports.colophon import Colophon
from bqcd.reports.contents import Report
from bqcd.reports.findings import report_assessment, report_scan, report_verdict
from bqcd.reports.pairs import PairDetail, PairRow
from bqcd.reports.reporting import report

__all__ = [
    "Colophon",
    "PairDetail",
    "PairRow",
    "Report",
    "report",
    "report_assessment",
    "report_scan",
    "report_verdict",
]
