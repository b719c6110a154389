"""The deletion of rows by one statement, with no look at what refers to them."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet


def raw_delete(queryset: QuerySet[Any]) -> int:
    """Delete the rows and return their number, without collecting related objects and without signals.

    Only for rows that nothing refers to, or whose references the database checks or handles itself. It is the one
    place that uses Django's private method.
    """
    return queryset._raw_delete("default") or 0
