"""How far a verdict may be trusted: stability, significance, dependence, settings."""

from __future__ import annotations

from bqcd.assessments.assessing import assess, assess_pair
from bqcd.assessments.assessment import Assessment

__all__ = ["Assessment", "assess", "assess_pair"]
