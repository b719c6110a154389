"""Lead generation: finds people who fit a description, and creates leads of the best.

The search reads the company's contacts without a lead by id, then queries its lead sources. It stores the best so far
and the sources' responses in the job, so that it resumes after a killed worker. The leads, the contacts of new people
and the end of the job commit together.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from time import monotonic
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from core.access import entitlement, is_limited, limited_creation, reserve_quota
from core.errors import NamedError
from core.hooks import Hook
from core.jobs import finish, notify_workers, release, save_progress, update_owned
from core.jobs.runner import notify_ended
from core.lists import tree
from core.lists.values import refuse
from core.types import JsonObject, Values
from crm.contacts.selectors import live_contacts
from crm.leads.references import missing_references
from crm.leads.relations import Relations
from crm.leads.schema import CONTACT_KEYS, LeadSchema
from crm.leads.selectors import live_leads
from crm.leads.services import create_leads
from crm.models import Contact, Lead
from crm.records.problems import problems_error
from crm.segments.services import fields_of, stored_tree
from outreach.connections.ai.briefs import CONTACT_COLUMNS, ContactBriefs, company_brief
from outreach.connections.ai.models import AiUsage
from outreach.connections.ai.providers import Fit, LeadSearch, ProviderError
from outreach.connections.ai.providers.matching import terms_of
from outreach.connections.ai.providers.purpose import read_purpose
from outreach.connections.ai.services import ai_type_of, choose_ai_app, provider_of
from outreach.prospecting.lead_generation.lookups import (
    NewPeople,
    ask_sources,
    lead_source_values,
    make_contacts,
    new_people,
)
from outreach.prospecting.lead_generation.models import LeadGeneration
from outreach.prospecting.lead_generation.search_criteria import SearchCriteria

MAX_LEADS = 50
"""The most leads of one search, as in the contract for runs."""
SHORTLIST = 5
"""Number of contacts that the provider judges per requested lead."""
BATCH = 1000
LAPSED = "The company's subscription has ended. Renew it, then start the search again."
NOBODY = "No contact without a lead has any of the words looked for."
NOBODY_NEW = "No contact without a lead has any of the words looked for, and no lead source knows anybody who does."
Found = JsonObject
"""Somebody who fits: contact (id), score, reason; in the end also lead (id). Of a lead source also source and url, and
until the end candidate (the place among the candidates) instead of a contact who is new."""
lead_generation_ended: Hook[[LeadGeneration], None] = Hook(
    __name__,
    "lead_generation_ended",
    "After a search for leads has ended, in that transaction. Continues the run that waits for it.",
)
lead_generation_run: Hook[[LeadGeneration], Any] = Hook(
    __name__,
    "lead_generation_run",
    "When the AI's use by a search for leads is counted; the first run counts. Returns the run of the search (pk,"
    " token_cap, cost_cap), or None.",
)


class _NoLeadSource(Exception):
    """New contacts are not created because their leads failed. The text is the reason."""


class _Stopped(Exception):
    """The search was asked to stop while its leads were made, which are rolled back."""


@transaction.atomic
def start_generation(
    *,
    member_id: str | None,
    prompt: str,
    count: int,
    industry: str = "",
    additional_filters: Values | None = None,
    domains: Sequence[str] = (),
    ai_type: str | None = None,
    form_data: Values | None = None,
    relations: Values | None = None,
    automation: bool = True,
    new_contacts: bool = False,
    stored_filters: Values | None = None,
    limited: bool | None = None,
) -> LeadGeneration:
    """Start a search, which a worker runs. Each lead gets the values of form_data and the relations.

    Lead sources are queried if the member may create contacts (`new_contacts`). `stored_filters` and `limited` are
    those of a repeated search, outside of a request.

    Raises PromptRequired_400, MaximumLeadsExceeded_400 and PlanLimitExceeded_403, and InvalidRequest_400 for unknown
    filters. Raises the errors of the AI app and of the leads' values and relations.
    """
    _check_search(prompt, industry, count)
    app = choose_ai_app(ai_type)
    _check_lead(form_data or {}, relations or {})
    reserve_quota("lead-gen-ai")
    generation = LeadGeneration.objects.create(
        prompt=prompt,
        industry=industry,
        count=count,
        additional_filters=dict(stored_filters or {}) or _stored_filters(additional_filters or {}),
        domains=sorted({domain.lower().removeprefix("@") for domain in domains}),
        ai_type=ai_type_of(app),
        lead_values={"formData": dict(form_data or {}), "relations": dict(relations or {})},
        limited=is_limited() if limited is None else limited,
        automation=automation,
        new_contacts=new_contacts,
        created_by_id=member_id,
    )
    notify_workers("lead-generation")
    return generation


def _check_search(prompt: str, industry: str, count: int) -> None:
    if not prompt.strip():
        raise NamedError(
            "PromptRequired_400", "enter who to find, such as marketing managers in Berlin", field="prompt"
        )
    if count > MAX_LEADS:
        raise NamedError("MaximumLeadsExceeded_400", f"enter at most {MAX_LEADS}", field="count")
    if not terms_of(read_purpose(prompt).who, industry):
        raise NamedError(
            "PromptRequired_400",
            "enter a job, a place or an industry",
            field="prompt",
        )


def _check_lead(form_data: Values, relations: Values) -> None:
    foreign = sorted(CONTACT_KEYS & form_data.keys())
    if foreign:
        raise NamedError(
            "InvalidSystemField_400", "belongs to the contacts, which are there already", field=f"formData.{foreign[0]}"
        )
    schema = LeadSchema.load()
    row, problems = schema.read(form_data, partial=True)
    if row is None:
        raise problems_error(problems)
    Relations(**relations).put_into(row)
    absent = missing_references([row]).get(0) or schema.check_references([row]).get(0)
    if absent:
        raise problems_error(absent)


def _stored_filters(filters: Values) -> JsonObject:
    """Return the tree of conditions, from a tree or from fields and values."""
    if not filters:
        return {}
    advanced = "conditions" in filters or "field" in filters
    try:
        return stored_tree("contact", None if advanced else filters, filters if advanced else None)
    except NamedError as error:
        raise refuse("additionalFilters", error.detail) from None


def get_generation(id: str) -> LeadGeneration:
    """Return the company's search with this id. Raises NotFound_404 when there is none."""
    generation = LeadGeneration.objects.filter(pk=id).first()
    if generation is None:
        raise NamedError("NotFound_404", "there is no such lead generation in this company", field="id")
    return generation


