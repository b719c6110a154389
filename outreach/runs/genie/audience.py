"""Audiences: the union of five selectors, read in order of the contacts' ids, and previewed as a whole."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from django.db.models import BooleanField, Case, Count, Exists, F, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Lower
from django.db.models.lookups import In
from django.utils import timezone

from accounts.settings.formats import formats_of
from core.errors import NamedError
from core.tenancy import company_id
from core.types import JsonObject, Values
from crm.models import Contact, ContactCategory, ContactTag, Lead, Segment, Tag
from crm.segments.services import compile_segment, contacts_of, next_contacts
from outreach.connections.chat_apps.models import ChatOptOut
from outreach.connections.chat_apps.selectors import PHONE
from outreach.messaging.delivery.deciding.chats import by_chat as chats_by_contact
from outreach.messaging.delivery.deciding.context import SendContext
from outreach.messaging.delivery.deciding.decision import DecisionInput, Stop, decide, describe
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.suppression.addresses import ADDRESS
from outreach.messaging.suppression.models import Suppression
from outreach.messaging.suppression.selectors import suppressed_addresses

SAMPLE = 10
RECENT = timedelta(days=30)
WRITTEN = (*SendJob.TO_SEND, SendJob.Status.SENDING, SendJob.Status.SENT, SendJob.Status.UNKNOWN)
"""Statuses of messages that have reached a person, or still may."""


@dataclass(frozen=True)
class Audience:
    """A checked selection of live contacts."""

    contact_ids: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    lead_ids: tuple[str, ...] = ()
    """Leads whose contacts belong to the audience while the leads are live."""
    segments: tuple[str, ...] = ()
    _sorted: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def from_json(cls, audience: Values) -> Audience:
        """Return the audience of a run, stored by `as_json`."""
        ids, leads = tuple(audience.get("contactIds") or ()), tuple(audience.get("leadIds") or ())
        # Read once: the leads' contacts are part of the sorted ids that planning walks through.
        named = sorted({*ids, *_live_leads(leads).values_list("contact_id", flat=True)}) if leads else sorted(ids)
        tags, categories, segments = (tuple(audience.get(name) or ()) for name in ("tags", "categories", "segments"))
        return cls(ids, tags, categories, leads, segments, tuple(named))

    def as_json(self) -> JsonObject:
        """Return the contract's five selectors."""
        return {
            "contactIds": list(self.contact_ids),
            "leadIds": list(self.lead_ids),
            "segments": list(self.segments) or None,
            "tags": list(self.tags) or None,
            "categories": list(self.categories) or None,
        }

    def contacts(self) -> QuerySet[Contact]:
        """Return all live contacts of the audience, each once."""
        where = Q(pk__in=self.contact_ids)
        if self.lead_ids:
            where |= Q(pk__in=_live_leads(self.lead_ids).values("contact_id"))
        if self.tags:
            where |= Q(Exists(ContactTag.objects.filter(contact_id=OuterRef("pk"), tag_id__in=self.tags)))
        if self.categories:
            where |= Q(category_id__in=self.categories)
        for segment in self._segments():
            where |= Q(pk__in=contacts_of(segment).values("pk"))
        return Contact.objects.filter(where, is_deleted=False)

    def next_ids(self, place: str, size: int) -> list[str]:
        """Return up to `size` ids of contacts after the id `place`, ascending; none at the end. Some may be deleted.

        Each selector reads its next ids from its own index, so that every step costs the same.
        """
        # The named ids are sorted in memory, so a step costs no query for them.
        start = bisect_right(self._sorted, place)
        ids = set(self._sorted[start : start + size])
        tagged = (
            ContactTag.objects.filter(contact_id__gt=place).order_by("contact_id").values_list("contact_id", flat=True)
        )
        filed = Contact.objects.filter(pk__gt=place, is_deleted=False).order_by("pk").values_list("pk", flat=True)
        branches: list[QuerySet[Any, Any]] = [tagged.filter(tag_id=tag)[:size] for tag in self.tags]
        branches += [filed.filter(category_id=category)[:size] for category in self.categories]
        branches += [next_contacts(segment, place, size) for segment in self._segments()]
        if branches:
            # Each branch has its own limit, so that none reads more of its index than the step can use.
            ids.update(branches[0].union(*branches[1:], all=True))
        # Ids beyond the step's size come again in the next one, as the place is an id and not an offset.
        return sorted(ids)[:size]

    def _segments(self) -> list[Segment]:
        """Return the segments that still exist."""
        return list(Segment.objects.filter(pk__in=self.segments)) if self.segments else []


