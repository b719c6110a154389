"""The outcome of creating many records at once, as it goes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import QuerySet

from core.api.output import Output
from core.messages import resolve
from crm.records.results import BulkResult


def bulk_answer(
    result: BulkResult, live: QuerySet[Any], output: type[Output], messages: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The records, failures and errors; `messages` has the texts of errors that have no named message."""
    return {
        "created": _render(result.created, live, output),
        "updated": _render(result.updated, live, output),
        "failed": [
            {
                "index": failure.index,
                "formData": failure.form_data,
                "name": failure.name,
                "message": (messages or {}).get(failure.name) or resolve(failure.name)[1],
                "warning": failure.warning,
            }
            for failure in result.failed
        ],
        "errors": [
            {"index": index, "key": problem.key, "name": problem.name, "message": problem.message}
            for index, problem in result.errors
        ],
    }


def _render(ids: Iterable[str], live: QuerySet[Any], output: type[Output]) -> list[dict[str, Any]]:
    """The records of the ids, in their order."""
    ids = list(ids)
    if not ids:
        return []
    rows = {row["id"]: output.render(row) for row in output.project(live.filter(pk__in=ids))}
    return [rows[id] for id in ids if id in rows]
