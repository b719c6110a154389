"""Connected OCR apps, and the scans of cards that they read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.access import reserve_quota
from core.crypto import SecretUnreadable
from core.errors import NamedError, ValidationFailed
from core.jobs import notify_workers
from core.types import JsonObject
from crm.files.models import File
from crm.files.services import kept_files
from outreach.connections.connected_apps.defaults import save_default
from outreach.connections.connected_apps.registry import CONNECTED_APPS, MODULE
from outreach.connections.connected_apps.turns import connection_test_slot
from outreach.connections.ocr.models import CardScan, Ocr
from outreach.connections.ocr.providers import PROVIDERS, OcrFailed, OcrProvider
from outreach.connections.ocr.testing import sample_picture

NOT_FOUND = "OcrNotFound_404"
PICTURES = ("image/jpeg", "image/png", "image/webp")
MAX_BYTES = 20 * 1024 * 1024
MAX_BATCH_ROWS = 1000
TEST_SECONDS = 25
"""A test answers in its request."""


def not_found() -> NamedError:
    """Return the error for an id that belongs to no OCR app of the company."""
    return NamedError(NOT_FOUND, "there is no such OCR app in this company", field="id")


@dataclass(frozen=True)
class OcrTest:
    """A test's result: the text that was read from the sample, or an error for people."""

    ok: bool
    milliseconds: int
    text: str = ""
    detail: str = ""


def create_ocr(*, member_id: str, **values: Any) -> Ocr:
    """Connect an app, after a test of its key. The company's first becomes its default.

    A provider that cannot be asked leaves the reason in last_error. Raises InvalidCredentials_400 for a key that the
    provider refuses, and ValidationFailed, also for a provider that this service lacks. Raises PlanLimitExceeded_403
    at the plan's limit, and ConnectionTestRunning_429 while another test runs.
    """
    provider = _provider(values["name"])
    values = _validate(values)
    if provider.needs_key and not values.get("key"):
        raise ValidationFailed("key is required", f"enter the key from {provider.name}", field="key")
    problem = _problem_of_key(provider, values["key"]) if provider.needs_key else ""
    with transaction.atomic():
        reserve_quota(MODULE)
        app = Ocr(created_by_id=member_id, updated_by_id=member_id, **values, **_error_columns(problem))
        app.is_default = app.is_default or not Ocr.objects.filter(is_default=True).exists()
        save_default(app)
    return app


def update_ocr(*, id: str, member_id: str, **values: Any) -> Ocr:
    """Change an app, and test another key. Without a key the old one stays. Raises the errors of `create_ocr`, and
    ValidationFailed for another provider without a key."""
    values = _validate({name: value for name, value in values.items() if value or name != "key"})
    problem = ""
    if values.get("key"):
        stored = Ocr.objects.filter(pk=id).first()
        chosen = PROVIDERS.get(values.get("name", stored.name if stored else ""))
        problem = _problem_of_key(chosen, values["key"]) if chosen is not None and chosen.needs_key else ""
    with transaction.atomic():
        app: Ocr = CONNECTED_APPS["ocr"].record_to_change(id, values)
        if "name" in values:
            _provider(values["name"])
        for name, value in {**values, **_error_columns(problem)}.items():
            setattr(app, name, value)
        provider = PROVIDERS.get(app.name)
        if provider is not None and provider.needs_key and not app.key:
            raise ValidationFailed("key is required", f"enter the key from {provider.name}", field="key")
        app.is_default = app.is_default and app.is_active
        app.updated_by_id = member_id
        save_default(app)
    return app


def _provider(name: str) -> type[OcrProvider]:
    provider = PROVIDERS.get(name)
    if provider is None:
        raise ValidationFailed(f"name: one of {', '.join(PROVIDERS)}", f"one of {', '.join(PROVIDERS)}", field="name")
    if missing := provider.missing():
        raise ValidationFailed(f"name: {missing}", missing, field="name")
    return provider


def _problem_of_key(provider: type[OcrProvider], key: str) -> str:
    """Have a small picture read with a key. Returns why it could not be tried; empty where it works.

    Raises InvalidCredentials_400 for a key that the provider refuses.
    """
    with connection_test_slot(), sample_picture() as picture:
        try:
            provider(key).read(picture, "image/png", seconds=TEST_SECONDS)
        except OcrFailed as failed:
            if failed.by_key:
                raise NamedError("InvalidCredentials_400", failed.detail, field="key") from failed
            return failed.detail
    return ""


