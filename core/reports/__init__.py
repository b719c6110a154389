"""Reports over the rows of all domains. Each app registers its own (`register_report`) when it is ready."""

from core.reports.declarations import (
    REPORTS,
    Column,
    Grouping,
    Report,
    Source,
    any_condition,
    count,
    filter_condition,
    register_report,
)
from core.reports.periods import MAX_DAYS, Period
from core.reports.query import TOP, Table, read_report

__all__ = [
    "MAX_DAYS",
    "REPORTS",
    "TOP",
    "Grouping",
    "Column",
    "Period",
    "Report",
    "Source",
    "Table",
    "any_condition",
    "filter_condition",
    "count",
    "read_report",
    "register_report",
]
