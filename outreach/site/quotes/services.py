"""Members' use cases of quotes: create, change, revise, delete, restore. Only drafts are changed.

A quote that was sent stays as the customer has it: its revision is a new version, which replaces it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from accounts.settings.formats import formats_of
from core.errors import NamedError
from core.events import emit
from core.lists import BulkSelection, in_batches
from core.tenancy import company_id
from core.text.formats import is_currency
from core.text.timezones import zone_of
from core.types import JsonObject, Values
from crm.activities.participants import check_lead, check_member, first_active
from crm.activities.text import one_line, several_lines
from crm.leads.models import Lead, LeadProduct
from crm.leads.places import start_of
from crm.records.datetimes import check_year, company_timezone, read_datetime
from crm.records.writes.updates import Changes, event_value
from outreach.site.quotes.lines import given_line, read_lines, totals_of
from outreach.site.quotes.models import Quote
from outreach.site.quotes.selectors import live_quotes, of_live_leads, quote_settings
from outreach.site.quotes.settings import take_number

Status = Quote.Status
NOT_FOUND = "QuoteNotFound_404"
FIXED = "QuoteCannotBeUpdated_400"
RESTORE_DAYS = 30
"""Days for which a deleted quote can be restored."""
MAX_PURGED = 1000
SUMS = ("subtotal", "discount", "net", "tax", "total")
EVENT_NAMES = {"valid_until": "validUntil"}
"""Names of values in events, where they differ from the model's."""
COPIED = ("title", "currency", "lines", *SUMS, "notes", "terms", "lead_id", "contact_id", "owner_id")
"""The values that a revision begins with."""


def read_end(text: str) -> datetime:
    """Return the last moment of a quote. A day ends on the clock of the company's time zone. Raises InvalidFormat."""
    try:
        day = date.fromisoformat(text.strip())
    except ValueError:
        return read_datetime("validUntil", text)
    check_year("validUntil", text, day.year)
    return end_of(day)


def end_of(day: date) -> datetime:
    """Return the last second of a day in the company's time zone."""
    return start_of(day + timedelta(days=1)) - timedelta(seconds=1)


def usual_end() -> datetime:
    """Return the last moment of a new quote."""
    today = timezone.now().astimezone(zone_of(company_timezone())).date()
    return end_of(today + timedelta(days=quote_settings().valid_days))


@transaction.atomic
def create_quote(*, actor_id: str, lead_id: str, values: Values, automation: bool = True) -> Quote:
    """Create a draft on a lead. Without lines it has the lead's products.

    The default owner is the lead's, or else the member who creates it. Raises LeadNotFound_400, MemberNotFound_404,
    MemberNotAccepted_400, ProductServiceNotFound_400 and InvalidInput_400.
    """
    lead = check_lead(lead_id)
    chosen = quote_settings()
    quote = Quote(
        lead=lead,
        contact_id=lead.contact_id,
        currency=formats_of(company_id()).currency,
        terms=chosen.terms,
        valid_until=usual_end(),
        created_by_id=actor_id,
        updated_by_id=actor_id,
    )
    # A colleague who works on the lead answers the customer, whoever typed the quote.
    if "owner" not in values:
        quote.owner = first_active(lead.team_member_id, actor_id)
    _assign(quote, {"lines": _lines_of(lead), **values})
    # Taken last: the lock on the number is then held for the shortest time.
    quote.number = take_number()
    quote.title = quote.title or quote.number
    quote.save()
    tell("created", [quote], actor_id, automation=automation)
    return quote


@transaction.atomic
def update_quote(*, id: str, actor_id: str, values: Values, automation: bool = True) -> None:
    """Change the given values of a draft; the owner changes at any time.

    Raises QuoteNotFound_404, QuoteCannotBeUpdated_400 and the errors of create_quote.
    """
    _change([locked_quote(id)], values, actor_id, automation)


@transaction.atomic
def update_quotes(
    *, actor_id: str, selection: BulkSelection, values: Values, automation: bool = True
) -> tuple[int, int]:
    """Change owner or last day of the selected quotes, all or none. Returns the number selected and changed.

    Raises QuoteNotFound_404 when ids name none, and the errors of update_quote.
    """
    matched = 0
    changed = 0
    for ids in in_batches(selection.apply(live_quotes()), lock=True):
        quotes = list(Quote.objects.filter(pk__in=ids).order_by("pk"))
        matched += len(quotes)
        changed += _change(quotes, values, actor_id, automation)
    if not matched and not selection.everything:
        raise none_of_them()
    return matched, changed


