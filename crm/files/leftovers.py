"""Contents that nobody needs: those of cleared files and of uploads that did not end. A worker removes them."""

from __future__ import annotations

import logging
from datetime import timedelta
from time import monotonic

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from core.jobs.registry import Moment
from core.removals import removals
from core.s3 import S3Failed
from core.tenancy import unscoped
from crm.files.models import File
from crm.files.storage import ABANDONED
from crm.files.stores import ContentUnavailable, record_error, remove

log = logging.getLogger(__name__)

SWEEP_BATCH = 100
MAX_WAIT = timedelta(days=1)
"""Between two attempts to remove contents from a bucket that refuses."""


def leftovers(now: Moment) -> Q:
    """Match the rows whose content must be removed: files cleared from the bin and unfinished uploads."""
    ended = Q(trashed_at__isnull=False) | Q(created_at__lt=now - ABANDONED)
    return Q(is_deleted=True) & ~Q(path="") & ended & (Q(remove_at=None) | Q(remove_at__lte=now))


def files_to_remove(now: Moment) -> list[QuerySet[File]]:
    """Return the files whose content must be removed."""
    return [File.objects.filter(leftovers(now))]


def remove_leftovers(deadline: float) -> int:
    """Remove contents until none is left or the deadline (of monotonic()) passes. Returns the number removed. Safe to
    run twice.

    A bucket that refuses is tried again later, at last once a day, and does not keep the others waiting.
    """
    removed = 0
    with unscoped(reason="worker: removes the contents of cleared files of all companies"):
        while monotonic() < deadline:
            with removals() as may:
                if not may:
                    break  # a backup copies the files; the tick begins again
                rows = list(File.objects.filter(leftovers(timezone.now())).select_related("bucket")[:SWEEP_BATCH])
                removed += _remove(rows, deadline)
            if len(rows) < SWEEP_BATCH:
                break
    return removed


def _remove(rows: list[File], deadline: float) -> int:
    done, refusing = [], set[tuple[str, str | None]]()
    for file in rows:
        store = (file.storage, file.bucket_id)
        if store in refusing or monotonic() > deadline:
            continue
        try:
            remove(file)
        except (S3Failed, ContentUnavailable) as error:
            log.warning("the content of file %s cannot be removed: %s", file.pk, error)
            record_error(file, f"Files that were deleted cannot be removed from it. {error}")
            _postpone(file)
            if file.storage != File.Storage.LOCAL:  # what one refuses says nothing about the disk's others
                refusing.add(store)
        else:
            done.append(file.pk)
    File.objects.filter(pk__in=done).update(path="", bucket=None)
    return len(done)


def _postpone(file: File) -> None:
    """Try this content, and the others in the same bucket, again after a while."""
    same = Q(pk=file.pk)
    if file.storage != File.Storage.LOCAL:
        same |= leftovers(timezone.now()) & Q(storage=file.storage, bucket=file.bucket_id)
    wait = min(MAX_WAIT, timedelta(minutes=2 ** min(file.removals, 12)))
    File.objects.filter(same).update(remove_at=timezone.now() + wait, removals=F("removals") + 1)
