"""Connected buckets: verified by writing, changed, tested, deleted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from django.db import transaction
from django.utils import timezone

from core import s3
from core.access import reserve_quota
from core.errors import NamedError, ValidationFailed
from core.ids import new_id
from core.outbound import OutboundRefused, checked_address
from core.s3 import S3Failed
from core.tenancy import company_id
from core.types import JsonObject
from crm.files.models import Bucket, File
from crm.files.stores import ContentUnavailable, bucket_place
from outreach.connections.connected_apps.registry import CONNECTED_APPS, MODULE
from outreach.connections.connected_apps.turns import connection_test_slot

NOT_FOUND = "AppNotFound_400"
REFUSED = "InvalidCredentials_400"
DOWN = "FileUploadFailed_400"
"""The error of a storage that is down, which says nothing about the settings."""
KEYS = ("accesskey", "secretkey")
PLACE = ("endpoint", "name")
"""Fields that locate the files: they are fixed while there are any."""
CONNECTION = (*PLACE, "region", "subpath", *KEYS)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]", re.ASCII)
_REGION = re.compile(r"[a-z0-9][a-z0-9-]{0,39}", re.ASCII)


def not_found() -> NamedError:
    """Return the error for an id that belongs to no bucket of the company."""
    return NamedError(NOT_FOUND, "there is no such bucket in this company", field="id")


@dataclass(frozen=True)
class BucketCheck:
    """A test's result: `code` is the storage's error code, `detail` is for people."""

    ok: bool
    milliseconds: int
    code: str = ""
    detail: str = ""


def create_bucket(*, member_id: str, **values: Any) -> Bucket:
    """Connect a bucket, after a test that wrote and deleted an object. The company's first becomes its default.

    Raises InvalidCredentials_400 with the storage's code, FileUploadFailed_400 for one that is down, and
    ValidationFailed. Raises PlanLimitExceeded_403 at the plan's limit, and ConnectionTestRunning_429 while another test
    runs.
    """
    bucket = Bucket(
        id=new_id(), company_id=company_id(), created_by_id=member_id, updated_by_id=member_id, **_validate(values)
    )
    _verify(bucket)
    with transaction.atomic():
        reserve_quota(MODULE)
        bucket.is_default = bucket.is_default or not Bucket.objects.filter(is_default=True).exists()
        _save(bucket)
    return bucket


def update_bucket(*, id: str, member_id: str, **values: Any) -> Bucket:
    """Change a bucket. An active one is verified as a new one is.

    Without keys the old ones stay. Raises the errors of `create_bucket`, AppNotFound_400, and RecordChanged_409. Raises
    ValidationFailed when the stored keys would go to another place, or the files would become inaccessible.
    """
    values = _validate({name: value for name, value in values.items() if value or name not in KEYS})
    with transaction.atomic():
        bucket = _bucket_with_values(id, values)
    before = bucket.updated_at
    if bucket.is_active:
        _verify(bucket)
    with transaction.atomic():
        bucket = _bucket_with_values(id, values)
        if bucket.updated_at != before:
            raise NamedError("RecordChanged_409", "somebody else has changed the bucket meanwhile; try again")
        if bucket.is_active:
            bucket.verified = True
            bucket.last_error = ""
            bucket.last_error_at = None
        bucket.updated_by_id = member_id
        _save(bucket)
    return bucket


def _bucket_with_values(id: str, values: JsonObject) -> Bucket:
    """Return the locked bucket with the values set, unsaved."""
    bucket: Bucket = CONNECTED_APPS["bucket"].record_to_change(id, values)
    if bool(values.get("accesskey")) != bool(values.get("secretkey")):
        raise ValidationFailed(
            "accesskey and secretkey belong together",
            "enter both, or leave both empty",
            field=("accesskey", "secretkey"),
        )
    moved = [name for name in PLACE if name in values and values[name] != getattr(bucket, name)]
    if moved and File.objects.filter(bucket=bucket).exists():
        raise ValidationFailed(
            f"{moved[0]} cannot change: files are in the bucket",
            "files are in this bucket; connect the other one as a new bucket and make it the default",
            field=moved[0],
        )
    for name, value in values.items():
        setattr(bucket, name, value)
    bucket.is_default = bucket.is_default and bucket.is_active
    return bucket


def _save(bucket: Bucket) -> None:
    """Save a bucket; a new default replaces the present one."""
    if bucket.is_default:
        Bucket.objects.filter(is_default=True).exclude(pk=bucket.pk).update(is_default=False, updated_at=timezone.now())
    bucket.save()


def _validate(values: JsonObject) -> JsonObject:
    """Return the values as they are stored. Raises ValidationFailed."""
    cleaned = dict(values)
    if "name" in cleaned and not _NAME.fullmatch(cleaned["name"]):
        raise ValidationFailed(
            "name is no name of a bucket", "use 3 to 255 letters, digits, dots and hyphens", field="name"
        )
    if "region" in cleaned and not _REGION.fullmatch(cleaned["region"]):
        raise ValidationFailed("region is no region", "enter a region such as eu-central-1", field="region")
    if cleaned.get("endpoint"):
        try:
            cleaned["endpoint"] = checked_address(cleaned["endpoint"])
        except OutboundRefused as refused:
            raise ValidationFailed("endpoint cannot be reached", refused.detail, field="endpoint") from None
    if "subpath" in cleaned:
        parts = [part for part in cleaned["subpath"].split("/") if part]
        if any(part in (".", "..") or not part.isprintable() or "\\" in part for part in parts):
            raise ValidationFailed("subpath is no folder", "enter folders such as crm/files", field="subpath")
        cleaned["subpath"] = "/".join(parts)
    for name in KEYS:
        key = cleaned.get(name, "")
        if not (key.isascii() and key.isprintable() and " " not in key):
            raise ValidationFailed(
                f"{name} is no key", "check the value: spaces and some characters are not allowed", field=name
            )
    if cleaned.get("accesskey"):
        key = cleaned["accesskey"]
        cleaned["key_hint"] = key[-4:] if len(key) >= 12 else ""
    return cleaned


def _verify(bucket: Bucket) -> None:
    try:
        _probe(bucket)
    except S3Failed as failed:
        name = DOWN if failed.down else REFUSED
        params = {"detail": failed.detail, "denied": failed.denied}
        detail = f"{failed.code}: {failed.detail}"
        raise NamedError(name, detail, errors=[], code=failed.code, params=params) from None
    bucket.verified = True


def _probe(bucket: Bucket) -> None:
    """Write an object into the bucket and delete it. Raises S3Failed, and ConnectionTestRunning_429."""
    folder = f"{bucket.subpath}/" if bucket.subpath else ""
    with connection_test_slot():
        try:
            s3.check(bucket_place(bucket), f"{folder}.leadwright-{bucket.pk}")
        except ContentUnavailable as error:
            raise S3Failed("keys", f"{error}; enter them again") from None


def check_bucket(*, id: str) -> BucketCheck:
    """Write into the bucket and delete it again. Stores the result as `verified` and `lastError`.

    Raises ConnectionTestRunning_429 while another test runs.
    """
    bucket = Bucket.objects.filter(pk=id).first()
    if bucket is None:
        raise not_found()
    began = monotonic()
    code = ""
    detail = ""
    try:
        _probe(bucket)
    except S3Failed as failed:
        code, detail = failed.code, failed.detail
    values = {"verified": not code, "last_error": detail, "last_error_at": timezone.now() if code else None}
    Bucket.objects.filter(pk=bucket.pk).update(**values)
    return BucketCheck(not code, round((monotonic() - began) * 1000), code, detail)


@transaction.atomic
def delete_buckets(*, ids: Sequence[str], member_id: str) -> dict[str, int]:
    """Delete the buckets that no file is in, and switch the others off. Raises AppNotFound_400 for none."""
    rows = Bucket.objects.filter(pk__in=ids).select_for_update(of=("self",))
    existing = set(rows.values_list("pk", flat=True))
    used = set(File.objects.filter(bucket__in=existing).values_list("bucket_id", flat=True).distinct())
    deleted, _ = Bucket.objects.filter(pk__in=existing - used).delete()
    off = Bucket.objects.filter(pk__in=used).update(
        is_active=False, is_default=False, updated_by_id=member_id, updated_at=timezone.now()
    )
    if not deleted + off:
        raise NamedError("AppNotFound_400", "none of them is a bucket of this company", field="ids")
    return {"deletedCount": deleted, "deactivatedCount": off}
