"""The worker of scans: it reads the picture and makes values for a contact of it; a person saves them.

A scan whose worker dies is read again by the next one; its result is written once, with its end.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.utils import timezone

from accounts.companies.models import Company
from core.jobs import finish, release
from core.s3 import S3Failed
from core.text.addresses import BadAddress, read_phone
from core.types import JsonObject
from crm.files.stores import ContentUnavailable, local_copy
from crm.records.models import CustomField
from outreach.connections.ocr.cards import FIELDS, MAX_CHARACTERS, MAX_LINES, FieldGuess, read_card
from outreach.connections.ocr.models import CardScan
from outreach.connections.ocr.providers import OcrFailed
from outreach.connections.ocr.services import is_gone, note_error, reader_of

log = logging.getLogger(__name__)

MAX_TRIES = 3
SECONDS = 90
"""For a picture; a reader that begins takes some of them."""
CALLED = {
    "company": {"company", "company name", "firm", "firma", "organisation", "organization", "employer"},
    "site": {"site", "website", "web site", "homepage", "url", "web"},
}
"""Field of a card -> names that a company may use for its own field."""


def run(job: CardScan, deadline: float) -> None:
    """Read the picture of a claimed scan."""
    if job.cancel_requested:
        release(job)
        return
    file, app = job.file, job.ocr
    if app is None or is_gone(job):
        finish(job, CardScan.Status.FAILED, error="The picture, or the app that reads pictures, is gone.")
        return
    try:
        with local_copy(file) as picture:
            lines = reader_of(app).read(picture, file.mime, seconds=SECONDS)[:MAX_LINES]
    except OcrFailed as failed:
        note_error(app, failed.detail)
        _retry_later(job, failed.detail, failed.temporary)
        return
    except (ContentUnavailable, S3Failed, OSError) as error:
        log.warning("the picture of scan %s cannot be had: %s", job.pk, error)
        _retry_later(job, "The picture cannot be had from where it is stored.", True)
        return
    note_error(app, "")
    region = Company.objects.filter(pk=job.company_id).values_list("country", flat=True).first() or ""
    fields, form_data = proposal(read_card(lines, region=region), app.confidence)
    stored_lines = [[line.text[:MAX_CHARACTERS], round(line.confidence, 3)] for line in lines]
    finish(
        job, CardScan.Status.COMPLETED, lines=stored_lines, fields=fields, form_data=form_data, processed=1, error=""
    )


def _retry_later(job: CardScan, detail: str, temporary: bool) -> None:
    if temporary and job.attempts < MAX_TRIES:
        release(job, due_at=timezone.now() + timedelta(seconds=5 * job.attempts), error=detail)
    else:
        finish(job, CardScan.Status.FAILED, error=detail)


def proposal(card: dict[str, FieldGuess], least: float) -> tuple[list[JsonObject], JsonObject]:
    """Return the fields of a card, and the values of those that are at least so sure, by the contact's keys."""
    fields, sure = [], dict[str, str]()
    for name in FIELDS:
        reading = card.get(name, FieldGuess("", 0.0))
        value, note = reading.value, ""
        if not reading.value:
            note = "Not found on the card."
        elif reading.confidence < least:
            value, note = "", f"Read as {reading.value}, but only {reading.confidence:.0%} sure."
        if value:
            sure[name] = value
        confidence = round(reading.confidence, 3)
        fields.append({"field": name, "value": value, "confidence": confidence, "read": reading.value, "note": note})
    data: JsonObject = {name: sure[name] for name in ("name", "email") if name in sure}
    if "phone" in sure:
        try:
            phone = read_phone(None, sure["phone"])
            data |= {"countryCode": phone.country_code, "number": phone.number}
        except BadAddress:
            pass
    return fields, data | _own_fields(sure)


def _own_fields(sure: dict[str, str]) -> dict[str, str]:
    """Return the values for the company's own fields that are called like those of a card."""
    own = CustomField.objects.filter(panel=CustomField.Panel.CONTACT, is_system=False, field_type__in=("text", "url"))
    keys: dict[str, str] = {}
    for key, called in own.order_by("order", "id").values_list("unique_field_id", "name"):
        for name, labels in CALLED.items():
            if name in sure and called.strip().lower() in labels and name not in keys:
                keys[name] = key
    return {key: sure[name] for name, key in keys.items()}
