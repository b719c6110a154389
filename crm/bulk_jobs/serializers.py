"""Bodies and answers of bulk jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import OuterRef, Subquery
from rest_framework import serializers
from rest_framework.response import Response

from accounts.snapshots.serializers import MemberSnapshot
from core.api.envelope import QUEUED, respond
from core.api.input import Input
from core.api.output import PROGRESS, Computed, IdField, Output
from core.api.selection import SelectionInput
from core.api.views import ApiView
from core.errors import ApiError, NamedError
from core.messages import message_for
from core.types import JsonObject, Values
from crm.bulk_jobs.changes import Outcome
from crm.bulk_jobs.models import BulkJob
from crm.bulk_jobs.restore_jobs import Restored
from crm.bulk_jobs.undo import is_undoable
from crm.records.automation import AUTOMATIONS, automation_of
from crm.records.results import join_notes
from crm.records.serializers import AutomationInput

STATUSES = (BulkJob.Status.PAUSED.value, BulkJob.Status.QUEUED.value, BulkJob.Status.CANCELLED.value)


class BulkJobUpdate(Input):
    stops = (BulkJob.Status.PAUSED.value, BulkJob.Status.CANCELLED.value)

    status = serializers.ChoiceField(
        choices=STATUSES,
        help_text="paused: stop after the batch at work; queued: go on, also after a failure; cancelled: stop for good",
    )


class BulkJobUndo(AutomationInput):
    """Options for undoing."""


class RestoreInput(SelectionInput, AutomationInput):
    """Deleted records to restore."""


class RestoreFailure(Output):
    """A record that stays deleted."""

    _id = IdField()
    name = serializers.CharField(help_text="such as ContactAlreadyExists_400")
    message = serializers.CharField()
    warning = serializers.CharField()


class RestoredOut(Output):
    """The results of the selected records."""

    restoredCount = Computed(serializers.IntegerField(allow_null=True, help_text="null while a job has to do it"))
    failed = Computed(serializers.ListField(child=RestoreFailure(), allow_null=True))


RESTORE = (
    "Each on its own: the answer is 200 either way, and records that stay deleted are in `failed`, because a live one"
    " has their unique key by now, because the plan has no room for them, because the company refuses open leads that"
    " repeat others (setting duplicateLeads), or because they were merged into another one (undo the merge). selectAll"
    " acts on the deleted records that match the query string. Emits <resource>.restored for each."
)


class BulkJobOut(Output):
    """A change of records or messages by a worker, or one that was small enough for its request, and how far it is."""

    moving = PROGRESS | {"changed", "report", "canUndo"}

    _id = IdField()
    action = serializers.ChoiceField(choices=BulkJob.Action.values)
    panel = serializers.ChoiceField(choices=BulkJob.Panel.values)
    status = serializers.ChoiceField(choices=BulkJob.Status.values)
    selection = serializers.DictField(help_text="the bulk selection, with the query string that selectAll acted on")
    change = serializers.DictField(help_text="what was to be done, as it was sent")
    automation = Computed(serializers.ChoiceField(choices=AUTOMATIONS))
    total = serializers.IntegerField(allow_null=True, help_text="records to look at; null until they are counted")
    processed = serializers.IntegerField()
    changed = serializers.IntegerField(help_text="records that are different now")
    failed = serializers.IntegerField(help_text="records that could not be changed, or given back")
    percent = Computed(serializers.FloatField())
    rate = Computed(serializers.FloatField(allow_null=True, help_text="records a second, of late"))
    eta = Computed(serializers.IntegerField(allow_null=True, help_text="seconds to go, while it runs"))
    error = serializers.CharField(help_text="why the whole job failed; empty otherwise")
    report = serializers.DictField(
        help_text="by record, the first 1000 of each: failed (why), warned (of what), kept (what somebody had changed"
        " since and was left alone; _id: the record itself), taken (the part of the unique key that another record has"
        " now); keptCount and takenCount are of all"
    )
    undoes = IdField(source="undoes_id", allow_null=True, help_text="the bulk job that this one undoes")
    undoesImport = IdField(source="undoes_import_id", allow_null=True, help_text="the import that this one undoes")
    undoneBy = Computed(IdField(allow_null=True, help_text="the bulk job that undoes this one"))
    undoneAt = serializers.DateTimeField(allow_null=True)
    undoUntil = serializers.DateTimeField(allow_null=True, help_text="until when it can be undone")
    canUndo = Computed(serializers.BooleanField())
    startedAt = serializers.DateTimeField(allow_null=True)
    finishedAt = serializers.DateTimeField(allow_null=True)
    createdBy = MemberSnapshot(source="created_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    reads = ("rate", "automation", "automation_queued")

    @classmethod
    def columns(cls) -> JsonObject:
        undoing = (
            BulkJob.objects.filter(undoes=OuterRef("pk"))
            .exclude(status__in=("failed", "cancelled"))
            .order_by("-created_at")
        )
        return {**super().columns(), "undoneBy": Subquery(undoing.values("pk")[:1])}

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        total = data["total"]
        done = data["processed"]
        rate = row["rate"]
        share = min(done / total, 1.0) if total else 0.0
        if data["status"] == BulkJob.Status.COMPLETED:
            share = 1.0
        data["percent"] = round(share * 100, 1)
        data["rate"] = None if rate is None else round(rate, 1)
        data["eta"] = (
            round((total - done) / rate) if rate and total and data["status"] == BulkJob.Status.RUNNING else None
        )
        data["automation"] = automation_of(row["automation"], row["automation_queued"], total)
        data["canUndo"] = data["undoneBy"] is None and is_undoable(data["action"], data["status"], data["startedAt"])
        return data


def bulk_response(view: ApiView, outcome: Outcome, data: JsonObject) -> Response:
    """Return the answer to a change of many records: its result with the job that can undo it.

    While a queued job still has to make the change, the counts are null.
    """
    if outcome.queued and outcome.job is not None:
        return respond(QUEUED, dict.fromkeys(data), bulkJob=outcome.job.pk)
    return undoable_response(view, data, outcome.job, _notes(view, outcome.warnings))


def undoable_response(view: ApiView, data: Any, job: BulkJob | None, notes: Sequence[str] = ()) -> Response:
    """Return the response to a change within the request: its result, the job that can undo it, and warnings."""
    extra = {} if job is None else {"bulkJob": job.pk}
    return view.success(data, **extra, **({"warning": join_notes(notes)} if notes else {}))


def restored_response(view: ApiView, restored: Restored) -> Response:
    """Return the answer to a restoring: its counts and failures, which are null while a queued job has to do it."""
    if restored.job is not None and restored.job.status == BulkJob.Status.QUEUED:
        return respond(QUEUED, {"restoredCount": None, "failed": None}, bulkJob=restored.job.pk)
    failed = [
        {"_id": id, **_error_data(error), "warning": error.detail} for id, error in sorted(restored.failed.items())
    ]
    data = {"restoredCount": restored.count, "failed": failed}
    return undoable_response(view, data, restored.job, _notes(view, restored.warnings))


def _error_data(error: ApiError) -> dict[str, str]:
    """Return the name and the text of an error."""
    return {
        "name": error.name,
        "message": message_for(error.name)[1] if isinstance(error, NamedError) else error.message,
    }


def _notes(view: ApiView, warnings: Mapping[str, str]) -> list[str]:
    """Return the warnings with the ids of the records. Pages get their kind: records of leads alone are judged."""
    if warnings:
        view.page_notes = {"warnings": ["leadsRepeat"]}
    return [f"{id}: {text}" for id, text in warnings.items()]


def job_answer(id: str) -> JsonObject | None:
    """Return a job as the API shows it."""
    return BulkJobOut.one(BulkJob.objects.filter(pk=id))
