"""Files: uploads, the recycle bin, and signed links that open a file."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from datetime import timedelta
from urllib.parse import quote

from django.conf import settings
from django.core.signing import BadSignature, TimestampSigner
from django.db import transaction
from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from billing.subscriptions.selectors import lapsed_since
from core.access import PLAN_LIMIT, refuse_over_quota, reserve_quota
from core.access.quota import lock_company
from core.errors import NamedError, shorten
from core.hooks import Hook
from core.ids import new_id
from core.jobs import notify_workers
from core.lists import BulkSelection, in_batches
from core.tenancy import unscoped
from crm.files.mime import detect_type
from crm.files.models import File
from crm.files.storage import Received
from crm.files.stores import Target, next_target, save

MAX_NAME = 255
LAPSED_FILES, LAPSED_BYTES = 20, 50 << 20
"""Uploads allowed without a subscription, for proof of payment."""
LINK_SECONDS = 7 * 24 * 3600
REMOVAL_DELAY = timedelta(minutes=10)
"""A bucket may still write after its response timed out; such content is removed after this time."""
before_files_cleared: Hook[[Sequence[str]], None] = Hook(
    __name__,
    "before_files_cleared",
    "Before files (ids) are deleted permanently, in that transaction. Raises the reason why they cannot be.",
)

_signer = TimestampSigner(salt="crm.files", sep=".")


def clean_name(name: str) -> str:
    """Return the name without folders, control characters and text-direction overrides, at most 255 characters, with
    its extension."""
    # macOS sends letters and their accents apart (NFD), which no search for the name would find.
    name = unicodedata.normalize("NFC", name.replace("\\", "/").rpartition("/")[2])
    # A character that overrides the direction can make an .exe look like a .jpg.
    name = "".join(character for character in name if character.isprintable()).strip().strip(".").strip()
    if len(name) > MAX_NAME:
        stem, dot, ending = name.rpartition(".")
        name = stem[: MAX_NAME - 20] + dot + ending if dot and len(ending) < 20 else name[:MAX_NAME]
    return name or "file"


def store_uploads(
    *,
    uploads: Sequence[Received],
    member_id: str,
    read_module: str = "",
    and_then: Callable[[list[File]], None] | None = None,
) -> list[File]:
    """Store the uploads, all or none. With `read_module` only members who may read that module see them.

    `and_then` runs in the transaction that completes them. If it raises, they count as incomplete uploads, and a worker
    removes them.

    Each file gets a row that is flagged deleted before its content is written, so that the worker finds and removes the
    leftovers of a crash. The flag is removed when all contents are stored. Raises NoFile_400, EmptyFile_400,
    UnsupportedFileType_400, PlanLimitExceeded_403 and FileUploadFailed_400.
    """
    if not uploads:
        raise NamedError(
            "NoFile_400",
            "send multipart/form-data with one or more parts named file, each with a file name",
            field="file",
        )
    target = next_target()
    files = [_describe(upload, member_id, target) for upload in uploads]
    for file in files:
        file.read_module = read_module
    # The limit is checked by a lock that ends with this transaction, so the rows belong to it.
    with transaction.atomic():
        reserve_quota("file", len(files))
        _refuse_lapsed(files)
        # In the transaction that inserts the rows: a member who changes the bucket
        # sees its files, or waits for them.
        target.lock_bucket()
        File.objects.bulk_create(files)
    ids = [file.pk for file in files]
    try:
        for file, upload in zip(files, uploads, strict=True):
            save(file, upload)
    except NamedError:
        now = timezone.now()
        # A bucket may store a file after its answer was lost. Removed too early,
        # the content would stay there for ever.
        late = None if target.storage == File.Storage.LOCAL else now + REMOVAL_DELAY
        File.objects.filter(pk__in=ids).update(trashed_at=now, remove_at=late)
        notify_workers("files")
        raise
    # The content is complete: only now do the rows become visible, with what refers to them.
    with transaction.atomic():
        File.objects.filter(pk__in=ids).update(is_deleted=False, updated_at=timezone.now())
        if and_then is not None:
            and_then(files)
    return files


def _refuse_lapsed(files: Sequence[File]) -> None:
    """Limit lapsed companies to proofs of payment. Raises PlanLimitExceeded_403.

    Without a subscription there is no plan, whose limits would count.
    """
    since = lapsed_since()
    if since is None:
        return
    # Otherwise uploads at the same time would each see room for one more.
    lock_company("lapsed-uploads")
    totals = File.objects.filter(created_at__gte=since).aggregate(number=Count("pk"), size=Sum("size"))
    size = (totals["size"] or 0) + sum(file.size for file in files)
    if totals["number"] + len(files) > LAPSED_FILES or size > LAPSED_BYTES:
        raise NamedError(
            PLAN_LIMIT,
            f"without a subscription at most {LAPSED_FILES} files of {LAPSED_BYTES >> 20} MB in all",
            field="file",
        )


def _describe(upload: Received, member_id: str, target: Target) -> File:
    name = clean_name(upload.name or "")
    if not upload.size:
        raise NamedError("EmptyFile_400", f"{shorten(name)} has no content", field="file")
    mime = detect_type(upload.file, name)
    if mime is None:
        raise NamedError(
            "UnsupportedFileType_400",
            f"the content of {shorten(name)} is of none of the allowed types (images, PDF, office documents"
            " without macros, text, email, zip, audio and video); what it is called does not matter",
            field="file",
        )
    pk = new_id()
    return File(
        id=pk,
        name=name,
        size=upload.size,
        mime=mime,
        hashes=upload.hashes,
        is_deleted=True,
        created_by_id=member_id,
        **target.columns_for(pk),
    )


@transaction.atomic
def rename_file(*, file: QuerySet[File], name: str) -> File:
    """Rename the file of the queryset, which keeps its ending where the new name has none. Raises FileNotFound_404."""
    record = kept_files(file).select_for_update(of=("self",)).first()
    if record is None:
        raise not_found()
    name = clean_name(name)
    ending = record.name.rpartition(".")[2] if "." in record.name else ""
    record.name = name if "." in name or not ending else clean_name(f"{name}.{ending}")
    record.save(update_fields=["name", "updated_at"])
    return record


def kept_files(files: QuerySet[File]) -> QuerySet[File]:
    """Select the files that are not in the recycle bin."""
    return files.filter(trashed_at=None)


def trashed_files(files: QuerySet[File]) -> QuerySet[File]:
    """Select the files that are in the recycle bin."""
    return files.filter(trashed_at__isnull=False)


def not_found() -> NamedError:
    """Return the error for an id that belongs to no file that the actor may read."""
    return NamedError("FileNotFound_404", "there is no such file in this company", field="id")


def trash_files(*, files: QuerySet[File], selection: BulkSelection, member_id: str) -> int:
    """Move the selected ones of the files to the recycle bin. Returns their number."""
    count, now = 0, timezone.now()
    with transaction.atomic():
        for ids in in_batches(selection.apply(kept_files(files)), lock=True):
            count += File.objects.filter(pk__in=ids).update(trashed_at=now, trashed_by_id=member_id, updated_at=now)
    return count


def restore_files(*, files: QuerySet[File], selection: BulkSelection) -> int:
    """Take the selected ones of the files out of the recycle bin. Returns their number.

    They have counted against the plan all along. Raises PlanLimitExceeded_403 if the company has more files than its
    plan allows by now.
    """
    count, now = 0, timezone.now()
    with transaction.atomic():
        refuse_over_quota("file")
        for ids in in_batches(selection.apply(trashed_files(files)), lock=True):
            count += File.objects.filter(pk__in=ids).update(trashed_at=None, trashed_by=None, updated_at=now)
    if not count and not selection.everything:
        raise NamedError("FileNotFound_400", "none of them is a file in this company's recycle bin", field="ids")
    return count


def clear_bin(*, files: QuerySet[File], selection: BulkSelection) -> int:
    """Delete the selected ones of the files from the recycle bin permanently. Returns their number.

    A worker removes their contents after the commit. Raises BadRequest_400 if something still reads one of them.
    """
    count, now = 0, timezone.now()
    with transaction.atomic():
        for ids in in_batches(selection.apply(trashed_files(files)), lock=True):
            # Imports and other readers of files are in higher domains, which listen
            # instead of being imported.
            before_files_cleared.send(ids)
            count += File.objects.filter(pk__in=ids).update(is_deleted=True, updated_at=now)
        notify_workers("files")
    return count


def open_link(file_id: str, name: str) -> str:
    """Return an address that opens the file without login for seven days."""
    _, _, signature = _signer.sign(file_id).partition(".")
    return f"{settings.BASE_URL}/files/{file_id}/{signature}/{quote(name, safe='')}"


def linked_file(*, file_id: str, signature: str) -> File | None:
    """Return the file of a link; None if the link is forged or expired, or the file has been trashed since."""
    try:
        # The time is part of the signature, so that no table of links is needed.
        _signer.unsign(f"{file_id}.{signature}", max_age=LINK_SECONDS)
    except BadSignature:
        return None
    with unscoped(reason="a signed link to one file, whose signature was checked"):
        files = File.objects.select_related("bucket")
        return files.filter(Q(pk=file_id), is_deleted=False, trashed_at=None).first()
