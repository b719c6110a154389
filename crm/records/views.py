"""Base and answers of the ViewSets of contacts, leads, and products and services."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework.response import Response

from core.api.output import Output
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError
from core.messages import resolve
from crm.records.kinds import RecordKind
from crm.records.results import BulkResult, Saved
from crm.records.schema import explain

VALUE_ERRORS = ("InvalidCustomFieldValue_400", "InvalidCustomField_400", "InvalidSystemField_400")


class RecordViewSet(ResourceViewSet, abstract=True):
    """Base of the ViewSets of records with custom fields; the actions of each call it."""

    kind: ClassVar[RecordKind]

    def read(self, id: str) -> dict[str, Any]:
        """A live record as its list shows it; raises the kind's error where there is none."""
        found = self._find(id)
        if found is None:
            raise self.kind.missing("id", id)
        return found

    def created(self, saved: Saved, *, lost: str, noun: str) -> Response:
        """The answer for a new record, whose warning names the values that were left out.

        `lost` is the error of a record that somebody else has deleted in between, `noun` what its text calls the
        record.
        """
        found = self._find(saved.id)
        if found is None:
            raise NamedError(lost, f"{noun} was deleted by somebody else in the same moment")
        warning = {"warning": f"left out: {explain(saved.left_out)}"} if saved.left_out else {}
        return self.success(found, **warning)

    def _find(self, id: str) -> dict[str, Any] | None:
        return self.listing.output.one(self.kind.live().filter(pk=id))


def bulk_answer(
    result: BulkResult, live: QuerySet[Any], output: type[Output], messages: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The answer for many new records: records, failures and errors.

    `messages` has the texts of errors that have no named message.
    """
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
    """The records of the ids, in the order of the ids."""
    ids = list(ids)
    if not ids:
        return []
    rows = {row["id"]: output.render(row) for row in output.project(live.filter(pk__in=ids))}
    return [rows[id] for id in ids if id in rows]