@transaction.atomic
def cancel_generation(id: str) -> LeadGeneration:
    """Cancel a search before it makes its leads. Raises NotFound_404, and InvalidInput_400 for one that has ended."""
    get_generation(id)
    generation = LeadGeneration.objects.select_for_update(of=("self",)).get(pk=id)
    if generation.status == LeadGeneration.Status.RUNNING:
        generation.cancel_requested = True
    elif generation.status == LeadGeneration.Status.QUEUED:
        generation.status = LeadGeneration.Status.CANCELLED
        generation.finished_at = timezone.now()
    elif generation.status != LeadGeneration.Status.CANCELLED:
        raise NamedError(
            "InvalidInput_400",
            f"the search is {generation.status} already; delete its leads",
            field="status",
            operation="DELETE /lead",
        )
    generation.save(update_fields=["cancel_requested", "status", "finished_at", "updated_at"])
    if generation.status == LeadGeneration.Status.CANCELLED:
        notify_ended(generation)
    return generation


def search_ended(job: LeadGeneration) -> None:
    """Delete the rejected people, and notify the listeners of the search, in the transaction that ends it."""
    if job.candidates:
        LeadGeneration.objects.filter(pk=job.pk).update(candidates=[])
    lead_generation_ended.send(job)


def run(job: LeadGeneration, deadline: float) -> None:
    """Search until all contacts are examined, the deadline passes or the search is cancelled."""
    if job.cancel_requested:
        release(job)
        return
    try:
        allowed = limited_creation(entitlement(job.company_id)) if job.limited else nullcontext()
    except NamedError as error:
        finish(job, LeadGeneration.Status.FAILED, error=LAPSED, error_detail=str(error))
        return
    with allowed:
        _search(job, deadline)


def _search(job: LeadGeneration, deadline: float) -> None:
    if job.total is None:
        update_owned(job, total=_candidates(job).count(), started_at=timezone.now())
    search = LeadSearch(prompt=job.prompt, industry=job.industry, company=company_brief())
    sought = SearchCriteria.from_description(job.prompt, job.industry)
    briefs = ContactBriefs.load()
    going = True
    while going:
        following = Q() if job.position is None else Q(pk__gt=job.position)
        contacts = list(
            _candidates(job).filter(following).select_related("category").only(*CONTACT_COLUMNS).order_by("pk")[:BATCH]
        )
        if not contacts:
            if ask_sources(job, deadline):
                _conclude(job, search, sought, briefs)
            return
        best = _best(job, contacts, sought, briefs)
        with transaction.atomic():
            going = save_progress(job, position=contacts[-1].pk, processed=job.processed + len(contacts), found=best)
        if monotonic() > deadline:
            break
    release(job)


def leadless_contacts() -> QuerySet[Contact]:
    """Return live contacts without a live lead. A search searches among them."""
    return live_contacts().filter(~Exists(live_leads().filter(contact=OuterRef("pk"))))


def _candidates(job: LeadGeneration) -> QuerySet[Contact]:
    """Return live contacts without a live lead that match the filters and were created before the search."""
    contacts = leadless_contacts().filter(created_at__lte=job.created_at)
    if job.domains:
        contacts = contacts.filter(
            email__iregex=rf"@({'|'.join(domain.replace('.', '[.]') for domain in job.domains)})$"
        )
    if job.additional_filters:
        contacts = contacts.filter(tree.compile(tree.parse(job.additional_filters), fields_of("contact")))
    return contacts


