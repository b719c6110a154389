"""New people from lead sources: requested, stored with the search, and turned into contacts when it ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from time import monotonic

from django.db import transaction
from django.utils import timezone

from core.access import quota_exceeded, remaining_quota
from core.jobs import release, save_progress
from core.text.addresses import BadAddress, read_email
from core.types import JsonObject
from crm.contacts.schema import ContactRow, ContactSchema
from crm.contacts.services import create_contacts
from crm.contacts.unique_key import HIDDEN, keyed_row, live_holders
from crm.leads.schema import LeadSchema
from outreach.connections.ai.providers import ContactBrief
from outreach.connections.ai.providers.matching import Term, match_share
from outreach.connections.data_apps.services import record_error
from outreach.connections.data_apps.transport import DataAppError
from outreach.messaging.suppression.selectors import suppressed_addresses
from outreach.prospecting.lead_generation.models import LeadGeneration
from outreach.prospecting.lead_sources.base import MAX_CANDIDATES, Candidate, LeadSource, SourceQuery
from outreach.prospecting.lead_sources.selectors import lead_sources

TRIES = 3
WAIT = timedelta(seconds=5)
"""Delay of a source after its first error; twice as long after the second."""
LEAST_SCORE = 0.25
"""Score of a person from a source whose data contains none of the search words."""
OUTREACH = "outreach"
COMPANY, TITLE = "Company", "Job title"


@dataclass
class NewPeople:
    """People of lead sources who may become leads.

    `found` are entries as of contacts, with `candidate`, or with `contact` for the company's contacts. `briefs` are in
    the same order. `items` has candidate -> formData.
    """

    found: list[JsonObject] = field(default_factory=list)
    briefs: list[ContactBrief] = field(default_factory=list)
    items: dict[int, JsonObject] = field(default_factory=dict)
    lacking: str = ""
    """The missing value of the first person who cannot become a contact."""
    left_out: int = 0


def ask_sources(job: LeadGeneration, deadline: float) -> bool:
    """Query each lead source once, and store its response with the search.

    Returns False if the search continues later or was cancelled. It is released then.
    """
    query = SourceQuery(
        prompt=job.prompt,
        industry=job.industry,
        count=min(2 * job.count, MAX_CANDIDATES),
        domains=tuple(job.domains),
        filters=job.additional_filters,
    )
    app_ids = {row["app"] for row in job.sources if row["done"]}
    for source in lead_sources() if job.new_contacts else ():
        if source.app.pk in app_ids:
            continue
        entry, people = _search_source(job, source, query)
        others = [row for row in job.sources if row["app"] != entry["app"]]
        with transaction.atomic():
            going = save_progress(job, sources=[*others, entry], candidates=[*job.candidates, *people])
        if not entry["done"]:
            release(job, due_at=timezone.now() + WAIT * 2 ** (entry["tries"] - 1))
            return False
        if not going or monotonic() > deadline:
            release(job)
            return False
    return True


def _search_source(job: LeadGeneration, source: LeadSource, query: SourceQuery) -> tuple[JsonObject, list[JsonObject]]:
    """Return the source's entry with its result, and its candidates as they are stored."""
    before = next((record for record in job.sources if record["app"] == source.app.pk), None)
    entry = {"app": source.app.pk, "name": source.app.name, "tries": (before["tries"] if before else 0) + 1}
    try:
        people = source.search(query)
    except DataAppError as error:
        record_error(source.app, error.detail)
        done = not error.temporary or entry["tries"] >= TRIES
        return {**entry, "done": done, "found": 0, "error": error.detail}, []
    record_error(source.app, "")
    return {**entry, "done": True, "found": len(people), "error": ""}, [record.as_json() for record in people]


def new_people(job: LeadGeneration, terms: Sequence[Term]) -> NewPeople:
    """Return the people of the lead sources who may become leads, each once, the best first.

    Suppressed addresses, addresses of other domains, and people who lack required fields are left out. A person whom
    the company has by a unique key is represented by that contact.
    """
    candidates = [Candidate.from_row(row) for row in job.candidates]
    if not candidates:
        return NewPeople()
    suppressed = suppressed_addresses(person.email for person in candidates)
    with transaction.atomic():  # the schema holds a lock until its end
        schema, people = ContactSchema.load(), NewPeople()
        rows = _rows(job, schema, candidates, suppressed, people)
        keyed = {place: keyed_row(schema, str(place), row) for place, row in rows.items()}
        holders = live_holders(keyed.values()) if keyed else []
    labels = {key: spec.name for key, spec in schema.fields.items()}
    own, seen = {each["contact"] for each in job.found}, set[str]()
    for place, row in keyed.items():
        number_of = [person for person in holders if row.number_key and person.number_key == row.number_key]
        is_others = any(row.email_key and person.email_key not in (None, row.email_key) for person in number_of)
        if is_others or (row.email_key and row.number_key in seen):
            # The number of an office, say: the contact that has it keeps it.
            people.items[place].pop("number", None)
            row = row._replace(number_key=None)
        keys = {key for key in (row.email_key, row.number_key) if key}
        contact_ids = {person.id for person in holders if keys & {person.email_key, person.number_key}}
        if not keys or keys & seen or len(contact_ids) > 1 or contact_ids & (own | seen | {HIDDEN}):
            continue
        seen |= keys | contact_ids
        brief = _brief(candidates[place], labels)
        fits = match_share(terms, brief)
        entry = {
            **({"contact": next(iter(contact_ids))} if contact_ids else {"candidate": place}),
            "score": max(fits.score, LEAST_SCORE),
            "reason": fits.reason or f"found by {candidates[place].source}",
            "source": candidates[place].source,
            "url": candidates[place].url,
        }
        people.found.append(entry)
        people.briefs.append(brief)
    order = sorted(range(len(people.found)), key=lambda at: -people.found[at]["score"])[: 2 * job.count]
    people.briefs = [people.briefs[at] for at in order]
    people.found = [people.found[at] for at in order]
    return people


