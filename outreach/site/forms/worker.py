"""The work of forms: leads are fetched and made, gaps are closed, old answers are forgotten."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from random import SystemRandom
from time import monotonic
from typing import Any

from django.db import DataError, transaction
from django.db.models import DateTimeField, ExpressionWrapper, F, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from core.access import entitlement, limited_creation
from core.errors import ApiError
from core.jobs.leases import LeaseLost, backoff_delay, claim, update_owned
from core.jobs.registry import Moment
from core.tenancy import company_scope, unscoped
from core.types import JsonObject, Values
from outreach.connections.social_apps.client import SocialClient, SocialFailed
from outreach.connections.social_apps.models import SocialAApp
from outreach.connections.social_apps.services import client_of_page, note_refusal
from outreach.site.forms.models import Form, FormLead
from outreach.site.forms.notices import tell_refused, tell_submitted
from outreach.site.forms.record_creation import make_lead
from outreach.site.forms.services import EVERY
from outreach.site.forms.submissions import store_reported

log = logging.getLogger(__name__)
LOOKS_BACK = timedelta(hours=48)
ASKS = Q(source=Form.Source.SOCIAL_A, state=Form.State.PUBLISHED)
UNFIT = (ApiError, DataError, ValueError, KeyError, TypeError)
"""Exceptions of a submission that cannot become a lead."""
KEPT = 1000
"""Rows that one round of forgetting takes."""
_random = SystemRandom()
Reason = FormLead.Reason


def work_on_leads(deadline: float) -> None:
    """Make leads until none is due or monotonic() passes the deadline."""
    while monotonic() < deadline:
        rows = claim(FormLead, limit=1)
        if not rows:
            return
        with company_scope(rows[0].company_id):
            _work_on(rows[0])


def _work_on(row: FormLead) -> None:
    form = Form.objects.filter(pk=row.form_id).select_related("app").first()
    if form is None:
        return  # it was deleted with its leads
    fetched: JsonObject = {}
    try:
        if row.fetched_at is None:
            fetched = _read_lead(_client(form).lead(row.leadgen_id))
        # The lead was fetched before: no call of the platform inside of the transaction.
        with limited_creation(entitlement(row.company_id)), transaction.atomic():
            make_lead(row, form, **fetched)
            tell_submitted(row, form)
    except LeaseLost:
        return
    except SocialFailed as error:
        _put_off(row, form, error)
    except UNFIT as error:  # the edge of one row: it keeps no other from being made
        _fail(row, Reason.REFUSED, _error_text(error), **fetched)
        if not isinstance(error, ApiError):
            log.exception("what was sent by a form cannot be made a lead: %s", row.pk)


def _error_text(error: Exception) -> str:
    return (error.detail or error.message) if isinstance(error, ApiError) else "It has values that nobody can read."


def _client(form: Form) -> SocialClient:
    """Return the client that holds the page's token. Raises SocialFailed."""
    app: SocialAApp | None = form.app
    if app is None or not app.is_active:
        raise SocialFailed("The social app was removed or switched off.", refused=True)
    try:
        return client_of_page(app, form.page_id)
    except ApiError as error:
        raise SocialFailed(error.detail, refused=True) from None


def _put_off(row: FormLead, form: Form, error: SocialFailed) -> None:
    """Schedule another try for a lead. If the token is refused, it waits until the app is connected again."""
    if error.temporary and not error.refused:
        due_at = timezone.now() + backoff_delay(min(row.attempts, 12))
        _settle(row, status=FormLead.Work.WAITING, error=error.detail, due_at=due_at)
    elif error.refused:
        if _fail(row, Reason.TOKEN, error.detail) and form.app_id:
            with transaction.atomic():
                note_refusal(form.app_id, error.detail)
                tell_refused(form)
    else:
        _fail(row, Reason.GONE, error.detail)


def _fail(row: FormLead, reason: str, error: str, **fetched: Any) -> bool:
    failure = {"state": FormLead.State.FAILED, "reason": reason, "error": error[:1000]}
    return _settle(row, status=FormLead.Work.FAILED, **failure, **fetched)


def _settle(row: FormLead, **values: Any) -> bool:
    try:
        update_owned(row, worker=None, deaths=0, **values)
    except LeaseLost:
        return False
    return True


def _read_lead(lead: Values) -> JsonObject:
    """Return the columns of a lead of the platform, of which nothing is believed to be well-formed."""
    answers: JsonObject = {}
    rows = lead.get("field_data")
    for row in (rows if isinstance(rows, list) else ())[:100]:
        name = _text(row.get("name"), 100) if isinstance(row, dict) else ""
        values = row.get("values") if name else None
        texts = [text for value in (values if isinstance(values, list) else ())[:100] if (text := _text(value, 2000))]
        if texts:
            answers[name] = texts[0] if len(texts) == 1 else texts
    origin = {
        name: text
        for name in ("ad_id", "ad_name", "campaign_id", "campaign_name", "platform")
        if (text := _text(lead.get(name), 200))
    }
    return {"answers": answers, "origin": origin, "fetched_at": timezone.now(), **_submission_time(lead)}


def _submission_time(lead: Values) -> dict[str, datetime]:
    text = lead.get("created_time")
    try:
        at = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        at = None
    if at is None:
        return {}
    return {"submitted_at": min(at if at.tzinfo else at.replace(tzinfo=UTC), timezone.now())}


def _text(value: Any, most: int) -> str:
    text = str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    return text[:most].replace("\0", "").encode("utf-8", "ignore").decode().strip()


def due_forms(now: Moment) -> list[QuerySet[Form]]:
    """Return the forms of platforms to be asked for."""
    return [Form.claimable(now, ASKS)]


def ask_due_forms(deadline: float) -> None:
    """Ask the platform for the leads of the last 48 hours of due forms, of which webhooks may have been lost."""
    while monotonic() < deadline:
        rows = claim(Form, limit=1, extra=ASKS)
        if not rows:
            return
        with company_scope(rows[0].company_id):
            _poll_form(rows[0])


def _poll_form(form: Form) -> None:
    now = timezone.now()
    error = ""
    leads = dict[str, datetime]()
    due_at = now + EVERY * _random.uniform(0.95, 1.0)
    try:
        for lead in _client(form).leads_since(form.form_id, now - LOOKS_BACK):
            if id := _text(lead.get("id"), 64):
                leads[id] = _submission_time(lead).get("submitted_at", now)
    except SocialFailed as failed:
        error = failed.detail
        if failed.refused and form.app_id:
            note_refusal(form.app_id, failed.detail)
        elif failed.temporary:
            due_at = now + backoff_delay(min(form.attempts, 12))
    with transaction.atomic():
        done = {"attempts": 0, "asked_at": now} if not error else {}
        try:
            update_owned(form, status=Form.Work.WAITING, worker=None, deaths=0, error=error, due_at=due_at, **done)
        except LeaseLost:
            return
        store_reported(form, leads)


def forget_old() -> bool:
    """Forget the answers that forms have kept for as long as they may. Returns whether there may be more."""
    with unscoped(reason="tick: old answers to forms of all companies"):
        ends = ExpressionWrapper(F("created_at") + F("form__keep_days") * timedelta(days=1), DateTimeField())
        old = FormLead.objects.annotate(ends=ends).filter(ends__lt=Now()).exclude(status=FormLead.Work.RUNNING)
        ids = list(old.order_by("created_at").values_list("pk", flat=True)[:KEPT])
        FormLead.objects.filter(pk__in=ids).delete()
    return len(ids) == KEPT