def _best(
    job: LeadGeneration, contacts: Sequence[Contact], sought: SearchCriteria, briefs: ContactBriefs
) -> list[Found]:
    """Return the best of these and of those found before, by score, newer contacts first."""
    fits = [
        (contact.pk, sought.fit(brief)) for contact, brief in zip(contacts, briefs.briefs_for(contacts), strict=True)
    ]
    results = [{"contact": id, "score": each.score, "reason": each.reason} for id, each in fits if each.score > 0]
    return _rank([*job.found, *results])[: SHORTLIST * job.count]


def _rank(results: list[Found]) -> list[Found]:
    """Return the results, the best first. Among equals, the company's contacts come first, newer ones before older
    ones."""
    return sorted(
        results, key=lambda each: (each["score"], "candidate" not in each, each.get("contact", "")), reverse=True
    )


def _conclude(job: LeadGeneration, search: LeadSearch, sought: SearchCriteria, briefs: ContactBriefs) -> None:
    """Have the provider judge the best results, and create leads of them."""
    people = new_people(job, sought.terms)
    most = SHORTLIST * job.count - len(people.found)
    contacts = {
        contact.pk: contact for contact in Contact.objects.filter(pk__in=[each["contact"] for each in job.found])
    }
    own = [each for each in job.found if each["contact"] in contacts][:most]
    listed = [*own, *people.found]
    listed_briefs = [*briefs.briefs_for([contacts[each["contact"]] for each in own]), *people.briefs]
    run = lead_generation_run.first(job)
    try:
        provider = provider_of(job.ai_type, AiUsage.Purpose.JUDGE, run)
        fits = provider.judge_many(search, listed_briefs, [Fit(each["score"], each["reason"]) for each in listed])
    except ProviderError as error:
        if error.temporary:
            raise
        finish(job, LeadGeneration.Status.FAILED, error=error.detail)
        return
    judged = [
        {**each, "score": fit.score, "reason": fit.reason}
        for each, fit in zip(listed, fits, strict=True)
        if fit.score > 0
    ]
    message = f"{provider.unjudged} of {len(listed)} people were not judged by {job.ai_type}, but by the words found."
    unjudged = f"{message} {provider.first_error}" if provider.unjudged else ""
    try:
        with transaction.atomic():
            _finish(job, judged, people, unjudged)
    except _Stopped:
        release(job)


def _finish(job: LeadGeneration, judged: list[Found], people: NewPeople, unjudged: str) -> None:
    """Make leads of the best and end the search, in the caller's transaction. `unjudged` says who was not judged."""
    contact_ids = [each["contact"] for each in judged if "candidate" not in each]
    free = set(_candidates(job).filter(pk__in=contact_ids).values_list("pk", flat=True))
    ranked = [each for each in _rank(judged) if "candidate" in each or each["contact"] in free][: job.count]
    try:
        with transaction.atomic():
            leads, problems = _make_all(job, ranked, people)
    except _NoLeadSource as lost:
        leads, problems = _make_all(job, [each for each in ranked if "candidate" not in each], NewPeople())
        problems.append(f"Nobody of the lead sources could become a lead: {lost}")
    if not save_progress(job) and job.cancel_requested:
        raise _Stopped
    error = " ".join(problems) or ("" if leads else _nobody(job))
    finish(job, LeadGeneration.Status.COMPLETED, found=leads, created=len(leads), error=error, judge_error=unjudged)


def _make_all(job: LeadGeneration, ranked: list[Found], people: NewPeople) -> tuple[list[Found], list[str]]:
    """Create contacts of new people, and leads of all. Returns the leads, and the problems with the others as texts.

    Raises _NoLeadSource when new contacts would be left without a lead.
    """
    chosen, problems = make_contacts(job, ranked, people)
    leads, problem = _make(job, chosen) if chosen else ({}, "")
    contact_ids = {each["contact"] for each in ranked if "candidate" not in each}
    if any(each["contact"] not in leads and each["contact"] not in contact_ids for each in chosen):
        raise _NoLeadSource(problem)
    entries = [{**each, "lead": leads[each["contact"]]} for each in chosen if each["contact"] in leads]
    return entries, [*([problem] if problem else []), *problems]


def _nobody(job: LeadGeneration) -> str:
    """Return the reason why nobody was found, with the errors of the sources."""
    troubles = [source["error"] for source in job.sources if source["error"]]
    places = ", ".join(place.name for place in SearchCriteria.from_description(job.prompt, job.industry).places)
    only = [f"Only people in {places} were looked for."] if places else []
    return " ".join([NOBODY_NEW if job.sources else NOBODY, *only, *troubles])


def _make(job: LeadGeneration, chosen: Sequence[Found]) -> tuple[dict[str, str], str]:
    """Make leads of the contacts. Returns contact id -> lead id, and why some could not be made."""
    values = job.lead_values["formData"]
    relations = job.lead_values["relations"]
    source_of = lead_source_values()
    result = create_leads(
        actor_id=job.created_by_id,
        items=[{**source_of(each.get("source", "")), **values, "contact": each["contact"]} for each in chosen],
        relations=Relations(**relations),
        automation=job.automation,
    )
    problem = f"{len(result.failed)} could not be made: {result.failed[0].warning}" if result.failed else ""
    return dict(Lead.objects.filter(pk__in=result.created).values_list("contact_id", "pk")), problem
