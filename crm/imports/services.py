"""Create imports and change their state. Each change locks the row, so that only one of two concurrent changes wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.db.models import Case, F, Q, QuerySet, Value, When
from django.utils import timezone

from core.access import Actor, is_limited
from core.errors import NamedError, shorten
from core.events import requested_queueing
from core.jobs import notify_workers
from core.lists import BulkSelection, in_batches
from core.types import Values
from crm.contacts.rights import ContactRights
from crm.files.models import File
from crm.imports.columns.column_fields import make_fields
from crm.imports.columns.formats import detect, forget_settings
from crm.imports.columns.mapping import check_mapping, refuse_new_fields
from crm.imports.models import Import
from crm.imports.options import Options
from crm.imports.preview import Preview, is_quick, open_file, read_preview, store_preview
from crm.imports.readers import ReaderError
from crm.imports.types import IMPORT_TYPES
from crm.tags.services import check_tags

PAUSED = Import.Status.PAUSED
QUEUED = Import.Status.QUEUED
RUNNING = Import.Status.RUNNING
UNFINISHED = (PAUSED, QUEUED, RUNNING)
COMPLETED = Import.Status.COMPLETED
FAILED = Import.Status.FAILED
CANCELLED = Import.Status.CANCELLED


def live_imports(import_type: str | None = None) -> QuerySet[Import]:
    """Return the imports that are not deleted, of one type or of all."""
    imports = Import.objects.filter(is_deleted=False)
    return imports if import_type is None else imports.filter(import_type=import_type)


def readable_imports(import_type: str, actor: Actor) -> QuerySet[Import]:
    """Return the imports of a type; everyone who may read its records may see them."""
    return live_imports(import_type)


def set_rights(job: Import, rights: ContactRights) -> None:
    """Store the starter's permissions on contacts in the import."""
    job.may_create_contacts = rights.create
    job.may_change_contacts = rights.change


def imports_to_mend(import_type: str) -> QuerySet[Import]:
    """Return the imports of a type with rows that failed, which can be corrected and written."""
    return live_imports(import_type).filter(failed__gt=0)


def find_import(id: str, import_type: str | None = None, *, deleted: bool = False) -> Import:
    """Return the import with this _id, or else the latest import of the file with this _id; with `deleted`, a deleted
    one where there is no other. Raises ImportNotFound_400."""
    imports = Import.objects.filter(import_type=import_type) if import_type else Import.objects.all()
    job = (
        (imports if deleted else live_imports(import_type))
        .filter(Q(pk=id) | Q(file_id=id))
        # The id of an import goes before that of a file: only the first is unique.
        .order_by(Case(When(pk=id, then=0), default=1), "is_deleted", "-created_at")
        .first()
    )
    if job is None:
        raise NamedError("ImportNotFound_400", "there is no such import in this company", field="id")
    return job


def refuse_files_in_use(ids: Sequence[str]) -> None:
    """Refuse to delete files that unfinished imports read (BadRequest_400)."""
    used = (
        Import.objects.filter(file__in=ids, status__in=UNFINISHED, is_deleted=False)
        .values_list("file_id", "pk")
        .first()
    )
    if used:
        raise NamedError(
            "BadRequest_400",
            f"the file {used[0]} is read by the unfinished import {used[1]}; finish or delete that first",
        )


