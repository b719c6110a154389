"""The worker of exports: it reads the records in parts that commit with their progress, then writes the file in one
pass.

A worker that dies, or is stopped by its time limit, loses at most its present part. The next one continues after the
last part. Each attempt to write the file has a new path, so that a killed one leaves no broken file.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.settings.formats import formats_of
from core.errors import ApiError
from core.jobs import LeaseLost, finish, has_due, release, save_progress, update_owned
from core.text.formats import Formats
from crm.exports import parts
from crm.exports.columns import Column, choose, columns_of
from crm.exports.formats import FORMATS
from crm.exports.models import Export
from crm.exports.services import cells_of, file_name, find_source, new_path
from crm.exports.sources import Records
from crm.files import storage as file_storage
from crm.files import stores
from crm.files.models import File
from crm.files.storage import Received

MAX_SLICE_SECONDS = 400.0
"""Seconds after which a worker releases an export to others, well within its task's time limit."""


def run(job: Export, deadline: float) -> None:
    """Work on a claimed export until its file is written, it must stop, or others have waited long enough."""
    latest = monotonic() + MAX_SLICE_SECONDS
    if job.cancel_requested:
        release(job)
        return
    try:
        source = find_source(job.resource)
        columns = choose(columns_of(source.listing.output, source.panel), job.columns)
        headers = [column.header for column in columns]
        # A field may have been renamed since the first parts were read, whose
        # cells would stand under wrong headers.
        ids = parts.ids_of(job) if job.headers == headers else None  # other columns: it begins anew
        records = Records(source.listing, job.query, ids=ids)
    except ApiError as error:
        finish(job, Export.Status.FAILED, error=error.detail, error_detail=str(error))
        return
    if ids is None:
        _begin(job, records, headers)
    if not _read(job, columns, records, deadline, latest) or monotonic() > max(
        deadline, latest - MAX_SLICE_SECONDS / 2
    ):
        release(job)  # stopped, or another turn has more time for the file
        return
    _write(job, headers)


def _begin(job: Export, records: Records, headers: list[str]) -> None:
    # The number and the ids commit together: a resumed export writes the records that it counted.
    with transaction.atomic():
        update_owned(job, total=len(records), processed=0, headers=headers, started_at=job.started_at or timezone.now())
        parts.begin(job, records.ids)


def _read(job: Export, columns: Sequence[Column], records: Records, deadline: float, latest: float) -> bool:
    """Read the rest of the records, part by part. Returns False if the worker must stop before the end."""
    number, done = parts.last_part(job)
    for until, chunk in records.chunks_after(done):
        number += 1
        # Outside of the transaction, which then lasts for one insert only.
        rows = list(cells_of(columns, chunk))
        with transaction.atomic():
            parts.add(job, number, until, rows)
            go_on = save_progress(job, processed=job.processed + len(chunk))
        now = monotonic()
        if not go_on or now > latest or (now > deadline and has_due(Export)):
            return False
    return True


def _write(job: Export, headers: list[str]) -> None:
    """Write the file from the parts, and end the export."""
    file = _choose_place(job)
    try:
        with file_storage.working_folder(f"export-{job.pk}") as folder:
            with closing(Received(file_name(job.resource, job.format), folder)) as received:
                formats = formats_of(job.company_id)
                _fill(job, headers, received, folder, formats)
                stores.save(file, received)
            _complete(job, received, formats)
    except LeaseLost:
        stores.remove(file)  # the next worker writes to a path of its own
        raise


def _choose_place(job: Export) -> File:
    """Choose a new path for this attempt, and remove the content of an earlier attempt. Return the file there.

    If the service has a bucket, the file goes there, because another machine may serve the download.
    """
    storage = File.Storage.SERVICE if settings.FILES_S3["bucket"] else File.Storage.LOCAL
    path = new_path()
    with transaction.atomic():
        # Checks the lease before the path is changed: a former worker must not
        # move the file of the present one.
        update_owned(job)
        file = File.objects.select_for_update(of=("self",)).get(pk=job.file_id)
        File.objects.filter(pk=file.pk).update(path=path, storage=storage, updated_at=timezone.now())
    # The attempt before has left a content that no row names any more.
    if file.path:
        stores.remove(file)
    file.path = path
    file.storage = storage
    return file


def _fill(job: Export, headers: list[str], received: Received, folder: Path, formats: Formats) -> None:
    buffered = io.BufferedWriter(_Sink(received), 1 << 20)
    FORMATS[job.format].write(buffered, headers, parts.rows_of(job), formats, str(folder))
    buffered.flush()
    received.complete()


class _Sink(io.RawIOBase):
    """A binary file that passes everything to a Received, which hashes it."""

    def __init__(self, received: Received) -> None:
        self._received = received

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._received.append(bytes(data))
        return len(data)


def _complete(job: Export, received: Received, formats: Formats) -> None:
    """Finish the job and make its File visible, in one transaction."""
    written = {name: getattr(formats, name) for name in ("date_format", "time_format", "timezone")}
    with transaction.atomic():
        finish(job, Export.Status.COMPLETED, total=job.processed, formats=written)
        File.objects.filter(pk=job.file_id).update(
            is_deleted=False,
            size=received.size,
            hashes=received.hashes,
            created_at=timezone.now(),
            updated_at=timezone.now(),
        )
