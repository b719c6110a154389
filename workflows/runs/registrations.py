"""The registrations of runs."""

from __future__ import annotations

from core.reports import register_report
from workflows.runs.reports import REPORTS

for report in REPORTS:
    register_report(report)
