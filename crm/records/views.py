"""Base and answers of the ViewSets of contacts, leads, and products and services."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework.response import Response

from core.api.envelope import respond
from core.api.listing import ListRequest
from core.api.output import Output
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError
from core.lists import ListQuery, names_field
from core.lists.prepared import rows_of
from core.messages import message_for
from core.tenancy import active_scope
from core.types import JsonObject
from crm.records.kinds import RecordKind
from crm.records.problems import explain
from crm.records.results import BulkResult, Saved, join_notes
from crm.records.summary import MAX_GROUPS, Summary

VALUE_ERRORS = ("InvalidCustomFieldValue_400", "InvalidCustomField_400", "InvalidSystemField_400")


class RecordViewSet(ResourceViewSet, abstract=True):
    """Base of the ViewSets of records with custom fields; the actions of each call it."""

    kind: ClassVar[RecordKind]

    def read(self, id: str) -> JsonObject:
        """Return a live record as its list shows it. Raises the kind's error if it is missing."""
        record = self._find(id)
        if record is None:
            raise self.kind.missing("id", id)
        return record

    def stored(self, path: Mapping[str, str]) -> Any:
        return self._find(path["id"])

    def created(self, saved: Saved, *, lost: str, noun: str, updated: str = "") -> Response:
        """Return the response for a new record, with a warning that names the omitted values.

        `lost` is the error of a record that was deleted in between, `noun` its name in the error's text. `updated` is
        the message for a record that existed and was updated.
        """
        record = self._find(saved.id)
        if record is None:
            raise NamedError(lost, f"{noun} was deleted by somebody else in the same moment")
        notes = [f"left out: {explain(saved.left_out)}"] if saved.left_out else []
        if not saved.left_out:
            self.page_notes = {"warnings": saved.codes}
        name = updated if saved.updated else self.declared.success
        return respond(name, record, **response_metadata([*notes, *saved.notes], saved.job))

    def processed(self, data: JsonObject, result: BulkResult) -> Response:
        """Return the answer for many new records."""
        return self.success(
            data, **response_metadata([f"formData.{index}: {text}" for index, text in result.notes], result.job)
        )

    def summarized(self, summary: Summary) -> Response:
        """Return the answer with the groups of the list's records that the request selects."""
        params = self.request.query_params
        group = summary.group_of(params)
        query = ListQuery.parse(params, self.listing.fields, extra=("groupBy",))
        rows = summary.read(self.listing.rows(self.list_request()).filter(query.where), group)
        groups = rows[:MAX_GROUPS]
        more = [f"there are more than {MAX_GROUPS} groups; these are the largest"] if len(rows) > MAX_GROUPS else []
        return self.success(groups, totalCount=len(groups), nextCursor=None, **response_metadata(more))

    def _find(self, id: str) -> JsonObject | None:
        rows = records_to_json(self.kind.live(), [id], self.listing.output)
        return rows[0] if rows else None


def response_metadata(notes: Sequence[str], job: str | None = None) -> dict[str, str]:
    """Return the response's metadata: a warning, and the job that can undo the overwriting."""
    return {**({"warning": join_notes(notes)} if notes else {}), **({"bulkJob": job} if job else {})}


def listed_records(kind: RecordKind) -> Callable[[ListRequest], QuerySet[Any]]:
    """Return a function that reads a list's live records, and the deleted ones too if the filters name isDeleted."""

    def rows(list_request: ListRequest) -> QuerySet[Any]:
        return kind.stored() if names_field(list_request.params, "isDeleted") else kind.live()

    return rows


def bulk_answer(
    result: BulkResult, live: QuerySet[Any], output: type[Output], messages: Mapping[str, str] | None = None
) -> JsonObject:
    """Return the answer for many new records: records, failures and errors.

    `messages` has the texts of errors that have no named message.
    """
    return {
        "created": records_to_json(live, result.created, output),
        "updated": records_to_json(live, result.updated, output),
        "failed": [
            {
                "index": failure.index,
                "formData": failure.form_data,
                "name": failure.name,
                "message": (messages or {}).get(failure.name) or message_for(failure.name)[1],
                "warning": failure.warning,
            }
            for failure in result.failed
        ],
        "errors": [
            {"index": index, "key": problem.key, "name": problem.name, "message": problem.message}
            for index, problem in result.errors
        ],
    }


def records_to_json(live: QuerySet[Any], ids: Iterable[str], output: type[Output]) -> list[JsonObject]:
    """Return the records of the ids as their list shows them, in the order of the ids, without deleted ones."""
    ids = list(ids)
    scope = active_scope()
    if scope is not None and scope.own is not None:
        # The statement of rows_of has no conditions of its own, and contacts of visible leads can be read.
        own = set(live.filter(pk__in=ids).values_list("pk", flat=True))
        ids = [id for id in ids if id in own]
    rows = rows_of(live, ids, output)
    return output.complete([output.render(row) for row in rows if not row.get("is_deleted")])
