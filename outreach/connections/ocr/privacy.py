"""Personal data in scans of cards, and in their pictures."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils import timezone

from core.jobs import notify_workers
from crm.files.models import File
from crm.privacy.registry import DataSubject, delete_rows, mentioning_rows, register_personal_data
from outreach.connections.ocr.models import CardScan


def delete_scans(subject: DataSubject, rows: QuerySet[CardScan]) -> int:
    """Delete the scans with their pictures, which show the person."""
    now = timezone.now()
    pictures = File.objects.filter(pk__in=list(rows.values_list("file_id", flat=True)), is_deleted=False)
    pictures.update(name="", hashes={}, is_deleted=True, trashed_at=now, updated_at=now)
    notify_workers("files")
    return delete_rows(subject, rows)


def register_tables() -> None:
    """Register the personal data of scans."""
    register_personal_data(
        "cardScans",
        CardScan,
        lambda subject: mentioning_rows(subject, "lines", "fields", names=True),
        delete_scans,
        adds=("file__name", "file__size", "file__mime"),
    )