def _error_columns(problem: str) -> JsonObject:
    """Return the columns of what went wrong, or that it went well."""
    return {"last_error": problem, "last_error_at": timezone.now() if problem else None}


def _validate(values: JsonObject) -> JsonObject:
    key = values.get("key", "")
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise ValidationFailed(
            "key is no key", "check the value: spaces and some characters are not allowed", field="key"
        )
    return {**values, "key_hint": key[-4:] if len(key) >= 12 else ""} if key else values


def is_gone(scan: CardScan) -> bool:
    """Return whether the picture of a scan, or the app that was to read it, is gone or switched off."""
    file, app = scan.file, scan.ocr
    return bool(file.is_deleted or file.trashed_at) or app is None or not app.is_active


def reader_of(app: Ocr) -> OcrProvider:
    """Return the provider of an app, with its key. Raises OcrFailed."""
    kind = PROVIDERS.get(app.name)
    if kind is None:
        raise OcrFailed(f"This service has no reader called {app.name}.", temporary=False)
    try:
        return kind(app.key)
    except SecretUnreadable:
        raise OcrFailed("The stored key was given for another reader. Enter it again.", temporary=False) from None


def note_error(app: Ocr, detail: str) -> None:
    """Keep what went wrong, or that it went well, where people see it."""
    Ocr.objects.filter(pk=app.pk).update(**_error_columns(detail))


def check_ocr(*, id: str) -> OcrTest:
    """Test the app with a small picture of a word. Raises ConnectionTestRunning_429 while another test runs."""
    app = Ocr.objects.filter(pk=id).first()
    if app is None:
        raise not_found()
    began = monotonic()
    text = ""
    detail = ""
    with connection_test_slot(), sample_picture() as picture:
        try:
            text = " ".join(line.text for line in reader_of(app).read(picture, "image/png", seconds=TEST_SECONDS))
        except OcrFailed as failed:
            detail = failed.detail
    note_error(app, detail)
    return OcrTest(not detail, round((monotonic() - began) * 1000), text[:200], detail)


@transaction.atomic
def delete_ocrs(*, ids: Sequence[str], member_id: str) -> dict[str, int]:
    """Delete the apps. Scans keep their results. Raises OcrNotFound_404 for none."""
    deleted = Ocr.objects.filter(pk__in=ids).delete()[1].get("outreach.Ocr", 0)
    if not deleted:
        raise NamedError("OcrNotFound_404", "none of them is an OCR app of this company", field="ids")
    return {"deletedCount": deleted}


@transaction.atomic
def readers() -> QuerySet[Ocr]:
    """Return the apps that can read a card, first the one that does unless another is named."""
    return Ocr.objects.filter(is_active=True).order_by("-is_default", "created_at", "id")


def start_scan(*, files: QuerySet[File], file_id: str, ocr_id: str | None, member_id: str) -> CardScan:
    """Queue a scan of the picture of a card, which is one of the files.

    Raises OcrNotFound_404 if no app is connected, FileNotFound_400 and UnsupportedFileType_400.
    """
    app = (readers().filter(pk=ocr_id) if ocr_id else readers()).first()
    if app is None:
        raise NamedError("OcrNotFound_404", "connect an OCR app first, or switch one on", operation="POST /apps/ocr")
    file = kept_files(files).filter(pk=file_id).first()
    if file is None:
        raise NamedError("FileNotFound_400", "there is no such file in this company", field="fileId")
    if file.mime not in PICTURES or file.size > MAX_BYTES:
        raise NamedError(
            "UnsupportedFileType_400", "choose a JPEG, PNG or WebP picture of at most 20 MB", field="fileId"
        )
    scan = CardScan.objects.create(file=file, ocr=app, created_by_id=member_id)
    notify_workers("card-scan")
    return scan


def delete_scans_of_deleted_files() -> bool:
    """Delete the scans whose pictures were permanently deleted, at most DELETED_AT_ONCE. Returns whether there may be
    more."""
    ids = list(CardScan.objects.filter(file__is_deleted=True).values_list("pk", flat=True)[:MAX_BATCH_ROWS])
    CardScan.objects.filter(pk__in=ids).delete()
    return len(ids) == MAX_BATCH_ROWS
