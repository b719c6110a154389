"""Storage of contents: on this service's disk, in the service's bucket, or in a bucket of the company.

A new file goes to the company's default bucket, else to its oldest active one. Without one it goes to the service's
bucket, else to the disk. An exported file goes to the service's bucket or the disk.

Each file stores its place and key, so that earlier files stay where they are.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import Any, BinaryIO

from django.conf import settings
from django.utils import timezone

from core import s3
from core.crypto import SecretUnreadable
from core.errors import NamedError
from core.s3 import S3Failed, S3Place
from core.tenancy import company_id
from crm.files import storage as disk
from crm.files.models import Bucket, File
from crm.files.storage import Received


class ContentUnavailable(Exception):
    """The content is unavailable. The text is the reason, for people."""


@dataclass(frozen=True, slots=True)
class Target:
    """The destination of a company's next files."""

    storage: File.Storage
    bucket: Bucket | None
    folder: str

    def columns_for(self, id: str) -> dict[str, object]:
        """Return the columns with the location of a file with this id."""
        return {"storage": self.storage, "bucket": self.bucket, "path": f"{self.folder}{company_id()}/{id}"}

    def lock_bucket(self) -> None:
        """Keep the bucket as it is until the transaction ends, so that a change waits for the rows that refer to it.
        Raises FileUploadFailed_400 when it has changed meanwhile."""
        if self.bucket is None:
            return
        # The target was read without a lock. Between then and now somebody may
        # have changed its address or keys.
        same = Bucket.objects.filter(pk=self.bucket.pk, updated_at=self.bucket.updated_at)
        if same.select_for_update(no_key=True).first() is None:
            raise NamedError("FileUploadFailed_400", "the bucket has just been changed; send it again", field="file")


def next_target() -> Target:
    """Return where the next files of the active company go."""
    # The order is total, so that two uploads at once choose the same bucket.
    bucket = Bucket.objects.filter(is_active=True).order_by("-is_default", "created_at", "id").first()
    if bucket is not None:
        return Target(File.Storage.BUCKET, bucket, f"{bucket.subpath}/" if bucket.subpath else "")
    if settings.FILES_S3["bucket"]:
        return Target(File.Storage.SERVICE, None, "")
    return Target(File.Storage.LOCAL, None, "")


def place_of(file: File, *, to_remove: bool = False) -> S3Place | None:
    """Return the bucket that the content is in; None for this service's disk.

    One that the company has switched off is used only to remove contents. Raises ContentUnavailable.
    """
    if file.storage == File.Storage.LOCAL:
        return None
    if file.storage == File.Storage.SERVICE:
        if not settings.FILES_S3["bucket"]:
            raise ContentUnavailable("the service's bucket is not set up any more")
        return S3Place(**settings.FILES_S3)
    bucket = file.bucket
    # The database guards this as well. Here it is the last gate before bytes
    # of another company would be served.
    if bucket is None or bucket.company_id != file.company_id:
        raise ContentUnavailable("the bucket that it was in is not connected any more")
    if not (bucket.is_active or to_remove):
        raise ContentUnavailable(f"the bucket {bucket.name} that it is in is switched off")
    return bucket_place(bucket)


def bucket_place(bucket: Bucket) -> S3Place:
    """Return a company's bucket with its keys. Raises ContentUnavailable when they were given for another place."""
    try:
        return S3Place(bucket.endpoint, bucket.region, bucket.name, bucket.accesskey, bucket.secretkey)
    except SecretUnreadable:
        raise ContentUnavailable(f"the keys of the bucket {bucket.name} were given for another place") from None


def save(file: File, content: Received) -> None:
    """Store the content of a new file. Raises FileUploadFailed_400."""
    try:
        place = place_of(file)
        if place is None:
            disk.save(file.path, content)
            return
        content.seek(0)
        s3.put(place, file.path, content.file, size=content.size, md5=content.hashes["md5"], mime=file.mime)
    except (S3Failed, ContentUnavailable) as error:
        record_error(file, str(error))
        detail = f"{file.name}: the bucket did not take it. {error}"
        raise NamedError("FileUploadFailed_400", detail, errors=[]) from error


def remove(file: File) -> None:
    """Remove the content, if there is one. Raises S3Failed and ContentUnavailable."""
    place = place_of(file, to_remove=True)
    if place is not None:
        s3.delete(place, file.path)
    elif not disk.remove(file.path):
        raise ContentUnavailable("the disk refuses")


def signed_address(file: File, *, head: bool = False) -> str | None:
    """Return an address of the bucket that saves the content, for five minutes.

    None where browsers don't reach the bucket, so that the content goes through this service. Raises
    FileNotFound_404.
    """
    try:
        place = place_of(file)
        # A bucket in the operator's own network is reached by this service only, and not by browsers.
        if place is None or not s3.is_public(place.host):
            return None
        return s3.signed_address(place, file.path, name=file.name, mime=file.mime, head=head)
    except (S3Failed, ContentUnavailable) as error:
        raise _content_missing(error) from error


def open_content(file: File) -> BinaryIO:
    """Return the whole content as a binary stream. Raises FileNotFound_404."""
    try:
        place = place_of(file)
        if place is None:
            return disk.open_content(file.path)
        # Fetched whole before the first byte is sent: a failure in the middle
        # would break an answer that has begun.
        copy: Any = TemporaryFile(dir=disk.incoming_folder())  # noqa: SIM115  closed with the answer
        try:
            s3.fetch(place, file.path, copy, size=file.size)
        except BaseException:
            copy.close()
            raise
        copy.seek(0)
        return copy  # type: ignore[no-any-return]
    except FileNotFoundError as error:
        raise NamedError("FileNotFound_404", "the file's content is gone from the storage; upload it again") from error
    except (S3Failed, ContentUnavailable) as error:
        raise _content_missing(error) from error


@contextmanager
def local_copy(file: File) -> Iterator[Path]:
    """Open the content as a file of this machine: the disk's own or a temporary copy. Raises OSError, S3Failed and
    ContentUnavailable."""
    place = place_of(file)
    path = disk.local_path(file.path) if place is None else None
    if path is not None:
        yield path
        return
    with NamedTemporaryFile(dir=disk.incoming_folder()) as copy:
        if place is not None:
            s3.fetch(place, file.path, copy, size=file.size)
        else:  # another storage of Django's
            with disk.open_content(file.path) as source:
                shutil.copyfileobj(source, copy, disk.COPY_BYTES)
        copy.flush()
        yield Path(copy.name)


def record_error(file: File, detail: str) -> None:
    """Store the error of the company's bucket for people to see."""
    if file.bucket_id:
        Bucket.objects.filter(pk=file.bucket_id).update(last_error=detail, last_error_at=timezone.now())


def _content_missing(error: Exception) -> NamedError:
    return NamedError("FileNotFound_404", f"the file's content cannot be had: {error}")
