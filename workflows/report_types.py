"""The reports of workflows."""

from __future__ import annotations

from core.reports import register_report
from workflows.runs import reports as runs


def register_reports() -> None:
    """Register the reports; called when the app is ready."""
    for report in runs.REPORTS:
        register_report(report)
