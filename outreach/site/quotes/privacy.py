"""Personal data in quotes."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.utils import timezone

from core.models import Event
from crm.files.models import File
from crm.privacy.registry import (
    DataSubject,
    dangling_rows,
    delete_rows,
    mentioning_rows,
    referring_rows,
    register_personal_data,
)
from crm.privacy.tables import clear_event_payloads
from outreach.site.quotes.models import Quote


def _quoted(subject: DataSubject) -> Q:
    mentions = mentioning_rows(subject, "title", "notes", "terms", "accepted_name", "decline_reason", "lines")
    return referring_rows(Quote, subject) | mentions | dangling_rows(Quote, "lead")


def _events(subject: DataSubject) -> Q:
    return Q(object_id__in=Quote.objects.filter(_quoted(subject)).values("pk"))


def delete_quotes_of(subject: DataSubject, rows: QuerySet[Quote]) -> int:
    """Delete the quotes with their PDFs."""
    now = timezone.now()
    files = File.objects.filter(pk__in=rows.exclude(pdf=None).order_by().values("pdf_id"))
    files.update(is_deleted=True, trashed_at=now, updated_at=now)
    return delete_rows(subject, rows)


def register_tables() -> None:
    """Register the personal data of quotes."""
    register_personal_data("quoteEvents", Event, _events, clear_event_payloads, module="lead", exported=False)
    register_personal_data("quotes", Quote, _quoted, delete_quotes_of, module="lead")
