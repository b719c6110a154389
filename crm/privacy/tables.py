"""The tables with personal data of contacts in the CRM and the apps below it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Least
from django.utils import timezone

from accounts.models import Mail, Notification
from core.models import Event, EventDelivery, IdempotencyKey
from core.types import JsonObject
from crm.activities.models import CallLog, FollowUp, LeadActivity
from crm.bulk_jobs.models import BulkJob, Journal
from crm.comments.models import Comment, CommentMention
from crm.contacts.kind import CONTACT
from crm.contacts.models import Contact, ContactTag, CustomFieldValue
from crm.files.models import File
from crm.imports.models import Import, ImportRowError
from crm.leads.models import Lead, LeadProduct, LeadTag, LeadValue, StageChange
from crm.meetings.models import Meeting, MeetingAttendee
from crm.merging.models import DuplicateDismissal, Merge
from crm.privacy.attached import files_of
from crm.privacy.registry import DataSubject, delete_rows, mentioning_rows, referring_rows, register_personal_data
from crm.records.models import ConvertedValue, CustomField
from crm.saved_views.models import SavedView
from crm.segments.models import SegmentMember, SegmentRecord
from crm.webhooks.models import WebhookDelivery

PERSONAL_MAILS = (
    "follow_up_reminder",
    "meeting_cancelled",
    "meeting_invitation",
    "meeting_reminder",
    "notice_comment_mentioned",
    "notice_conversation_assigned",
    "notice_conversation_overdue",
    "notice_conversation_woken",
    "notice_form_submitted",
    "notice_quote_accepted",
    "notice_quote_declined",
    "notice_reply_received",
    "notice_task_overdue",
)
"""Kinds of the service's own mails that mention contacts or go to them; add a new one here."""
ERASED = "Erased on request."


STAGE_IDS = frozenset({"from_stage_id", "to_stage_id"})
"""Columns of stages that are exported by name."""


def register_tables() -> None:
    """Register the tables."""
    # The erasure deletes those that no other record has (crm.privacy.erasure).
    hidden = frozenset({"path", "storage", "bucket_id", "remove_at", "removals", "read_module", "chatapp_handle"})
    register_personal_data("files", File, files_of, lambda subject, rows: 0, hides=hidden)
    register_personal_data(
        "contacts",
        Contact,
        lambda s: Q(pk__in=s.contact_ids),
        blank_contacts,
        adds=("category__name",),
        shape=_named_values,
    )
    register_personal_data(
        "leads",
        Lead,
        lambda s: Q(pk__in=s.lead_ids),
        delete_leads,
        module="lead",
        adds=("team__name",),
        shape=_named_values,
    )
    _register_references("contactTags", ContactTag, adds=("tag__name",))
    _register_references("leadTags", LeadTag, module="lead", adds=("tag__name",))
    _register_references("leadProducts", LeadProduct, module="lead", adds=("product_service__name",))
    _register_references(
        "stageChanges", StageChange, module="lead", adds=("from_stage__name", "to_stage__name"), hides=STAGE_IDS
    )
    _register_references("contactValues", CustomFieldValue, exported=False)
    _register_references("leadValues", LeadValue, exported=False)
    _register_references("segments", SegmentRecord, adds=("segment__name",))
    # Before the tasks, by which some of them are found.
    register_personal_data("commentMentions", CommentMention, _comment_mentions, exported=False)
    register_personal_data("comments", Comment, _comments, module="lead-activity")
    _register_references("activities", LeadActivity, module="lead-activity")
    _register_references("followUps", FollowUp, module="lead-activity")
    _register_references("calls", CallLog, module="lead-activity")
    # Before the meetings, which some of them are found by.
    register_personal_data(
        "attendances", MeetingAttendee, _attendances, module="meeting", adds=("meeting__title", "meeting__starts_at")
    )
    _register_references("meetings", Meeting, module="meeting")
    register_personal_data(
        "imports",
        Import,
        _imports,
        clean_samples,
        hides=frozenset({"column_mapping", "headers", "columns", "detected", "kept_columns"}),
        shape=_own_sample,
    )
    register_personal_data("importRowErrors", ImportRowError, _row_errors, blank_row_errors)
    register_personal_data("events", Event, lambda s: Q(object_id__in=s.object_ids), clear_event_payloads)
    hidden = frozenset({"due_at", "manual", "error", "response_body", "milliseconds"})
    register_personal_data("webhookDeliveries", WebhookDelivery, _webhook_attempts, hides=hidden)
    register_personal_data("watchedSegments", SegmentMember, _rows_of_records, exported=False)
    register_personal_data("journal", Journal, _rows_of_records)
    register_personal_data("convertedValues", ConvertedValue, _rows_of_records, exported=False)
    register_personal_data("merges", Merge, _merges, erase_merges)
    register_personal_data("duplicateDismissals", DuplicateDismissal, _dismissals, exported=False)
    register_personal_data("bulkJobs", BulkJob, _bulk_jobs, blank_bulk_jobs)
    register_personal_data("mails", Mail, _mails, hides=frozenset({"html"}))
    register_personal_data("notifications", Notification, _notifications, exported=False)
    register_personal_data("answers", IdempotencyKey, lambda s: Q(status__isnull=False), blank_answers, exported=False)
    register_personal_data("savedViews", SavedView, _views, shape=_own_words)