def create_import(
    *,
    file_id: str,
    files: QuerySet[File],
    member_id: str,
    import_type: str = Import.Type.CONTACT,
    column_mapping: Mapping[str, str] | None = None,
    options: Values | None = None,
    tags: Sequence[str] = (),
    category_id: str | None = None,
    user_enquiry: bool | str | None = None,
    pause: bool = True,
    automation: bool = True,
    rights: ContactRights = ContactRights(),  # noqa: B008  immutable
    may_create_fields: bool = True,
) -> Import:
    """Create an import of one of the files that the member may read; with `pause` it waits for its start.

    An import created in a session obeys the plan's limits. `rights` and `may_create_fields` are the permissions of the
    member who starts it: an import of leads does no more to contacts.

    The request reads the preview of a small file; a worker reads that of any other, and the import is `queued` until
    then. Raises FileNotFound_400, TagNotFound_400, ContactCategoryNotFound_400, InvalidMapping_400, the errors of the
    range and those of the reader.
    """
    file = _usable(files.filter(pk=file_id))
    check_tags(tag_ids=tags, category_ids=[category_id] if category_id else [])
    refuse_new_fields(column_mapping or {}, may_create=may_create_fields)
    job = Import(
        file=file,
        import_type=import_type,
        options=Options().with_values(options or {}).as_json(),
        column_mapping=dict(column_mapping or {}),
        tags=list(tags),
        category_id=category_id,
        automation=automation,
        automation_queued=requested_queueing(),
        limited=is_limited(),
        may_create_contacts=rights.create,
        may_change_contacts=rights.change,
        may_create_fields=may_create_fields,
        status=PAUSED if pause else QUEUED,
        created_by_id=member_id,
        updated_by_id=member_id,
    )
    job.enquiry = user_enquiry
    # Only small files are read within the request, which would otherwise time out.
    if is_quick(file):
        schema = IMPORT_TYPES[import_type].schema.load()
        store_preview(job, preview_file(file, Options.from_stored(job.options)), schema)
        if column_mapping or not pause:
            check_mapping(IMPORT_TYPES[import_type], job.column_mapping, job.headers, schema, complete=not pause)
    else:
        job.status = QUEUED
        job.pause_requested = pause
    with transaction.atomic():
        # The first look was without a lock, so that reading the preview keeps nobody waiting.
        _usable(File.objects.select_for_update().filter(pk=file_id))  # so that nobody clears it from the bin meanwhile
        job.save()
        if job.status == QUEUED and job.header_row is not None:
            make_fields(job)
            job.save(update_fields=["kept_columns", "column_mapping", "detected"])
        if job.status == QUEUED:
            notify_workers("import")
    return job


def preview_file(file: File, options: Options) -> Preview:
    """Read the file once for the preview; problems become named messages."""
    try:
        with open_file(file, options) as table:
            return read_preview(table)
    except ReaderError as error:
        raise NamedError(error.code, error.message, field=error.field) from error


def _usable(files: QuerySet[File]) -> File:
    file = files.filter(is_deleted=False, trashed_at=None).first()
    if file is None:
        raise NamedError(
            "FileNotFound_400",
            "there is no such file in this company; upload it first, or take it out of the bin",
            field="fileId",
        )
    return file


def update_import(
    *,
    import_id: str,
    member_id: str | None,
    changes: Values,
    import_type: str | None = None,
    rights: ContactRights | None = None,
    may_create_fields: bool | None = None,
) -> Import:
    """Change and start a paused or failed import, or pause, resume or cancel one.

    `changes`: column_mapping, options, tags, category, user_enquiry, status (running, paused, cancelled), and
    pause_import for the status paused. Without a status the import starts, with `rights` and `may_create_fields` of the
    member who starts it (None: as before).
    """
    seen = find_import(import_id, import_type)
    if changes.get("status", "running") not in _MOVES:
        raise NamedError(
            "InvalidImportStatus_400", f"one of {', '.join(_MOVES)}, not {shorten(changes['status'])!r}", field="status"
        )
    edits = {name: value for name, value in changes.items() if name not in ("status", "pause_import")}
    status = changes.get("status") or (PAUSED if changes.get("pause_import") else RUNNING).value
    check_tags(tag_ids=edits.get("tags") or (), category_ids=[edits["category"]] if edits.get("category") else [])
    refuse_new_fields(edits.get("column_mapping") or {}, may_create=may_create_fields is not False)
    options = Options.from_stored(seen.options).with_values(edits.get("options") or {})
    reread = not options.reads_same_rows(Options.from_stored(seen.options)) and seen.next_row == 0
    fresh = preview_file(seen.file, options) if reread and is_quick(seen.file) else None
    # The file was parsed before, since parsing under the lock would block the worker.
    with transaction.atomic():
        job = Import.objects.select_for_update(of=("self",)).select_related("file").get(pk=seen.pk)
        if edits:
            _check_editable(job, seen, options)
            _edit(job, edits, options, fresh, reread=reread)
        job.updated_by_id = member_id
        if status == RUNNING and rights is not None:
            set_rights(job, rights)
        if status == RUNNING and may_create_fields is not None:
            job.may_create_fields = may_create_fields
        _MOVES[status](job, edited=bool(edits))
        job.save()
        if job.status == QUEUED:
            notify_workers("import")
    return job


