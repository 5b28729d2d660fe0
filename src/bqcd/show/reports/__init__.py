"""What a page says, in plain numbers and words. How it looks is up to ``bqcd.show.pages``."""

from bqcd.show.reports.colophon import Colophon
from bqcd.show.reports.contents import Report
from bqcd.show.reports.findings import report_assessment, report_scan, report_verdict
from bqcd.show.reports.pairs import PairDetail, PairRow
from bqcd.show.reports.reporting import report

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
