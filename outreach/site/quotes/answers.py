"""The customers' actions on the public page of a quote: open, accept, decline. And the end of a quote's time."""

from __future__ import annotations

import ipaddress
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from accounts.members.notices import notify
from accounts.models import Member
from accounts.settings.notices import Notice
from core.errors import NamedError
from core.tenancy import company_scope, unscoped
from core.text.translation import gettext_lazy as _
from crm.activities.text import one_line
from crm.leads.relations import Relations
from crm.leads.schema import LeadSchema
from crm.leads.selectors import live_leads
from crm.leads.writes.updates import update_leads
from crm.pipelines.models import Stage
from outreach.site.quotes.models import Quote
from outreach.site.quotes.selectors import live_quotes, quote_settings
from outreach.site.quotes.services import tell
from outreach.site.quotes.tokens import read_token

Status = Quote.Status
ANSWERED = "QuoteAnswered_409"
ACCEPTED = Notice("quote.accepted", _("Quote accepted"), "notice_quote_accepted")
DECLINED = Notice("quote.declined", _("Quote declined"), "notice_quote_declined")
OPEN = (Status.SENT, Status.VIEWED)
MAX_EXPIRED = 500


def find_quote(token: str) -> Quote | None:
    """Return the quote of a public address; None for a forged address, and for a deleted quote or lead."""
    ids = read_token(token)
    if ids is None:
        return None
    # The token is signed, so the company in it is the one that made the link.
    with company_scope(ids[0]):
        quotes = live_quotes().exclude(status=Status.DRAFT).filter(pk=ids[1])
        return quotes.select_related("contact", "lead__organization", "owner", "replaced_by").first()


@transaction.atomic
def note_view(quote: Quote) -> None:
    """Record that the customer has opened the quote, the first time."""
    now = timezone.now()
    # The condition decides and not what was read before: two visits at once count as one.
    rows = Quote.objects.filter(pk=quote.pk, status=Status.SENT, replaced_by=None)
    if rows.update(status=Status.VIEWED, viewed_at=now, updated_at=now):
        quote.status = Status.VIEWED
        quote.viewed_at = now
        tell("viewed", [quote], None)


@transaction.atomic
def accept_quote(quote: Quote, *, name: str, ip: str | None) -> None:
    """Accept a quote, move its lead and notify the owner. Accepting twice happens once.

    Raises QuoteAnswered_409 for a quote that was declined, is replaced or expired, and InvalidInput_400 without name.
    """
    name = one_line(name)[:200]
    if not name:
        raise NamedError("InvalidInput_400", str(_("Enter your name.")), field="name")
    current = _locked(quote)
    # A browser repeats a POST after a lost answer; the customer sees the thanks again.
    if current.status == Status.ACCEPTED:
        return
    _check_open(current)
    current.status = Status.ACCEPTED
    current.accepted_name = name
    _answer(current, ip)
    chosen = quote_settings()
    # In the same transaction: an accepted quote whose lead stays open would be lost revenue.
    if chosen.moves_accepted:
        _move_lead(current, chosen.accepted_stage_id, Stage.Kind.WON)
    tell("accepted", [current], None, details={current.pk: {"name": name}})
    _notify(ACCEPTED, current)


@transaction.atomic
def decline_quote(quote: Quote, *, reason: str, ip: str | None) -> None:
    """Decline a quote and notify the owner. Declining twice happens once.

    Raises QuoteAnswered_409 for a quote that was accepted, is replaced or expired.
    """
    current = _locked(quote)
    # As with accepting: a repeated POST is no second answer.
    if current.status == Status.DECLINED:
        return
    _check_open(current)
    current.status = Status.DECLINED
    current.decline_reason = one_line(reason)[:500]
    _answer(current, ip)
    chosen = quote_settings()
    if chosen.declined_stage_id:
        _move_lead(current, chosen.declined_stage_id, "")
    tell("declined", [current], None, details={current.pk: {"reason": current.decline_reason}})
    _notify(DECLINED, current)