def _check_editable(job: Import, seen: Import, options: Options) -> None:
    """Refuse to change options that a worker is about to read."""
    if job.status in (QUEUED, RUNNING):
        raise NamedError(
            "ImportAlreadyRunning_400", "pause the import first; it can be changed once its status is paused"
        )
    if job.status not in (PAUSED, FAILED):
        raise NamedError("InvalidImportStatus_400", f"the import is {job.status} and cannot be changed any more")
    # The preview was read by the options of the first look, outside of the lock. Others would not fit to it.
    if job.options != seen.options:
        raise NamedError(
            "InvalidRequest_400",
            "somebody else changed them just now; look at the import and try again",
            field="options",
        )
    old = Options.from_stored(job.options)
    # Rows are counted by their place in the file, which another header row or sheet would shift.
    if job.next_row and (options.row_from != old.row_from or not options.reads_same_rows(old)):
        raise NamedError(
            "InvalidRequest_400",
            "rowFrom, headerRow, delimiter, encoding and sheet are fixed once rows have been imported",
            field="options",
        )


def _edit(job: Import, edits: Values, options: Options, fresh: Preview | None, *, reread: bool) -> None:
    job.options = options.as_json()
    if reread:
        job.column_mapping = {}
        job.header_row = None
        job.headers = []
        job.sample = []
        job.first_rows = []
        job.detected = {}
        job.columns = []
        job.kept_columns = {}
    if edits.get("column_mapping"):
        job.column_mapping = dict(edits["column_mapping"])
        job.detected = {**job.detected, "isProposed": False}
    if "tags" in edits:
        job.tags = list(edits["tags"] or ())
    if "category" in edits:
        job.category_id = edits["category"]
    if "user_enquiry" in edits:
        job.enquiry = edits["user_enquiry"]
    if fresh is not None:
        store_preview(job, fresh, IMPORT_TYPES[job.import_type].schema.load())
    elif job.header_row is not None:
        job.total = options.total(header_row=job.header_row, last_row=job.last_row or 0, row_count=job.row_count or 0)
    if "column_mapping" in edits and job.header_row is not None:
        _check_mapping(job, complete=False)
    if "options" in edits:
        forget_settings(job)
    if fresh is None and job.header_row is not None:
        detect(job, IMPORT_TYPES[job.import_type].schema.load())


def _check_mapping(job: Import, *, complete: bool) -> None:
    kind = IMPORT_TYPES[job.import_type]
    check_mapping(kind, job.column_mapping, job.headers, kind.schema.load(), complete=complete)