@transaction.atomic
def revise_quote(*, id: str, actor_id: str, automation: bool = True) -> Quote:
    """Create the next version of a sent quote as a draft. The former one can no longer be accepted.

    A second call returns the same draft. Raises QuoteNotFound_404, and QuoteCannotBeUpdated_400 for a draft, an
    accepted quote, and one whose next version was sent.
    """
    quote = locked_quote(id)
    # The button may be pressed twice: the second press finds the draft of the first.
    following = live_quotes().filter(pk=quote.replaced_by_id).first() if quote.replaced_by_id else None
    if following is not None and following.status == Status.DRAFT:
        return following
    if quote.replaced_by_id:
        raise NamedError(FIXED, "it has a newer version", field="id")
    if quote.status in (Status.DRAFT, Status.ACCEPTED):
        raise NamedError(FIXED, f"the quote is {quote.status}", field="id")
    # Deleted versions count: a number and a version together are never used again.
    versions = Quote.objects.filter(number=quote.number)
    revision = Quote(
        **{name: getattr(quote, name) for name in COPIED},
        number=quote.number,
        version=(versions.aggregate(last=Max("version"))["last"] or 0) + 1,
        valid_until=max(quote.valid_until, usual_end()),
        created_by_id=actor_id,
        updated_by_id=actor_id,
    )
    revision.save()
    quote.replaced_by = revision
    quote.updated_by_id = actor_id
    quote.save(update_fields=["replaced_by", "updated_by", "updated_at"])
    tell("created", [revision], actor_id, automation=automation)
    return revision


@transaction.atomic
def delete_quotes(*, actor_id: str, selection: BulkSelection, automation: bool = True) -> int:
    """Delete the selected quotes. Their links no longer work. Returns their number.

    Raises QuoteNotFound_404 when ids name none.
    """
    deleted = 0
    for ids in in_batches(selection.apply(live_quotes()), lock=True):
        deleted += _delete(list(Quote.objects.filter(pk__in=ids).order_by("pk")), actor_id, automation)
    if not deleted and not selection.everything:
        raise none_of_them()
    return deleted


@transaction.atomic
def delete_quote(*, id: str, actor_id: str, automation: bool = True) -> None:
    """Delete a quote. Its link no longer works. Raises QuoteNotFound_404."""
    _delete([locked_quote(id)], actor_id, automation)


@transaction.atomic
def restore_quotes(*, actor_id: str, ids: Collection[str], automation: bool = True) -> int:
    """Restore deleted quotes, all or none. Returns their number.

    Raises QuoteNotFound_404 when one of them is missing or not deleted, or its lead is deleted.
    """
    # All or none, so that people see at once which selection is out of date.
    deleted = of_live_leads(Quote.objects.exclude(deleted_at=None))
    quotes = list(deleted.select_for_update(of=("self",)).filter(pk__in=ids).order_by("pk"))
    if not quotes or len(quotes) != len(set(ids)):
        raise NamedError(NOT_FOUND, "one of them is no deleted quote of this company", field="ids")
    now = timezone.now()
    for quote in quotes:
        quote.deleted_at = None
        quote.updated_by_id = actor_id
        quote.updated_at = now
    Quote.objects.bulk_update(quotes, ["deleted_at", "updated_by", "updated_at"])
    for quote in quotes:
        _replace_former(quote)
    tell("restored", quotes, actor_id, automation=automation)
    return len(quotes)


def purge_quotes() -> bool:
    """Delete quotes permanently that were deleted RESTORE_DAYS ago. Returns whether there may be more."""
    ended = timezone.now() - timedelta(days=RESTORE_DAYS)
    ids = list(Quote.objects.filter(deleted_at__lt=ended).values_list("pk", flat=True)[:MAX_PURGED])
    # In slices: one statement over all would hold its locks for too long.
    Quote.objects.filter(pk__in=ids).delete()
    return len(ids) == MAX_PURGED


def locked_quote(id: str) -> Quote:
    """Return a quote of the company, locked until the transaction ends. Raises QuoteNotFound_404."""
    quote = live_quotes().select_for_update(of=("self",)).filter(pk=id).first()
    if quote is None:
        raise not_found()
    return quote


def not_found() -> NamedError:
    """Return the error for an id that belongs to no quote of the company."""
    return NamedError(NOT_FOUND, "there is no such quote in this company", field="id")


def none_of_them() -> NamedError:
    """Return the error for ids that name no quote of the company."""
    return NamedError(NOT_FOUND, "none of them is a quote of this company", field="ids")


