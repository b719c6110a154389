"""The work of scans: in the queue of long work, and their rows go with their files."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import JobWork, PeriodicTask, register
from outreach.connections.ocr.models import CardScan
from outreach.connections.ocr.worker import run

BATCH = 1000


def delete_scans_of_deleted_files() -> bool:
    """Delete the scans whose pictures were permanently deleted, at most BATCH. Returns whether there may be more."""
    ids = list(CardScan.objects.filter(file__is_deleted=True).values_list("pk", flat=True)[:BATCH])
    CardScan.objects.filter(pk__in=ids).delete()
    return len(ids) == BATCH


register(JobWork("card-scan", run, model=CardScan, queue="bulk", task="outreach.scan_cards"))
register(PeriodicTask("card-scans", delete_scans_of_deleted_files, every=timedelta(hours=1)))
