"""Submissions of visitors and of the social platform: stored once, turned into leads by a worker."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Protocol

from django.core import signing
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.companies.country import default_country
from core.access.attempts import Limit
from core.ids import new_id
from core.jobs import notify_workers
from core.tenancy import company_scope, unscoped
from core.types import JsonObject, Values
from outreach.site.forms.kinds import CONSENT, PHONE, BadAnswer, read_answer
from outreach.site.forms.models import TOKEN_LENGTH, Form, FormLead
from outreach.site.forms.services import origin_of

QUEUE = "form-leads"
SUBMISSIONS = Limit("form-submit", 5, 60)
"""Submissions of one network to one form."""
READS = Limit("form-read", 120, 60)
TRAP = "website_address"
"""A field hidden from people: only a program fills it in."""
TOO_FAST = timedelta(seconds=2)
"""People take longer to fill in a form."""
PAGE_GOOD_FOR = timedelta(hours=24)
SENT = "sent"
UTM = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content")
MAX_BYTES = 256 * 1024
_SALT = "outreach.forms.page"


class PublicPage(Protocol):
    """A form, or another page that visitors fill in."""

    @property
    def pk(self) -> Any: ...

    @property
    def fields(self) -> Any: ...


@dataclass(frozen=True)
class Submission:
    """A submission: the valid answers, and the errors of the others."""

    answers: JsonObject = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


def find_published(token: str) -> Form | None:
    """Return the own form with this address, of any company, if it accepts answers."""
    if len(token) != TOKEN_LENGTH or not token.isascii() or not token.isalnum():
        return None
    with unscoped(reason="public form: the form whose address it is"):
        rows = Form.objects.filter(token=token, source=Form.Source.OWN, state=Form.State.PUBLISHED)
        return rows.select_related("company").first()


def issue_page_id(form: PublicPage) -> str:
    """Return an id that a page sends with its input, so that a form that is sent twice counts once."""
    return signing.dumps([form.pk, new_id(), round(timezone.now().timestamp() * 1000)], salt=_SALT, compress=False)


def page_id_for(form: PublicPage, sent: str) -> str:
    """Return the id of a page that is shown again: that of its input, so that the time counts from its first
    opening."""
    return sent if sent and read_page_id(form, sent) else issue_page_id(form)


def read_page_id(form: PublicPage, text: str) -> tuple[str, timedelta] | None:
    """Return a page's id and its age; None for one that is not this form's, or too old."""
    if len(text) > 300:
        return None
    try:
        owner, id, milliseconds = signing.loads(text, salt=_SALT)
        age = timezone.now() - datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (signing.BadSignature, ValueError, TypeError, OverflowError):
        return None
    return (id, age) if owner == form.pk and age < PAGE_GOOD_FOR else None


def id_of_sent(page_id: str, *content: Any) -> str:
    """Return the id of a page's input: the same input counts once, other input of the page separately."""
    text = json.dumps([page_id, *content], sort_keys=True, default=str)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def read_submission(form: Form, inputs: Values) -> Submission:
    """Read the input of the form's fields."""
    read = Submission()
    country = _country_of(form)
    for form_field in form.fields:
        try:
            answer = read_answer(form_field, inputs.get(form_field["key"]), form.country_code, country)
        except BadAnswer as error:
            read.errors[form_field["key"]] = str(error)
            continue
        if answer:
            read.answers[form_field["key"]] = answer
    return read


def _country_of(form: Form) -> str:
    """Return the default country of numbers, if the form asks for numbers and has no dial prefix."""
    if form.country_code or all(field["type"] != PHONE for field in form.fields):
        return ""
    with company_scope(form.company_id):
        return default_country()


def store_submission(form: Form, id: str, answers: Values, origin: Mapping[str, str]) -> bool:
    """Store a submission, in the form's company. Return whether it was new: a repetition counts once."""
    now = timezone.now()
    consents = [
        {"key": field["key"], "text": field["label"], "at": now.isoformat(timespec="milliseconds")}
        for field in form.fields
        if field["type"] == CONSENT and answers.get(field["key"])
    ]
    row = FormLead(
        form=form,
        leadgen_id=id_of_sent(id, answers),
        answers=dict(answers),
        consents=consents,
        origin=dict(origin),
        submitted_at=now,
        fetched_at=now,
    )
    return bool(_store([row]))


def store_reported(form: Form, leads: Mapping[str, datetime]) -> int:
    """Store leads from the platform's notifications, by their ids, to be fetched. Return the number of new ones."""
    now = timezone.now()
    return _store(FormLead(form=form, leadgen_id=id, submitted_at=min(at, now)) for id, at in leads.items())


@transaction.atomic
def _store(rows: Iterable[FormLead]) -> int:
    """Store the rows that are not stored yet, and wake a worker. Returns how many there were."""
    leads = list(rows)
    if not leads:
        return 0
    # The platform repeats webhooks, and polling finds the same leads.
    FormLead.objects.bulk_create(leads, ignore_conflicts=True)
    stored = FormLead.objects.filter(pk__in=[row.pk for row in leads]).count()
    if stored:
        notify_workers(QUEUE)
    return stored


def read_origin(query: Values, page: str, referrer: str) -> dict[str, str]:
    """Return the origin of a submission: utm values, the page and its referrer, without invalid addresses."""
    origin = {name: str(query.get(name) or "")[:200].replace("\0", "") for name in UTM}
    for name, address in (("page", page), ("referrer", referrer)):
        # The query of an address may contain data that the visitor has given to another site.
        plain = address[:1000].partition("?")[0].partition("#")[0]
        origin[name] = plain if origin_of(plain) else ""
    return {name: value for name, value in origin.items() if value}


def fits_origin(form: Form, origin: str | None, own: Iterable[str]) -> bool:
    """Return whether a browser may send the form from a site. Programs send no site, and may."""
    return origin is None or origin in own or origin in form.allowed_origins


def leads_to_retry(rows: QuerySet[FormLead]) -> int:
    """Put failed rows back to the worker. Returns how many there were."""
    now = timezone.now()
    fresh_values = {"state": FormLead.State.NEW, "reason": "", "error": "", "due_at": now, "deaths": 0, "attempts": 0}
    count = rows.filter(status=FormLead.Work.FAILED).update(
        status=FormLead.Work.WAITING, lease=None, worker=None, updated_at=now, **fresh_values
    )
    if count:
        notify_workers(QUEUE)
    return count


def wake_refused(app_id: str) -> None:
    """Queue the submissions that waited for a token, now that the app works again."""
    leads_to_retry(FormLead.objects.filter(form__app_id=app_id, reason=FormLead.Reason.TOKEN))
    Form.objects.filter(app_id=app_id, status=Form.Work.WAITING).update(due_at=timezone.now())
