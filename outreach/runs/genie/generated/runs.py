"""Runs that find their recipients themselves (POST /genie): the search is begun with the run, and its leads are the
audience."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.errors import ValidationFailed
from core.types import Values
from outreach.connections.ai.services import choose_ai_app
from outreach.messaging.delivery.senders import choose_sender, columns_of
from outreach.prospecting.enrichment.selectors import check_enrichment
from outreach.prospecting.lead_generation.models import LeadGeneration
from outreach.prospecting.lead_generation.services import start_generation
from outreach.runs.genie.audience import Audience
from outreach.runs.genie.channels import read_channels
from outreach.runs.genie.generated.makers import MAX_RETRY_DELAY, end_run, wake_run
from outreach.runs.genie.models import GenieScheduler
from outreach.runs.genie.queue import check_queue
from outreach.runs.genie.services import insert_run

STOPPED = "The search for people was cancelled."


@transaction.atomic
def start_generated_run(
    *,
    member_id: str,
    new_contacts: bool,
    prompt: str,
    count: int,
    industry: str,
    additional_filters: Values,
    whitelisted_custom: bool,
    custom_whitelisted_domains: Sequence[str],
    ai_type: str | None,
    custom_channel_selection: bool,
    custom_channels: Values,
    enrichment_enabled: bool,
    name: str,
    token_cap: int | None = None,
    cost_cap: Decimal | None = None,
    automation: bool = True,
    **columns: Any,
) -> GenieScheduler:
    """Start a run with the search for its recipients; `columns` are further ones of the run.

    Raises PromptRequired_400, MaximumLeadsExceeded_400, PlanLimitExceeded_403, AppNotFound_400, and the errors of the
    AI app, of the sender and of filters.
    """
    if whitelisted_custom and not custom_whitelisted_domains:
        raise ValidationFailed(
            "customWhitelistedDomains is required with whitelistedCustom",
            "enter the domains",
            field="customWhitelistedDomains",
        )
    search = _begin_search(
        member_id=member_id,
        prompt=prompt,
        count=count,
        industry=industry,
        additional_filters=additional_filters,
        domains=custom_whitelisted_domains if whitelisted_custom else (),
        ai_type=ai_type,
        automation=automation,
        new_contacts=new_contacts,
    )
    check_enrichment(enrichment_enabled)
    channels = read_channels(custom_channel_selection, custom_channels)
    among = [id for ids in channels.values() for id in ids] if custom_channel_selection else None
    check_queue(lambda: count)
    return insert_run(
        member_id=member_id,
        prompt=prompt,
        name=name,
        token_cap=token_cap,
        cost_cap=cost_cap,
        automation=automation,
        ai_type=search.ai_type,
        audience=Audience().as_json(),
        generation=search,
        enrichment_enabled=enrichment_enabled,
        custom_channel_selection=custom_channel_selection,
        custom_channels=channels,
        **columns_of(choose_sender(None, among)),
        # The search wakes the run when it ends; this is for a wake-up that gets lost.
        due_at=timezone.now() + MAX_RETRY_DELAY,
        **columns,
    )


def _begin_search(**values: Any) -> LeadGeneration:
    choose_ai_app(values["ai_type"])  # a company without one is told so before anything else is wrong
    return start_generation(**values)


@transaction.atomic
def restart_search(run: GenieScheduler) -> LeadGeneration:
    """Begin the search of a further occurrence, as that of the present one. The locked run waits for it."""
    before = LeadGeneration.objects.get(pk=run.generation_id)
    generation = start_generation(
        member_id=before.created_by_id,
        prompt=before.prompt,
        count=before.count,
        industry=before.industry,
        domains=before.domains,
        ai_type=before.ai_type,
        automation=before.automation,
        new_contacts=before.new_contacts,
        stored_filters=before.additional_filters,
        limited=before.limited,
    )
    GenieScheduler.objects.filter(pk=run.pk).update(
        generation=generation,
        # Emptied, so that nobody of the former occurrence is written to while the search goes on.
        audience=Audience().as_json(),
        due_at=timezone.now() + MAX_RETRY_DELAY,
        updated_at=timezone.now(),
    )
    return generation


def search_ended(search: LeadGeneration) -> None:
    """Give a run the leads that its search has created as its audience, or end the run without leads.

    It is called in the transaction that ends the search.
    """
    run = GenieScheduler.objects.filter(generation=search.pk).values_list("pk", "occurrence").first()
    if run is None:
        return
    run_id, occurrence = run
    leads = [each["lead"] for each in search.found if "lead" in each]
    # That a further occurrence finds nobody new is no failure: the next one looks again.
    if search.status == LeadGeneration.Status.COMPLETED and (leads or occurrence > 1):
        wake_run(run_id, audience=Audience(lead_ids=tuple(leads)).as_json())
    else:
        end_run(run_id, STOPPED if search.status == LeadGeneration.Status.CANCELLED else _empty_search_reason(search))


def run_of(search: LeadGeneration) -> GenieScheduler | None:
    """Return the run that a search is made for, whose caps bind the calls of its AI app."""
    return GenieScheduler.objects.filter(generation=search.pk).only("pk", "token_cap", "cost_cap").first()


def _empty_search_reason(search: LeadGeneration) -> str:
    reason = search.error or "The search for people failed."
    return f"Nobody was found to write to. {reason}"