def event_payload(quote: Quote) -> JsonObject:
    """Return the payload of the events of a quote."""
    return {
        "lead": quote.lead_id,
        "contact": quote.contact_id,
        "title": quote.title,
        "number": quote.label,
        "status": quote.status,
        "total": float(quote.total),
        "currency": quote.currency,
    }


def tell(
    word: str,
    quotes: Sequence[Quote],
    actor_id: str | None,
    *,
    automation: bool = True,
    details: Values | None = None,
) -> None:
    """Emit the event of the quotes; `details` has id -> further keys of the payload."""
    if not quotes:
        return
    payloads = {quote.pk: {**event_payload(quote), **(details or {}).get(quote.pk, {})} for quote in quotes}
    emit(f"quote.{word}", list(payloads), payloads=payloads, actor_id=actor_id, automation=automation)


def _replace_former(quote: Quote) -> None:
    """Let a restored revision replace the version before it again."""
    if quote.version == 1:
        return
    former = Quote.objects.filter(number=quote.number, version__lt=quote.version).order_by("-version").first()
    if former is not None:
        Quote.objects.filter(pk=former.pk, replaced_by=None).exclude(status=Status.ACCEPTED).update(replaced_by=quote)


def _lines_of(lead: Lead) -> list[JsonObject]:
    """Return a line for each product of a lead."""
    rows = LeadProduct.objects.filter(lead=lead, product_service__is_deleted=False).order_by("product_service__name")
    return [{"product": id} for id in rows.values_list("product_service_id", flat=True)]


def _change(quotes: Sequence[Quote], values: Values, actor_id: str, automation: bool) -> int:
    """Write the values into the locked quotes. Returns the number that are different."""
    changes_by_id: dict[str, JsonObject] = {}
    for quote in quotes:
        # The customer has what was sent: only who looks after it may still change.
        if quote.status != Status.DRAFT and values.keys() - {"owner"}:
            raise NamedError(FIXED, f"the quote is {quote.status}; revise it", field="id")
        changes = _assign(quote, values)
        if changes:
            quote.updated_by_id = actor_id
            quote.save()
            changes_by_id[quote.pk] = {"changes": changes}
    changed = [quote for quote in quotes if quote.pk in changes_by_id]
    tell("updated", changed, actor_id, automation=automation, details=changes_by_id)
    return len(changed)


def _assign(quote: Quote, values: Values) -> Changes:
    """Set the values and the sums. Returns the differences, named as in events."""
    before = {name: getattr(quote, name) for name in ("title", "notes", "terms", "valid_until", "currency", "total")}
    before["owner"] = quote.owner_id
    lines_before = quote.lines
    if "owner" in values and values["owner"] != quote.owner_id:
        quote.owner_id = check_member("owner", values["owner"]).pk if values["owner"] else None
    if "title" in values:
        quote.title = one_line(values["title"])
    for name in ("notes", "terms"):
        if name in values:
            setattr(quote, name, several_lines(values[name]))
    if "valid_until" in values:
        quote.valid_until = read_end(values["valid_until"])
    if "currency" in values and not is_currency(values["currency"]):
        raise NamedError("InvalidInput_400", "enter a code such as EUR", field="currency")
    quote.currency = values.get("currency", quote.currency)
    # Another currency has other decimals, so that amounts are rounded again from the given values.
    if "lines" in values or quote.currency != before["currency"]:
        given = values["lines"] if "lines" in values else [given_line(line) for line in quote.lines]
        quote.lines = read_lines(given, quote.currency, formats_of(company_id()).currency)
        totals = totals_of(quote.lines, quote.currency)
        for name in SUMS:
            setattr(quote, name, getattr(totals, name))
    changes: Changes = {}
    for name, was in before.items():
        is_now = quote.owner_id if name == "owner" else getattr(quote, name)
        if was != is_now:
            changes[EVENT_NAMES.get(name, name)] = {"from": event_value(was), "to": event_value(is_now)}
    if lines_before != quote.lines:
        changes["lines"] = {"from": len(lines_before), "to": len(quote.lines)}
    return changes


def _delete(quotes: Sequence[Quote], actor_id: str, automation: bool) -> int:
    """Delete the locked quotes. A version that a deleted draft has replaced is the current one again."""
    now = timezone.now()
    ids = [quote.pk for quote in quotes]
    drafts = [quote.pk for quote in quotes if quote.status == Status.DRAFT]
    # The customer can accept the former version again, since its revision never reached them.
    Quote.objects.filter(replaced_by__in=drafts).update(replaced_by=None, updated_at=now)
    Quote.objects.filter(pk__in=ids).update(deleted_at=now, updated_by=actor_id, updated_at=now)
    tell("deleted", quotes, actor_id, automation=automation)
    return len(quotes)