def expire_quotes() -> bool:
    """Let open quotes of all companies expire whose last day is over there. Returns whether there may be more."""
    now = timezone.now()
    with unscoped(reason="quotes: the companies with quotes whose time is over"):
        rows = Quote.objects.filter(valid_until__lt=now, status__in=OPEN, deleted_at=None)
        companies = list(rows.order_by("company_id").values_list("company_id", flat=True).distinct())
    full = [_expire_company(company, now) for company in companies]
    return any(full)


def is_over(quote: Quote) -> bool:
    """Return whether the last day of a quote is over, which the tick may not have noted yet."""
    return quote.status == Status.EXPIRED or (quote.is_open and quote.valid_until < timezone.now())


def _expire_company(company: str, now: datetime) -> bool:
    with company_scope(company), transaction.atomic():
        rows = Quote.objects.filter(valid_until__lt=now, status__in=OPEN, deleted_at=None)
        # A quote that is being accepted right now is left out; its answer wins.
        quotes = list(rows.select_for_update(skip_locked=True, of=("self",)).order_by("pk")[:MAX_EXPIRED])
        for quote in quotes:
            quote.status = Status.EXPIRED
            quote.updated_at = now
        Quote.objects.bulk_update(quotes, ["status", "updated_at"])
        tell("expired", quotes, None)
        return len(quotes) == MAX_EXPIRED


def _locked(quote: Quote) -> Quote:
    """Return the quote as it is now, locked until the transaction ends. Raises QuoteAnswered_409 for a deleted one."""
    current = live_quotes().select_for_update(of=("self",)).filter(pk=quote.pk).first()
    if current is None:
        raise NamedError(ANSWERED, str(_("This quote was withdrawn.")), field="id")
    return current


def _check_open(quote: Quote) -> None:
    if quote.replaced_by_id:
        raise NamedError(ANSWERED, str(_("This quote was replaced by a newer version.")), field="id")
    if is_over(quote):
        raise NamedError(ANSWERED, str(_("This quote has expired.")), field="id")
    if not quote.is_open:
        raise NamedError(ANSWERED, str(_("This quote was already accepted or declined.")), field="id")


def _answer(quote: Quote, ip: str | None) -> None:
    quote.answered_at = timezone.now()
    quote.answered_from = shortened(ip)
    quote.save()


def shortened(ip: str | None) -> str | None:
    """Return an IP address without the part that identifies a connection: the last byte, or the last 80 bits."""
    if ip is None:
        return None
    # Enough to show from which network the answer came, and not from whom.
    prefix = 24 if ipaddress.ip_address(ip).version == 4 else 48
    return str(ipaddress.ip_network((ip, prefix), strict=False).network_address)


def _move_lead(quote: Quote, stage_id: str | None, kind: str) -> None:
    """Move the quote's lead to the stage, or else to the first stage of the kind in its pipeline."""
    # The customer has accepted, whatever has become of the lead.
    lead = live_leads().filter(pk=quote.lead_id).first()
    if lead is None:
        return
    if stage_id is None:
        stages = Stage.objects.filter(pipeline_id=lead.pipeline_id, kind=kind).order_by("position", "pk")
        # A lead that is won already stays in its stage.
        if lead.stage_id and Stage.objects.filter(pk=lead.stage_id, kind=kind).exists():
            return
        stage_id = stages.values_list("pk", flat=True).first()
    if stage_id is None:
        return
    schema = LeadSchema.load()
    # Through the writer of leads, so that history, events and workflows see the move.
    row, _problems = schema.read({}, partial=True)
    if row is None:
        return
    Relations(stage=stage_id).put_into(row)
    update_leads(schema, [(lead.pk, row)], actor_id=None)


def _notify(notice: Notice, quote: Quote) -> None:
    """Notify the owner of the quote, or else the company's owners."""
    owner = Member.objects.filter(pk=quote.owner_id).first() if quote.owner_id else None
    about = quote.contact.name or quote.contact.email or ""
    context = {"quote": quote, "about": about}
    notify(notice.key, context, members=[owner] if owner else None, about=("quote", quote.pk))
