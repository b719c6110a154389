"""Reads of campaigns that are more than a filter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from django.db.models import Count, QuerySet, Value

from core.text.folding import sort_text
from core.types import JsonObject
from crm.models import ContactCategory, Segment, Tag
from outreach.connections.chat_apps.models import ChatTemplate
from outreach.messaging.delivery.deciding.reasons import Reason
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.selectors import next_decision
from outreach.messaging.delivery.senders import working_senders
from outreach.messaging.delivery.settings.models import GenieSettings
from outreach.messaging.email_templates.models import EmailTemplate
from outreach.runs.campaigns.links import links_clicked
from outreach.runs.campaigns.models import Campaign
from outreach.runs.genie.by_day import FIRST_SENT, over_time
from outreach.runs.genie.models import GenieScheduler
from outreach.runs.genie.outcomes import (
    COUNTS,
    OUTCOMES,
    TRACKED_COUNTS,
    UNCOUNTED_VISITS,
    UNREPORTED,
    measured_of,
    tracking_of,
    tracking_of_company,
    uncounted_visits,
    unreported_outcomes,
)
from outreach.runs.genie.selectors import audience_names, message_summary, results

Status = SendJob.Status
NOBODY: JsonObject = {"contactIds": [], "leadIds": [], "segments": None, "tags": None, "categories": None}
"""The audience of a new campaign."""
MAX_CHOICES = 200
"""Maximum number of choices of each kind in the form of a campaign."""
NO_RESULTS = {"sent": 0, "replied": 0, "opened": 0, "clicked": 0}
COUNTED = ("planned", *OUTCOMES)
LINK_RESULTS = (
    "Once people have clicked: each tracked link of its mails in order, with step, variant (its name or null), number,"
    " url (with placeholders), people who clicked it, and their clicks. Emails to which values of the recipient added"
    " links have one row together, with null as number."
)


def kept_campaigns() -> QuerySet[Campaign]:
    """Return the campaigns that are not deleted."""
    return Campaign.objects.filter(is_deleted=False)


def waiting_with(template_ids: Sequence[str]) -> list[str]:
    """Return the names of the campaigns that have not started and use one of the templates."""
    waiting = kept_campaigns().filter(started_at=None).exclude(status=Campaign.Status.CANCELLED)
    gone, names = set(template_ids), []
    rows = waiting.values_list("name", "template_id", "variants", "outreach_cadence")
    for name, template, variants, cadence in rows.order_by("name").iterator():
        of_variants = {variant["templateId"] for variant in variants}
        if gone & {template, *of_variants, *(step["template"] for step in cadence.get("steps", ()))}:
            names.append(name)
    return names


def run_of(campaign_id: str) -> GenieScheduler | None:
    """Return the run that sends the campaign, if it has begun."""
    return GenieScheduler.objects.filter(of_campaign=campaign_id).first()


def results_of(campaign_ids: Iterable[str]) -> dict[str, JsonObject]:
    """Return the recipients of each campaign that has begun, how many messages were sent and how many have replied."""
    runs = GenieScheduler.objects.filter(of_campaign__in=list(campaign_ids)).values_list("of_campaign", "pk", "total")
    run_totals = {campaign: (run, total) for campaign, run, total in runs}
    counted = results(run for run, _ in run_totals.values()) if run_totals else {}
    return {
        campaign: {"total": total, **NO_RESULTS, **_with_api_names(counted[run])}
        if run in counted
        else {"total": total, **NO_RESULTS}
        for campaign, (run, total) in run_totals.items()
    }


def _with_api_names(of_run: dict[str, int]) -> dict[str, int]:
    return {"replied" if name == "answered" else name: number for name, number in of_run.items()}


def campaign_detail(campaign: Campaign) -> JsonObject:
    """Return the additional data of a campaign's detail."""
    run, names = run_of(campaign.pk), audience_names(campaign.audience)
    if run is None:
        return {
            "audienceNames": names,
            "run": None,
            "bulkJob": None,
            "occurrence": 0,
            "nextOccurrenceAt": None,
            "counts": dict.fromkeys(Status.values, 0),
            "variantResults": [],
            "stepResults": [],
            "linkResults": [],
            "waitingForWinner": 0,
            "nextDueAt": None,
            "nextDecision": None,
            "reasons": [],
            "funnel": {
                "audience": None,
                "planned": 0,
                "converted": 0,
                **dict.fromkeys(OUTCOMES, 0),
                **dict.fromkeys(UNREPORTED),
            },
            "measured": {"opened": 0, "clicked": 0},
            "tracking": {"opened": False, "clicked": False},
            "programVisits": {"opened": 0, "clicked": 0},
            "ownVisits": {"opened": 0, "clicked": 0},
            "byDay": [],
            "byHour": [],
        }
    summary = message_summary(run.pk)
    counts = summary["counts"]
    outcomes = _outcomes(run.pk)
    blank = dict.fromkeys(COUNTED, 0)
    by_variant = {
        variant: {name: row[name] for name in COUNTED} for (step, variant), row in outcomes.items() if step == 1
    }
    steps = _by_step(outcomes)
    whole = {name: sum(row[name] for row in steps) for name in COUNTED}
    summed = (*COUNTED, *UNCOUNTED_VISITS, *TRACKED_COUNTS)
    sums = {name: sum(row[name] for row in outcomes.values()) for name in summed}
    tracking = tracking_of(run)
    unknown = dict.fromkeys(unreported_outcomes(run, sums, tracking))
    variants = run.content.get("variants", []) if campaign.variants else []
    first_sent = min((row["firstSentAt"] for row in outcomes.values() if row["firstSentAt"]), default=None)
    times = over_time(run.pk, unknown, first_sent)
    waiting = SendJob.objects.filter(run=run, status=Status.PLANNED, reason=Reason.AWAITING_WINNER)
    return {
        "audienceNames": names,
        "run": run.pk,
        "bulkJob": run.message_job_id,
        "occurrence": run.occurrence,
        "nextOccurrenceAt": run.next_occurrence_at,
        "counts": counts,
        "funnel": {"audience": run.total, "converted": sum(times.converted.values()), **whole, **unknown},
        "measured": measured_of(run, sums),
        "tracking": tracking,
        **uncounted_visits(sums),
        "byDay": times.days,
        "byHour": times.hours,
        "linkResults": links_clicked(run) if sums["clicked"] else [],
        "stepResults": [{**row, **unknown} for row in steps],
        "variantResults": [
            {
                "name": row["name"],
                **by_variant.get(place, blank),
                "converted": times.converted.get(place, 0),
                "byDay": times.variant_days.get(place, []),
                **unknown,
            }
            for place, row in enumerate(variants)
        ],
        "waitingForWinner": waiting.count() if run.content.get("testShare") is not None else 0,
        "nextDueAt": summary["nextDueAt"],
        "nextDecision": next_decision(run.pk) if counts[Status.APPROVED] or counts[Status.PLANNED] else None,
        "reasons": summary["reasons"],
    }


