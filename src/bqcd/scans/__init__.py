"""Every pair of columns of a table: tiles of pairs, judged anywhere, kept as they come."""

from __future__ import annotations

from bqcd.scans.reading import read_scan
from bqcd.scans.results import Scan
from bqcd.scans.rows import PairRows
from bqcd.scans.scanning import scan

__all__ = ["PairRows", "Scan", "read_scan", "scan"]
