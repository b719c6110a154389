"""Exports: a list as a file, in the answer if it is short, otherwise by a job that stores a File.

The File's row is created with the job and flagged deleted, so that it counts against the plan's limit from the start;
it becomes visible when its content is complete. Each attempt writes to a new path: a killed worker leaves nothing
behind, and the next one starts again.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.settings.formats import formats_of
from core.access import Actor, AuthPath, check_key, check_session, entitlement, reserve_quota
from core.api.listing import ListRequest
from core.errors import ApiError, NamedError, shorten
from core.ids import new_id
from core.jobs import LeaseLost, checkpoint, finish, notify_workers, release, update_owned
from core.lists import BulkSelection, in_batches
from core.tenancy import company_id
from crm.exports.columns import Column, choose, columns_of
from crm.exports.formats import FORMATS
from crm.exports.models import Export
from crm.exports.sources import SOURCES, Records, Source, parse
from crm.files import storage as file_storage
from crm.files.models import File
from crm.files.storage import Received

AT_ONCE = 10_000
"""The largest number of records in an answer; more need a job."""
OPEN = (Export.Status.QUEUED, Export.Status.RUNNING)
PURGE_BATCH = 1000


def find_source(resource: str) -> Source:
    """Return the source of this name. Raises InvalidInput_400."""
    if resource not in SOURCES:
        raise NamedError(
            "InvalidInput_400", f"resource: one of {', '.join(sorted(SOURCES))}, not {shorten(resource, 60)!r}"
        )
    return SOURCES[resource]


def readable_resources(actor: Actor) -> list[str]:
    """Return the lists that the actor may read, and whose exports they may therefore see."""
    return [resource for resource, source in SOURCES.items() if actor.is_unbounded or actor.may(source.module, "GET")]


def export_now(
    source: Source, *, params: Mapping[str, Any], names: Sequence[str], format: str, target: BinaryIO
) -> int:
    """Write at most AT_ONCE records of a list into the target and return their number. Raises InvalidRequest_400 for
    more."""
    listing = source.listing
    columns = choose(columns_of(listing.output, source.panel), names)
    records = Records(listing, params, most=AT_ONCE)
    if len(records) > AT_ONCE:
        raise NamedError(
            "InvalidRequest_400", f"more than {AT_ONCE:,} records match; POST /export makes a file of any number"
        )
    rows = (cells for chunk in records for cells in _cells(columns, chunk))
    FORMATS[format].write(target, [column.header for column in columns], rows, formats_of(company_id()), None)
    return len(records)


def _cells(columns: Sequence[Column], chunk: Sequence[Mapping[str, Any]]) -> Iterator[list[Any]]:
    return ([column.value(row) for column in columns] for row in chunk)


def file_name(resource: str, format: str) -> str:
    """Return a name such as contact-2026-01-31.csv."""
    return f"{resource.replace('/', '-')}-{timezone.now():%Y-%m-%d}.{format}"


def create_export(
    *, actor: Actor, resource: str, query: Mapping[str, Any], columns: Sequence[str], format: str
) -> Export:
    """Create an export of a list, which a worker writes into a file. The actor needs the permission to read the list.

    Raises InvalidInput_400, the list's own errors about the query, UnauthorizedAction_403 and PlanLimitExceeded_403.
    """
    source = find_source(resource)
    if actor.auth_path is AuthPath.KEY:
        check_key(actor, (source.module,), "GET")
    else:
        check_session(actor, entitlement(actor.company_id), source.module, "GET")
    listing = source.listing
    listing.rows(ListRequest(query))  # raises what is wrong with the parameters that only this list takes
    choose(columns_of(listing.output, source.panel), columns)
    parse(listing, query)
    with transaction.atomic():
        reserve_quota("file")
        file = File.objects.create(
            name=file_name(resource, format),
            size=0,
            mime=FORMATS[format].mime,
            path=_new_path(),
            read_module=source.module,
            is_deleted=True,
            created_by_id=actor.member_id,
        )
        made = Export.objects.create(
            resource=resource,
            query=dict(query),
            columns=list(columns),
            format=format,
            file=file,
            created_by_id=actor.member_id,
        )
        notify_workers("export")
    return made


def _new_path() -> str:
    return f"{company_id()}/{new_id()}"


def run(job: Export, deadline: float) -> None:
    """Write a claimed export in one pass. An export cannot be resumed: after a worker dies, the next one starts
    again."""
    if job.cancel_requested:
        release(job)
        return
    try:
        source = find_source(job.resource)
        listing = source.listing
        columns = choose(columns_of(listing.output, source.panel), job.columns)
        records = Records(listing, job.query)
    except ApiError as error:
        finish(job, Export.Status.FAILED, error=error.detail, error_detail=str(error))
        return
    path = _begin(job, len(records))
    try:
        with file_storage.working_folder(f"export-{job.pk}") as folder:
            with closing(Received(file_name(job.resource, job.format), folder)) as received:
                if not _write(job, columns, records, received, folder):
                    release(job)
                    return
                file_storage.save(path, received)
            _complete(job, received)
    except LeaseLost:
        file_storage.remove(path)  # the next worker writes to a path of its own
        raise


def _begin(job: Export, total: int) -> str:
    """Choose a new path for this attempt, and remove what an earlier attempt has stored."""
    path = _new_path()
    with transaction.atomic():
        update_owned(job, total=total, processed=0, started_at=job.started_at or timezone.now())
        file = File.objects.select_for_update(of=("self",)).get(pk=job.file_id)
        File.objects.filter(pk=file.pk).update(path=path, updated_at=timezone.now())
    if file.path:
        file_storage.remove(file.path)
    return path


class _Stopped(Exception):
    """A request to stop the export."""


def _write(job: Export, columns: Sequence[Column], records: Records, received: Received, folder: Path) -> bool:
    """Write the file and save the progress after each chunk. Returns False if the export must stop."""

    def rows() -> Iterator[list[Any]]:
        for chunk in records:
            yield from _cells(columns, chunk)
            if not checkpoint(job, processed=job.processed + len(chunk)):
                raise _Stopped

    buffered = io.BufferedWriter(_Sink(received), 1 << 20)
    try:
        FORMATS[job.format].write(
            buffered, [column.header for column in columns], rows(), formats_of(job.company_id), str(folder)
        )
    except _Stopped:
        return False
    buffered.flush()
    received.complete()
    return True


class _Sink(io.RawIOBase):
    """A binary file that passes everything to a Received, which hashes it."""

    def __init__(self, received: Received) -> None:
        self._received = received

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._received.append(bytes(data))
        return len(data)


def _complete(job: Export, received: Received) -> None:
    """Finish the job and make its File visible, in one transaction."""
    with transaction.atomic():
        finish(job, Export.Status.COMPLETED, total=job.processed)
        File.objects.filter(pk=job.file_id).update(
            is_deleted=False,
            size=received.size,
            hashes=received.hashes,
            created_at=timezone.now(),
            updated_at=timezone.now(),
        )


def notify_ended(job: Export) -> None:
    """Release the quota of an export that produced no file, in the transaction that ends it."""
    if job.status != Export.Status.COMPLETED and job.file_id:
        _discard_files([job.file_id])


def _discard_files(file_ids: Sequence[str]) -> int:
    """Flag files as deleted, so that a worker removes their contents for good. Returns their number."""
    now = timezone.now()
    discarded = File.objects.filter(pk__in=file_ids).update(is_deleted=True, trashed_at=now, updated_at=now)
    notify_workers("files")
    return discarded


@transaction.atomic
def cancel_export(export: QuerySet[Export]) -> Export:
    """Cancel the export of the queryset. Raises NotFound_404, and InvalidRequest_400 for an export that has ended."""
    job = export.select_for_update(of=("self",)).first()
    if job is None:
        raise not_found()
    if job.status == Export.Status.QUEUED:
        Export.objects.filter(pk=job.pk).update(
            status=Export.Status.CANCELLED, finished_at=timezone.now(), updated_at=timezone.now()
        )
        job.status = Export.Status.CANCELLED
        notify_ended(job)
    elif job.status == Export.Status.RUNNING:
        Export.objects.filter(pk=job.pk).update(cancel_requested=True, updated_at=timezone.now())
    else:
        raise NamedError("InvalidRequest_400", f"status: an export that is {job.status} cannot be cancelled")
    return job


def not_found() -> NamedError:
    """Return the error for an id that belongs to no export that the actor may see."""
    return NamedError("NotFound_404", "id: there is no such export in this company")


def delete_exports(*, exports: QuerySet[Export], selection: BulkSelection, member_id: str) -> int:
    """Delete the selected exports; those at work stop, and their files go to the recycle bin. Raises NotFound_404 if
    ids select none."""
    deleted, now = 0, timezone.now()
    with transaction.atomic():
        for ids in in_batches(selection.apply(exports), lock=True):
            rows = Export.objects.filter(pk__in=ids)
            _discard_files(
                list(rows.exclude(status=Export.Status.COMPLETED).exclude(file=None).values_list("file_id", flat=True))
            )
            done = File.objects.filter(pk__in=rows.values("file_id"), is_deleted=False, trashed_at=None)
            done.update(trashed_at=now, trashed_by_id=member_id, updated_at=now)
            rows.delete()
            deleted += len(ids)
    if not deleted and not selection.everything:
        raise not_found()
    return deleted


def discard_exports() -> int:
    """Remove the contents of the active company's exports, in the caller's transaction; exports at work start again.
    Returns the number of files.

    Erasure calls this: nobody knows whose data the files contain, and they can be made again.
    """
    Export.objects.filter(status=Export.Status.RUNNING).update(status=Export.Status.QUEUED, lease=None, worker=None)
    ended = Export.objects.exclude(status__in=OPEN)
    discarded = _discard_files(
        list(File.objects.filter(pk__in=ended.values("file_id")).exclude(path="").values_list("pk", flat=True))
    )
    ended.delete()
    return discarded


def purge_exports() -> bool:
    """Delete one batch of exports that ended more than EXPORT_DAYS ago, with their files. Returns whether there may be
    more."""
    old = Q(finished_at__lt=timezone.now() - timedelta(days=settings.EXPORT_DAYS))
    rows = list(
        Export.objects.filter(old).exclude(status__in=OPEN).order_by("pk").values_list("pk", "file_id")[:PURGE_BATCH]
    )
    _discard_files([file for _, file in rows if file])
    Export.objects.filter(pk__in=[pk for pk, _ in rows]).delete()
    return len(rows) == PURGE_BATCH