def select(
    *, contact_ids: list[str], lead_ids: list[str], segments: Any, tags: list[str] | None, categories: list[str] | None
) -> Audience:
    """Return the audience of a request. Raises the error of the selector for an id that is not live in this company.

    Raises InvalidRequest_400 for a segment with a deleted field.
    """
    _all_exist(Segment.objects.all(), segments or [], "segments", "SegmentNotFound_400")
    for segment in Segment.objects.filter(pk__in=segments or [], kind=Segment.Kind.DYNAMIC):
        # Compiled before the run exists: a filter over a deleted field would fail in the worker, where nobody
        # sees it.
        compile_segment(segment)
    _all_exist(Contact.objects.filter(is_deleted=False), contact_ids, "contactIds", "ContactNotFound_400")
    _all_exist(Lead.objects.filter(is_deleted=False), lead_ids, "leadIds", "LeadNotFound_400")
    _all_exist(Tag.objects.all(), tags or [], "tags", "TagNotFound_400")
    _all_exist(ContactCategory.objects.all(), categories or [], "categories", "ContactCategoryNotFound_400")
    chosen = {
        "contactIds": contact_ids,
        "leadIds": lead_ids,
        "segments": segments,
        "tags": tags,
        "categories": categories,
    }
    return Audience.from_json(chosen)


def _live_leads(ids: Iterable[str]) -> QuerySet[Lead]:
    return Lead.objects.filter(pk__in=ids, is_deleted=False)


def _all_exist(rows: QuerySet[Any], ids: list[str], parameter: str, name: str) -> None:
    existing = set(rows.filter(pk__in=ids).values_list("pk", flat=True)) if ids else set()
    missing = [row_id for row_id in ids if row_id not in existing]
    if missing:
        raise NamedError(
            name, f"{', '.join(missing[:5])} not found in this company ({len(missing)} in all)", field=parameter
        )


def preview(audience: Audience, *, sample: bool = True, by_chat: bool = False) -> JsonObject:
    """Count the contacts of the audience and those that can be written to, by mail or by chat, by reason, with
    decisions for a sample.

    The `sample` shows contacts; without it, it is empty.
    """
    excluded: dict[str, int] = {}
    total = sendable = recent = 0
    # Counted by combinations, of which there are sixteen at most, however large the audience is.
    for decision_input, written, count in _combinations(audience.contacts(), by_chat):
        decision = decide(decision_input, timezone.now())
        total += count
        if isinstance(decision, Stop):
            excluded[decision.reason] = excluded.get(decision.reason, 0) + count
        else:
            sendable += count
            recent += count if written else 0
    return {
        "count": total,
        "sendable": sendable,
        "writtenRecently": recent,
        "excluded": excluded,
        "sample": _sample(audience, by_chat) if sample else [],
    }


def sendable_contacts(contacts: QuerySet[Contact]) -> QuerySet[Contact]:
    """Return those of the contacts that can be written to."""
    # IN and not NOT EXISTS with lower(): PostgreSQL hashes the list once instead of asking for each row.
    suppressed = In(Lower("email"), Suppression.objects.values("email"))
    return contacts.filter(email__regex=ADDRESS, unsubscribed_at=None).exclude(suppressed)


def _combinations(contacts: QuerySet[Contact], by_chat: bool) -> Iterable[tuple[DecisionInput, bool, int]]:
    """Yield each combination of reasons that exclude a recipient and of a recent message from a run, by one statement.

    Each comes with its number of contacts.
    """
    runs = SendJob.objects.filter(run__isnull=False, created_at__gte=timezone.now() - RECENT, status__in=WRITTEN)

    def flag(condition: Any) -> Case:
        return Case(When(condition, then=Value(True)), default=Value(False), output_field=BooleanField())

    # Hashed once; an EXISTS would run for each row.
    suppressed: Any = In(Lower("email"), Suppression.objects.values("email"))
    if by_chat:
        suppressed = In(F("contact_number"), ChatOptOut.objects.values("phone"))
    rows = (
        contacts.annotate(
            address=flag(Q(contact_number__regex=PHONE) if by_chat else Q(email__regex=ADDRESS)),
            suppressed=flag(suppressed),
            unsubscribed=flag(Q(unsubscribed_at__isnull=False)),
            written=flag(In(F("pk"), runs.values("contact_id"))),
        )
        .order_by()
        .values_list("address", "suppressed", "unsubscribed", "written")
        .annotate(number=Count("pk"))
    )
    for address, suppressed, unsubscribed, written, number in rows:
        yield DecisionInput(address_valid=address, suppressed=suppressed, unsubscribed=unsubscribed), written, number


def _sample(audience: Audience, by_chat: bool) -> list[JsonObject]:
    now = timezone.now()
    context = SendContext.load()
    formats = formats_of(company_id())
    contacts = list(audience.contacts().only(*_SAMPLE_COLUMNS).order_by("pk")[:SAMPLE])
    suppressed = suppressed_addresses(contact.email for contact in contacts)
    chats = chats_by_contact(contacts) if by_chat else {}
    rows = []
    for contact in contacts:
        decision_input = context.decision_input(
            contact, suppressed=(contact.email or "").lower() in suppressed, now=now
        )
        decision_input = replace(decision_input, **chats.get(contact.pk, {}))
        rows.append(
            {
                "_id": contact.pk,
                "name": contact.name,
                "email": contact.email,
                "contactNumber": contact.contact_number,
                "decision": describe(decision_input, now, formats),
            }
        )
    return rows


_SAMPLE_COLUMNS = ("id", "name", "email", "contact_number", "unsubscribed_at", "replied_at", "is_deleted")