def _rows(
    job: LeadGeneration,
    schema: ContactSchema,
    candidates: Sequence[Candidate],
    suppressed: set[str],
    found: NewPeople,
) -> dict[int, ContactRow]:
    """Return place -> row of the candidates who can be contacts, and note the others in `found`."""
    rows: dict[int, ContactRow] = {}
    for place, candidate in enumerate(candidates):
        email = _address(candidate.email)
        domain = email.rpartition("@")[2].lower()
        if email.lower() in suppressed or (job.domains and domain not in job.domains):
            continue
        own = {key: value for key, value in candidate.values.items() if key not in schema.referring}
        item = {"name": candidate.name, "email": email, "number": candidate.phone, **own}
        row, problems = schema.read(item, drop_invalid=True, from_text=True)
        if row is None or not any(schema.keys_of(row.system)):
            found.left_out += 1
            found.lacking = found.lacking or next((str(each) for each in problems), "no address")
            continue
        number = {"number": row.system.get("contact_number")}  # brings its own dial prefix
        read = {key: row.system.get(key) for key in ("name", "email")} | number | row.custom
        rows[place] = row
        found.items[place] = {key: value for key, value in read.items() if value is not None}
    return rows


def _address(text: str) -> str:
    try:
        return read_email(text) if text else ""
    except BadAddress:
        return ""


def _brief(candidate: Candidate, labels: Mapping[str, str]) -> ContactBrief:
    fields = {
        COMPANY: candidate.company,
        TITLE: candidate.title,
        **{labels.get(key, key): text for key, text in candidate.values.items()},
    }
    return ContactBrief(
        name=candidate.name, email=candidate.email, fields={label: text for label, text in fields.items() if text}
    )


def make_contacts(
    job: LeadGeneration, ranked: Sequence[JsonObject], people: NewPeople
) -> tuple[list[JsonObject], list[str]]:
    """Create contacts of the chosen new people, in the caller's transaction.

    Returns the entries that are contacts now, in the same order, and the problems with the others as texts. Nobody
    becomes a contact if the lead would exceed the plan's limit.
    """
    left = remaining_quota("lead")
    most = len(ranked) if left is None else left
    places = [each["candidate"] for each in ranked[:most] if "candidate" in each]
    problems = [quota_exceeded("lead").detail] if any("candidate" in each for each in ranked[most:]) else []
    contact_ids: dict[int, str] = {}
    if places:
        result = create_contacts(
            actor_id=job.created_by_id,
            items=[people.items[place] for place in places],
            drop_invalid=True,
            automation=job.automation,
        )
        refused = {failure.index for failure in result.failed}
        kept = [place for index, place in enumerate(places) if index not in refused]
        contact_ids = dict(zip(kept, result.created, strict=True))
        if result.failed:
            problems.append(f"{len(result.failed)} became no contacts: {result.failed[0].warning}.")
    if people.left_out:
        problems.append(f"{people.left_out} of the lead sources can't be contacts ({people.lacking}).")
    chosen = []
    for each in ranked:
        place = each.get("candidate")
        if place is None:
            chosen.append(each)
        elif place in contact_ids:
            rest = {name: value for name, value in each.items() if name != "candidate"}
            chosen.append({**rest, "contact": contact_ids[place]})
    return chosen, problems


def lead_source_values() -> Callable[[str], dict[str, str]]:
    """Return a function that maps the name of a source to the values of a lead.

    The value is the option of the field "source" with that name, or else `outreach`, if that is an option.
    """
    spec = LeadSchema.load().system_fields.get("source")
    options, labels = (spec.options, spec.labels or {}) if spec else ((), {})
    other = {"source": OUTREACH} if OUTREACH in options else {}

    def values(name: str) -> dict[str, str]:
        option = name if name in options else labels.get(name.lower())
        if not name:
            return {}
        return {"source": option} if option else other

    return values