def _start(job: Import, *, edited: bool) -> None:
    # The worker has not seen the request to pause yet, so that taking it back is all it needs.
    if job.status in (QUEUED, RUNNING) and job.pause_requested and not job.cancel_requested:
        job.pause_requested = False
        return
    if job.status in (QUEUED, RUNNING):
        raise NamedError("ImportAlreadyRunning_400", f"the import is {job.status} already", field="status")
    if job.status not in (PAUSED, FAILED):
        raise NamedError("InvalidImportStatus_400", f"an import that is {job.status} cannot be started", field="status")
    # The file may have gone to the bin since the import was created.
    _usable(File.objects.filter(pk=job.file_id))
    if job.header_row is not None:
        try:
            _check_mapping(job, complete=True)
            detect(job, IMPORT_TYPES[job.import_type].schema.load())  # fields may have changed
        except NamedError as error:
            hint = "; pauseImport true changes the import without starting it" if edited else ""
            raise NamedError(error.name, error.reason + hint, field=error.fields, operation=error.operation) from None
        make_fields(job)
    job.status = QUEUED
    job.due_at = timezone.now()
    # A new lease is drawn by the next claim. One that a killed worker left must not fence it.
    job.lease = None
    job.worker = None
    job.attempts = job.deaths = 0
    job.pause_requested = False
    job.finished_at = None
    job.error = ""
    job.error_detail = ""


def _pause(job: Import, *, edited: bool) -> None:
    if job.status == PAUSED or (job.status in (QUEUED, RUNNING) and job.pause_requested):
        if not edited:
            raise NamedError("ImportAlreadyPaused_400", "the import is paused already", field="status")
    elif job.status == QUEUED and job.header_row is not None:
        # Without a header row, a worker has yet to read the preview. It pauses the import when it has.
        job.status = PAUSED
    elif job.status in (QUEUED, RUNNING) and not job.cancel_requested:
        job.pause_requested = True  # the worker stops after its current batch
    elif job.status != FAILED or not edited:
        raise NamedError("InvalidImportStatus_400", f"an import that is {job.status} cannot be paused", field="status")


def _cancel(job: Import, *, edited: bool) -> None:
    if job.status in (PAUSED, QUEUED):
        job.status = CANCELLED
        job.pause_requested = False
        job.finished_at = timezone.now()
    elif job.status == RUNNING and not job.cancel_requested:
        job.cancel_requested = True
    else:
        raise NamedError(
            "InvalidImportStatus_400", f"an import that is {job.status} cannot be cancelled", field="status"
        )


_MOVES = {RUNNING.value: _start, PAUSED.value: _pause, CANCELLED.value: _cancel}


def delete_imports(*, selection: BulkSelection, member_id: str, import_type: str) -> int:
    """Delete the selected imports of a type, but not their records; an import at work stops after its batch. An id may
    be that of an import's file. Returns their number."""
    count, now = 0, timezone.now()
    with transaction.atomic():
        # A running import is only asked to stop: its worker commits the batch that it
        # is at, so that its counts are true.
        for ids in in_batches(_select_imports(selection, live_imports(import_type)), lock=True):
            waiting, working = Q(status__in=(PAUSED, QUEUED)), Q(status=RUNNING)
            count += Import.objects.filter(pk__in=ids).update(
                is_deleted=True,
                cancel_requested=Case(When(working, then=Value(True)), default=F("cancel_requested")),
                finished_at=Case(When(waiting, then=Value(now)), default=F("finished_at")),
                status=Case(When(waiting, then=Value(CANCELLED.value)), default=F("status")),
                updated_by_id=member_id,
                updated_at=now,
            )
    return count


def _select_imports(selection: BulkSelection, imports: QuerySet[Import]) -> QuerySet[Import]:
    """Return the selected ones of the imports. The id of a file selects its latest import, as in find_import."""
    left_out = selection.raw["nids"]
    if selection.everything:
        return selection.apply(imports).exclude(file_id__in=left_out)
    ids = set(selection.raw["ids"])
    named, latest = set(), {}
    for id, file in (
        imports.filter(Q(pk__in=ids) | Q(file_id__in=ids)).order_by("created_at", "pk").values_list("pk", "file_id")
    ):
        if id in ids:
            named.add(id)
        if file in ids:
            latest[file] = id
    return imports.filter(pk__in=named.union(latest.values())).exclude(Q(pk__in=left_out) | Q(file_id__in=left_out))