def _register_references(name: str, model: type[Any], **options: Any) -> None:
    """Register a table whose rows belong to one contact or lead and are deleted with it."""
    register_personal_data(name, model, lambda subject: referring_rows(model, subject), **options)


def _ids(subject: DataSubject) -> list[str]:
    return [*subject.contact_ids, *subject.lead_ids]


def _comments(subject: DataSubject) -> Q:
    """Match the comments on the subject's records, and on their tasks."""
    tasks = FollowUp.objects.filter(referring_rows(FollowUp, subject))
    return referring_rows(Comment, subject) | Q(task__in=tasks)


def _comment_mentions(subject: DataSubject) -> Q:
    return Q(comment__in=Comment.objects.filter(_comments(subject)))


def _attendances(subject: DataSubject) -> Q:
    return (
        Q(contact__in=subject.contact_ids)
        | Q(email__in=subject.emails)
        | Q(meeting__in=Meeting.objects.filter(referring_rows(Meeting, subject)))
    )


def _imports(subject: DataSubject) -> Q:
    kept = ("sample", "first_rows", "columns", "detected", "headers", "column_mapping", "kept_columns")
    return Q(pk__in=subject.import_ids) | mentioning_rows(subject, *kept)


def _row_errors(subject: DataSubject) -> Q:
    """Match the subject's rows of any import; rows with its name alone only in the imports that it came from."""
    named = Q(job__in=subject.import_ids) & mentioning_rows(subject, "values", names=True)
    return mentioning_rows(subject, "values", "message") | Q(existing_id__in=_ids(subject)) | named


def _webhook_attempts(subject: DataSubject) -> Q:
    """Match webhook deliveries about the subject's records, or with its addresses and numbers."""
    return Q(object_id__in=subject.object_ids) | mentioning_rows(subject, "body")


def _rows_of_records(subject: DataSubject) -> Q:
    return Q(record_id__in=_ids(subject))


def _merges(subject: DataSubject) -> Q:
    return Q(winner_id__in=_ids(subject)) | Q(loser_ids__has_any_keys=_ids(subject))


def _bulk_jobs(subject: DataSubject) -> Q:
    """Match the jobs that name the subject, and the changes of its single records."""
    of_one = Q(pk__in=[])
    for id in _ids(subject):
        of_one |= Q(total=1, selection__ids__contains=[id])
    return of_one | mentioning_rows(subject, "selection", "change")


def _dismissals(subject: DataSubject) -> Q:
    return Q(first_id__in=_ids(subject)) | Q(second_id__in=_ids(subject))


def _mails(subject: DataSubject) -> Q:
    """Match the mails to the subject's addresses, and those that mention it. Sent mails keep only their subject line;
    the content of the others is encrypted."""
    mails = Mail.objects.filter(kind__in=PERSONAL_MAILS)
    # Their texts are encrypted, so that SQL cannot search them. The kinds keep the number of rows small.
    kept = mails.exclude(status=Mail.Status.SENT).only("pk", "subject", "text", "calendar").iterator(chunk_size=500)
    named = [mail.pk for mail in kept if subject.is_in(mail.subject, mail.text, mail.calendar)]
    sent = mails.filter(mentioning_rows(subject, "subject", names=True)).only("pk", "subject").iterator(chunk_size=500)
    named += [mail.pk for mail in sent if subject.is_in(mail.subject)]
    return Q(kind__in=PERSONAL_MAILS) & (Q(to__in=subject.emails) | Q(pk__in=named))


def _notifications(subject: DataSubject) -> Q:
    """Match notifications that name the subject, such as those with the file of an import."""
    notifications = Notification.objects.filter(mentioning_rows(subject, "text", names=True)).only("pk", "text")
    return Q(
        pk__in=[
            notification.pk
            for notification in notifications.iterator(chunk_size=500)
            if subject.is_in(notification.text)
        ]
    )


def _views(subject: DataSubject) -> Q:
    """Match the views whose name, search or filters contain an address or number of the subject. Names are ignored
    there: a filter may contain a town."""
    views = SavedView.objects.filter(mentioning_rows(subject, "name", "query")).only("pk", "name", "query")
    return Q(pk__in=[view.pk for view in views.iterator(chunk_size=500) if _words(subject, view.name, view.query)])


def _words(subject: DataSubject, *values: Any) -> list[str]:
    """Return the texts among the values, at any depth, that name the subject."""
    texts = []
    for value in values:
        if isinstance(value, str | int):
            texts += [str(value)] if subject.is_in(str(value)) else []
        elif isinstance(value, Mapping):
            texts += _words(subject, *value.values())
        elif isinstance(value, list):
            texts += _words(subject, *value)
    return texts


def _own_words(subject: DataSubject, row: JsonObject) -> JsonObject:
    """Return a view's row with only those texts of its query that name the subject, because others may be in it too."""
    return {**row, "query": _words(subject, row["query"])}