def choices_for(may_read: Callable[[str], bool]) -> JsonObject:
    """Return the first choices by name for campaigns; None for those that the caller may not read."""
    named: tuple[tuple[str, str, QuerySet[Any]], ...] = (
        ("templates", "template", EmailTemplate.objects.all()),
        ("segments", "segment", Segment.objects.filter(panel=Segment.Panel.CONTACT)),
        ("tags", "tag", Tag.objects.all()),
        ("categories", "contact-category", ContactCategory.objects.all()),
    )
    read = [(name, rows) for name, module, rows in named if may_read(module)]
    choices: JsonObject = {name: None for name, *_ in named} | {name: [] for name, _ in read}
    choices["tracking"] = tracking_of_company()
    choices["utmTags"] = GenieSettings.objects.filter(utm_tags=True).exists()
    choices["senders"] = working_senders(MAX_CHOICES) if may_read("apps") else None
    choices["chatTemplates"] = _approved_templates() if may_read("template") else None
    parts = [
        rows.annotate(choice_of=Value(name)).order_by("name", "pk").values_list("choice_of", "pk", "name")[:MAX_CHOICES]
        for name, rows in read
    ]
    for kind, pk, text in parts[0].union(*parts[1:], all=True) if parts else ():
        choices[kind].append({"_id": pk, "name": text})
    return {**choices, **{name: sorted(choices[name], key=_by_name) for name, _ in read}}


def _approved_templates() -> list[JsonObject]:
    rows = ChatTemplate.objects.filter(status=ChatTemplate.Status.APPROVED, app__is_active=True)
    templates = rows.order_by("name", "language", "pk").values_list("pk", "name", "language")[:MAX_CHOICES]
    return [{"_id": pk, "name": name, "language": language} for pk, name, language in templates]


def _by_name(choice: JsonObject) -> str:
    return sort_text(str(choice["name"]))


def _by_step(outcomes: dict[tuple[int, int | None], JsonObject]) -> list[dict[str, int]]:
    """Return the numbers of each step, in their order, of all variants together."""
    sums: dict[int, dict[str, int]] = {}
    for (step, _), counts in sorted(outcomes.items(), key=lambda item: item[0][0]):
        of_step = sums.setdefault(step, {"step": step, **dict.fromkeys(COUNTED, 0)})
        for name in COUNTED:
            of_step[name] += counts[name]
    rows = list(sums.values())
    for before, following in pairwise(rows):
        # Those who unsubscribed after the next one count there.
        before["unsubscribed"] = max(0, before["unsubscribed"] - following["unsubscribed"])
    return rows


def _outcomes(run_id: str) -> dict[tuple[int, int | None], JsonObject]:
    """Return (step, variant) -> the outcomes of its messages and its first time of sending, by one statement."""
    groups = SendJob.objects.filter(run_id=run_id).order_by().values("step", "variant")
    rows = groups.annotate(planned=Count("pk"), **COUNTS, **UNCOUNTED_VISITS, **TRACKED_COUNTS, **FIRST_SENT)
    outcomes = {}
    for row in rows:
        counts: JsonObject = {**row}
        outcomes[counts.pop("step"), counts.pop("variant")] = counts
    return outcomes
