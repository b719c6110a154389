"""Exports: a list as a file, in the response if it is short, otherwise by a job that stores a File.

The File's row is created with the job and flagged deleted, so that it counts against the plan's limit from the start.
It becomes visible when its content is complete (crm.exports.worker).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, BinaryIO

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.settings.formats import formats_of
from core.access import Actor, AuthPath, check_key, check_session, entitlement, reserve_quota
from core.api.listing import ListRequest
from core.errors import NamedError, shorten
from core.ids import new_id
from core.jobs import notify_workers
from core.lists import BulkSelection, in_batches
from core.tenancy import company_id
from core.types import Values
from crm.exports.columns import Column, choose, columns_of
from crm.exports.formats import FORMATS
from crm.exports.models import Export, ExportPart
from crm.exports.sources import SOURCES, Records, Source, parse
from crm.files.models import File

MAX_ROWS = 10_000
"""The largest number of records in an answer; more need a job."""
OPEN = (Export.Status.QUEUED, Export.Status.RUNNING)
PURGE_BATCH = 1000


def find_source(resource: str) -> Source:
    """Return the source of this name. Raises InvalidInput_400."""
    if resource not in SOURCES:
        raise NamedError(
            "InvalidInput_400", f"one of {', '.join(sorted(SOURCES))}, not {shorten(resource, 60)!r}", field="resource"
        )
    return SOURCES[resource]


def readable_resources(actor: Actor) -> list[str]:
    """Return the lists that the actor may read, and whose exports they may therefore see."""
    return [
        resource
        for resource, source in SOURCES.items()
        if actor.is_unbounded or all(actor.may(module, "GET") for module in source.modules)
    ]


def readable_exports(actor: Actor) -> QuerySet[Export]:
    """Return the exports of lists that the actor may read."""
    return Export.objects.filter(resource__in=readable_resources(actor))


def export_now(
    source: Source, *, actor: Actor, params: Values, names: Sequence[str], format: str, target: BinaryIO
) -> int:
    """Write at most MAX_ROWS records of a list that the actor may read into the target and return their number. Raises
    InvalidRequest_400 for more."""
    listing = source.listing
    columns = choose(columns_of(listing.output, source.panel), names)
    records = Records(listing, params, caller=actor, most=MAX_ROWS)
    if len(records) > MAX_ROWS:
        raise NamedError(
            "InvalidRequest_400",
            f"more than {MAX_ROWS:,} records match; make an export instead",
            operation="POST /export",
        )
    rows = (cells for chunk in records for cells in cells_of(columns, chunk))
    FORMATS[format].write(target, [column.header for column in columns], rows, formats_of(company_id()), None)
    return len(records)


def cells_of(columns: Sequence[Column], chunk: Sequence[Values]) -> Iterator[list[Any]]:
    """Yield the cells of records as their list shows them."""
    return ([column.value(row) for column in columns] for row in chunk)


def file_name(resource: str, format: str) -> str:
    """Return a name such as contact-2026-01-31.csv."""
    return f"{resource.replace('/', '-')}-{timezone.now():%Y-%m-%d}.{format}"


def create_export(*, actor: Actor, resource: str, query: Values, columns: Sequence[str], format: str) -> Export:
    """Create an export of a list, which a worker writes into a file. The actor needs the permissions to read all of it.

    Raises InvalidInput_400, the list's own errors about the query, UnauthorizedAction_403 and PlanLimitExceeded_403.
    """
    source = find_source(resource)
    if actor.auth_path is AuthPath.KEY:
        # The export reads on behalf of its creator, later and without a request,
        # so the permission is checked now.
        check_key(actor, (source.module,), "GET")
    else:
        check_session(actor, entitlement(actor.company_id), source.module, "GET")
    if resource not in readable_resources(actor):
        takes = ", ".join(f"{module}.GET" for module in source.modules)
        raise NamedError("UnauthorizedAction_403", f"a file of all {resource} takes {takes}", field="resource")
    listing = source.listing
    # Wrong parameters are refused to the caller, instead of failing the job when nobody looks.
    listing.rows(ListRequest(query))  # raises what is wrong with the parameters that only this list takes
    choose(columns_of(listing.output, source.panel), columns)
    parse(listing, query)
    with transaction.atomic():
        # Counted when it is asked for, so that many exports at once cannot pass the limit.
        reserve_quota("file")
        file = File.objects.create(
            name=file_name(resource, format),
            size=0,
            mime=FORMATS[format].mime,
            path=new_path(),
            read_module=" ".join(source.modules),
            is_deleted=True,
            created_by_id=actor.member_id,
        )
        export = Export.objects.create(
            resource=resource,
            query=dict(query),
            columns=list(columns),
            format=format,
            file=file,
            created_by_id=actor.member_id,
        )
        notify_workers("export")
    return export


def formats_of_file(resource: str, hashes: Mapping[str, str]) -> dict[str, str]:
    """Return the formats with which a list's export wrote a file with these hashes; empty if none did."""
    exports = Export.objects.filter(resource=resource, file__hashes__sha256=hashes.get("sha256", ""))
    return exports.exclude(formats={}).values_list("formats", flat=True).order_by("-created_at").first() or {}


def new_path() -> str:
    """Return a new path for the content of an export's file."""
    return f"{company_id()}/{new_id()}"


def notify_ended(job: Export) -> None:
    """Delete the parts of the export, and release the quota of one that produced no file, in the transaction that
    ends it."""
    ExportPart.objects.filter(export=job).delete()
    if job.status != Export.Status.COMPLETED and job.file_id:
        _discard_files([job.file_id])


def _discard_files(file_ids: Sequence[str]) -> int:
    """Flag files as deleted, so that a worker removes their contents permanently. Returns their number."""
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
        raise NamedError("InvalidRequest_400", f"an export that is {job.status} cannot be cancelled", field="status")
    return job


def not_found() -> NamedError:
    """Return the error for an id that belongs to no export that the actor may see."""
    return NamedError("NotFound_404", "there is no such export in this company", field="id")


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
    """Remove the contents of the active company's exports, in the caller's transaction; running exports start again.

    Returns the number of files. Erasure calls this: it is unknown whose data the files contain, and they can be created
    again.
    """
    # A worker that is reading right now has the erased person in memory. Without
    # its lease, it cannot commit a part.
    Export.objects.filter(status=Export.Status.RUNNING).update(status=Export.Status.QUEUED, lease=None, worker=None)
    ExportPart.objects.all().delete()
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