def _named_values(subject: DataSubject, row: JsonObject) -> JsonObject:
    """Replace the keys of custom values by the names of their fields."""
    panel = CustomField.Panel.CONTACT if row["_id"] in subject.contact_ids else CustomField.Panel.LEAD
    names = dict(CustomField.objects.filter(panel=panel, is_system=False).values_list("unique_field_id", "name"))
    return {**row, "custom": {names.get(key, key): value for key, value in row["custom"].items()}}


def _own_sample(subject: DataSubject, row: JsonObject) -> JsonObject:
    """Remove other people's rows from the sample and the first rows."""
    return {
        **row,
        "sample": [cells for cells in row["sample"] if _is_of(subject, cells)],
        "firstRows": [first for first in row["firstRows"] if _is_of(subject, first["cells"])],
    }


def _is_of(subject: DataSubject, cells: Any) -> bool:
    """Return whether cells name the subject, including by a number whose parts are side by side."""
    texts = [str(cell) for cell in (cells if isinstance(cells, list) else [cells]) if cell is not None]
    pairs = (first + second for first, second in pairwise(texts))
    threes = ("".join(texts[place : place + 3]) for place in range(len(texts) - 2))
    return subject.is_in(*texts, *pairs, *threes)


def blank_contacts(subject: DataSubject, rows: QuerySet[Any]) -> int:
    """Keep only the _id of a contact, which counted messages need, and the times of its creation and erasure."""
    now = timezone.now()
    return rows.update(
        **CONTACT.blank,
        **dict.fromkeys(("import_job", "merged_into", "created_by", "updated_by")),
        custom={},
        is_deleted=True,
        deleted_at=now,
        erased_at=now,
        updated_at=now,
    )


def delete_leads(subject: DataSubject, rows: QuerySet[Any]) -> int:
    """Delete leads; a lead of another contact that was merged into one of them loses its pointer."""
    Lead.objects.filter(merged_into__in=subject.lead_ids).update(merged_into=None)
    return delete_rows(subject, rows)


def clean_samples(subject: DataSubject, rows: QuerySet[Import]) -> int:
    """Remove the subject's rows from the samples of imports' files; other people's rows stay.

    The examples of values, which do not name their rows, are removed completely.
    """
    cleaned = 0
    columns = ("sample", "first_rows", "columns", "detected", "headers", "column_mapping", "kept_columns")
    for job in rows.only("pk", "company", *columns):
        kept = {
            "sample": [cells for cells in job.sample if not _is_of(subject, cells)],
            "first_rows": [first for first in job.first_rows if not _is_of(subject, first["cells"])],
            "columns": [{**column, "options": []} for column in job.columns],
            "detected": {**job.detected, "evidence": [], "ambiguous": [], "assumed": []},
        }
        if _is_of(subject, job.headers):  # a row of data that was taken for the headers
            # The file had no header row, so a person's own values became the names of the columns.
            kept |= {"headers": [], "column_mapping": {}, "kept_columns": {}, "columns": []}
        if any(getattr(job, name) != value for name, value in kept.items()):
            cleaned += Import.objects.filter(pk=job.pk).update(**kept)
    return cleaned


def blank_row_errors(subject: DataSubject, rows: QuerySet[ImportRowError]) -> int:
    """Remove the content of the rows; their numbers stay."""
    return rows.update(values=[], message=ERASED, existing_id=None, failed=False)


def clear_event_payloads(subject: DataSubject, rows: QuerySet[Event]) -> int:
    """Clear the payloads of events, and keep their rows."""
    delete_rows(subject, EventDelivery.objects.filter(event__in=rows.values("pk")))
    return rows.update(payload={})


def blank_answers(subject: DataSubject, rows: QuerySet[IdempotencyKey]) -> int:
    """Remove the stored responses of requests: the bodies are encrypted, so the people in them are unknown."""
    return rows.update(answer="")


def erase_merges(subject: DataSubject, rows: QuerySet[Merge]) -> int:
    """Delete the merges of the subject's records. Of shared merges keep ids and earlier versions of others.

    Their later versions may contain values of the subject.
    """
    own = set(_ids(subject))
    merges = rows.values_list("pk", "winner_id", "loser_ids")
    shared = [pk for pk, winner, losers in merges if not own.issuperset({winner, *losers})]
    # The versions after a merge are united ones, and may have the subject's
    # values in another person's record.
    Journal.objects.filter(merge__in=shared).update(after=None)
    blank = Merge.objects.filter(pk__in=shared).update(
        choices={}, moved={}, undo_until=Least("undo_until", Value(timezone.now()))
    )
    return blank + delete_rows(subject, rows.exclude(pk__in=shared))


def blank_bulk_jobs(subject: DataSubject, rows: QuerySet[BulkJob]) -> int:
    """Remove the content of the jobs that have ended; the others end soon."""
    # A job that is under way still needs its selection. It no longer matches erased contacts.
    ended = rows.exclude(status__in=(BulkJob.Status.QUEUED, BulkJob.Status.RUNNING, BulkJob.Status.PAUSED))
    return ended.update(selection={}, change={})
