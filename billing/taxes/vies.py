"""The European Union's register of VAT ids (VIES): queried after billing details were saved, its response kept as
evidence.

It is often unavailable, and so are whole countries of it. Nothing waits for it, and its response never changes a price:
form and check digits decide (billing.taxes.rules), and staff see the response.
"""

from __future__ import annotations

import logging
from datetime import timedelta

import orjson
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from billing.taxes.europe import EU
from billing.taxes.models import BillingDetails
from core.outbound_http import HttpFailed, send_request
from core.tenancy import company_scope
from core.types import JsonObject

log = logging.getLogger(__name__)
BATCH = 10
SECONDS = 10.0
RETRY_DELAY = timedelta(hours=6)
"""Delay before a VAT id is checked again after no response, or after its worker died."""
EVIDENCE_KEYS = ("valid", "isValid", "name", "address", "requestDate", "requestIdentifier", "userError")


def note_change(details: BillingDetails) -> None:
    """Schedule a VIES query for a VAT id that has changed, if the operator wants it. The caller saves."""
    asks = bool(settings.VIES_URL) and details.country in EU and bool(details.vat_id)
    details.vat_look_at = timezone.now() if asks else None
    details.vat_evidence = {}


def ask_vies() -> bool:
    """Ask about a batch of VAT ids of all companies. Returns whether more may be waiting.

    Each is claimed first, so that several workers ask once. No transaction is open while VIES answers.
    """
    with transaction.atomic():
        details = BillingDetails.objects.select_for_update(skip_locked=True, of=("self",)).filter(
            vat_look_at__lte=timezone.now()
        )
        rows = list(details.order_by("vat_look_at")[:BATCH])
        BillingDetails.objects.filter(pk__in=[row.pk for row in rows]).update(vat_look_at=timezone.now() + RETRY_DELAY)
    for row in rows:
        with company_scope(row.company_id):
            store_evidence(row, evidence_of(row.vat_id, row.country))
    return len(rows) == BATCH


def evidence_of(vat_id: str, country: str) -> JsonObject | None:
    """Return the response of VIES about a VAT id, or None without a response."""
    prefix = "EL" if country == "GR" else country
    number = "".join(letter for letter in vat_id if letter.isalnum()).removeprefix(prefix).removeprefix(country)
    try:
        answer = send_request("GET", f"{settings.VIES_URL}/ms/{prefix}/vat/{number}", seconds=SECONDS)
        evidence = orjson.loads(answer.body) if answer.status == 200 else None
    except (HttpFailed, orjson.JSONDecodeError) as error:
        log.warning("VIES gives no answer: %s", error)
        return None
    if not isinstance(evidence, dict) or not isinstance(evidence.get("isValid", evidence.get("valid")), bool):
        return None
    return {name: str(evidence[name])[:500] for name in EVIDENCE_KEYS if evidence.get(name) is not None}


def store_evidence(row: BillingDetails, evidence: JsonObject | None) -> None:
    """Keep an answer, unless the VAT id has changed since."""
    if evidence is None:
        return
    values = {**evidence, "vatId": row.vat_id, "at": timezone.now().isoformat()}
    same = BillingDetails.objects.filter(pk=row.pk, vat_id=row.vat_id, country=row.country)
    same.update(vat_evidence=values, vat_look_at=None)
