"""Samples of a run with its time and cost: drafts for a few of its recipients, which are not stored."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from decimal import Decimal
from time import monotonic

from django.utils import timezone

from core.errors import NamedError
from core.tenancy import company_id
from core.types import JsonObject, Values
from crm.models import Contact
from outreach.connections.ai.briefs import ContactBriefs, company_brief
from outreach.connections.ai.budgets import Cap, call_price, remaining
from outreach.connections.ai.evidence import evidence_of, is_unproved
from outreach.connections.ai.languages import language_name, language_of
from outreach.connections.ai.models import AiUsage
from outreach.connections.ai.providers import AiProvider, ComposeBrief, ContactBrief, Draft, LeadSearch, ProviderError
from outreach.connections.ai.providers.purpose import read_purpose
from outreach.connections.ai.services import ai_type_of, choose_ai_app, provider_api_error, provider_of
from outreach.connections.ai.usage import cap_of_run, currency
from outreach.connections.connected_apps.turns import connection_test_slot
from outreach.connections.senders.models import Sender
from outreach.messaging.delivery.deciding.context import SendContext
from outreach.messaging.delivery.deciding.estimate import estimate
from outreach.messaging.delivery.limits.sending_hours import company_language
from outreach.messaging.delivery.senders import choose_sender
from outreach.prospecting.lead_generation.services import SHORTLIST, leadless_contacts
from outreach.prospecting.lead_sources.selectors import lead_sources
from outreach.runs.genie.audience import Audience, preview, sendable_contacts

SAMPLES = 3
MAX_COUNTED = 10_000
SOMEBODY = ContactBrief(name="Ada Example", fields={"Company": "Example Works", "Job title": "Head of Marketing"})
"""Stands for people who are not known yet, in estimates."""
SAMPLE_SECONDS = 12
"""Seconds that a model may take for all of them; the request waits for it."""
LEAST_SECONDS = 1
"""With less time left no further one is begun."""


def preview_run(
    audience: Audience,
    *,
    prompt: str,
    tone: str,
    language: str,
    ai_type: str | None,
    smtp: str | None,
    outreach_cadence: Values,
    token_cap: int | None = None,
    cost_cap: Decimal | None = None,
) -> JsonObject:
    """Count the recipients of a run, compose samples, and estimate its time and its price. `smtp` is the sender's id.

    Time is that of the first messages; the price includes all follow-ups, if nothing stops any. A company without a
    sender gets no estimate of time. It stores only the calls of a model.

    Raises the errors of the AI app, NoSMTPSelected_400 for an invalid sender, and ConnectionTestRunning_429 while a
    model writes other samples.
    """
    ai_type = ai_type_of(choose_ai_app(ai_type))
    sender = _sender(smtp)
    counts = preview(audience, sample=False)
    context = SendContext.load()
    taken = estimate(counts["sendable"], sender, window=context.window, zone=context.zone, now=timezone.now())
    provider = provider_of(ai_type, AiUsage.Purpose.SAMPLE)
    contacts = list(sendable_contacts(audience.contacts()).select_related("category").order_by("pk")[:SAMPLES])
    company = company_brief(sender.from_name if sender else "")
    of_company = company_language()
    briefs = [
        ComposeBrief(
            contact=contact,
            company=company,
            prompt=prompt,
            tone=tone,
            language=language_name(language or language_of(contact.fields) or of_company) or None,
            seed=f"{company_id()}/{row.pk}",
        )
        for contact, row in zip(ContactBriefs.load().briefs_for(contacts), contacts, strict=True)
    ]
    number = counts["sendable"] * (1 + len(outreach_cadence.get("steps", ())))
    return {
        "count": counts["count"],
        "sendable": counts["sendable"],
        "excluded": counts["excluded"],
        "price": _price(provider, briefs, number, cap_of_run(token_cap, cost_cap)) if provider.calls_a_model else None,
        "drafts": _drafts(provider, briefs, contacts),
        "composer": {"aiType": ai_type, "name": provider.name, "callsAModel": provider.calls_a_model},
        "modelCalls": number if provider.calls_a_model else 0,
        "sender": sender,
        "messagesPerHour": taken.per_hour,
        "messagesPerDay": taken.per_day,
        "beginsAt": taken.begins_at,
        "endsAt": taken.ends_at,
    }


def preview_search(
    *,
    prompt: str,
    outreach_prompt: str,
    tone: str,
    ai_type: str | None,
    count: int,
    among: Sequence[str] | None,
    own_contacts: bool,
    new_contacts: bool,
) -> JsonObject:
    """Return the expected result of a search for this number of people, and the time and price of its judgements and
    messages.

    Stores nothing. `among` are the senders to choose from. Without `own_contacts` their number is not revealed; without
    `new_contacts` lead sources are not used. Raises the errors of the AI app.
    """
    ai_type = ai_type_of(choose_ai_app(ai_type))
    sender, context = _sender(None, among), SendContext.load()
    taken = estimate(count, sender, window=context.window, zone=context.zone, now=timezone.now())
    provider = provider_of(ai_type, AiUsage.Purpose.SAMPLE)
    company = company_brief(sender.from_name if sender else "")
    about = outreach_prompt or read_purpose(prompt).what
    brief = ComposeBrief(contact=SOMEBODY, company=company, prompt=about, goal=prompt, tone=tone, seed=company_id())
    search = LeadSearch(prompt=prompt, company=company)
    judged = provider.judging(search, [SOMEBODY] * (SHORTLIST * count))
    return {
        "price": _price(provider, [brief], count, cap_of_run(None, None), judged) if provider.calls_a_model else None,
        "about": about,
        "count": count,
        "ownContacts": leadless_contacts()[:MAX_COUNTED].count() if own_contacts else None,
        "composer": {"aiType": ai_type, "name": provider.name, "callsAModel": provider.calls_a_model},
        "modelCalls": count if provider.calls_a_model else 0,
        "sender": sender,
        "messagesPerHour": taken.per_hour,
        "messagesPerDay": taken.per_day,
        "beginsAt": taken.begins_at,
        "endsAt": taken.ends_at,
        "sources": [source.app.name for source in lead_sources()] if new_contacts else [],
    }


def _sender(smtp: str | None, among: Sequence[str] | None = None) -> Sender | None:
    """Return the sender of a run; None for a company that has none yet."""
    try:
        return choose_sender(smtp, among)
    except NamedError:
        if smtp is not None:
            raise
        return None


def _price(
    provider: AiProvider, briefs: Sequence[ComposeBrief], number: int, cap: Cap, judged: tuple[int, int] = (0, 0)
) -> JsonObject:
    """Estimate the tokens and cost of the messages, from the briefs of the first ones, and the rest of the caps.

    `judged` are the tokens of judging the recipients before. The messages fit if the caps allow all of them, plus the
    reservation of a running call.
    """
    app, each = provider.app, [provider.estimate(brief) for brief in briefs]
    sent = sum(tokens for tokens, _ in each) * number // max(1, len(each)) + judged[0]
    came = sum(tokens for _, tokens in each) * number // max(1, len(each)) + judged[1]
    priced = app.price_per_million_in is not None or app.price_per_million_out is not None
    cost, left = call_price(app, sent, came), remaining(app, cap)
    reserved = [provider.reservation(brief) for brief in briefs]
    call_tokens = max((sum(reservation) for reservation in reserved), default=0)
    call_cost = max((call_price(app, *reservation) for reservation in reserved), default=Decimal(0))
    # The last call reserves its most while all others have been settled.
    most = max(call_tokens, (sent + came) * (number - 1) // max(1, number) + call_tokens if number else 0)
    dearest = max(call_cost, cost * (number - 1) / max(1, number) + call_cost if number else Decimal(0))
    fits = (left.tokens is None or most <= left.tokens) and (left.cost is None or dearest <= left.cost)
    return {
        "tokensIn": sent,
        "tokensOut": came,
        "cost": cost if priced else None,
        "currency": currency(),
        "callTokens": call_tokens,
        "callCost": call_cost if priced else None,
        "tokensLeft": left.tokens,
        "costLeft": left.cost,
        "fits": fits,
    }


def _drafts(provider: AiProvider, briefs: Sequence[ComposeBrief], contacts: Sequence[Contact]) -> list[JsonObject]:
    # Samples hold a web thread, so a company has one at a time.
    with connection_test_slot() if provider.calls_a_model else nullcontext():
        drafts = _within_time(provider, briefs) if provider.calls_a_model else provider.compose_many(list(briefs))
    # The app itself is the problem: one error instead of three empty samples.
    if provider.halted is not None and not any(isinstance(draft, Draft) for draft in drafts):
        raise provider_api_error(provider.halted)
    samples = []
    for row, brief, draft in zip(contacts, briefs, drafts, strict=True):
        person = {"_id": row.pk, "name": row.name, "email": row.email}
        samples.append({"contact": person, **_sample_data(draft, brief, every_sentence=provider.calls_a_model)})
    return samples


def _within_time(provider: AiProvider, briefs: Sequence[ComposeBrief]) -> list[Draft | ProviderError]:
    """Compose one after the other until the time for all of them is over; the rest are errors."""
    most, ends = provider.app.timeout_seconds, monotonic() + SAMPLE_SECONDS
    drafts: list[Draft | ProviderError] = []
    for brief in briefs:
        left = ends - monotonic()
        if left < LEAST_SECONDS and provider.halted is None:
            detail = f"There was no time left for it: samples take {SAMPLE_SECONDS} seconds at most, all together."
            drafts.append(ProviderError("slow", detail, temporary=True))
            continue
        # The last sample may use what the others have left, and no more.
        provider.app.timeout_seconds = min(most, max(1, int(left)))
        drafts += provider.compose_many([brief])
    return drafts


def _sample_data(draft: Draft | ProviderError, brief: ComposeBrief, *, every_sentence: bool) -> JsonObject:
    if isinstance(draft, ProviderError):
        return {"subject": "", "text": "", "evidence": [], "unproved": False, "error": draft.detail}
    evidence = evidence_of(draft, brief, every_sentence=every_sentence)
    content = {"subject": draft.subject, "text": draft.text}
    return {**content, "evidence": evidence, "unproved": is_unproved(evidence), "error": ""}
