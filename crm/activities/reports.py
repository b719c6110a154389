"""Reports about activities of leads, by member, and about their progress through the pipeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import (
    CharField,
    Count,
    DurationField,
    ExpressionWrapper,
    F,
    FloatField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, Concat, Extract

from core.access import Actor
from core.reports import Column, Grouping, Report, Source, count, filter_condition
from core.text.translation import gettext_lazy
from crm.activities.models import LeadActivity
from crm.activities.rights import MODULE
from crm.activities.selectors import readable_activities
from crm.leads.reports import GROUPS, PLACES, status_labels
from crm.leads.selectors import live_leads
from crm.pipelines.stages import LOST, WON

Kind = LeadActivity.Kind
MOVE = " → "
SECONDS_OF_A_DAY = 86_400.0
KIND_LABELS = {
    Kind.CREATED: gettext_lazy("Lead created"),
    Kind.CHANGED: gettext_lazy("Values changed"),
    Kind.STATUS: gettext_lazy("Stage changed"),
    Kind.ASSIGNED: gettext_lazy("Assigned"),
    Kind.NOTE: gettext_lazy("Notes"),
    Kind.COMMENT: gettext_lazy("Comments"),
    Kind.MAIL: gettext_lazy("Emails"),
    Kind.CALL: gettext_lazy("Calls"),
    Kind.MEETING: gettext_lazy("Meetings"),
    Kind.FOLLOW_UP: gettext_lazy("Tasks"),
    Kind.MERGED: gettext_lazy("Merged"),
    Kind.DELETED: gettext_lazy("Deleted"),
    Kind.RESTORED: gettext_lazy("Restored"),
    Kind.IMPORTED: gettext_lazy("Imported"),
    Kind.QUOTE: gettext_lazy("Quotes"),
}
"""Kind -> its label."""
WORK = {
    "notes": Kind.NOTE,
    "calls": Kind.CALL,
    "meetings": Kind.MEETING,
    "mails": Kind.MAIL,
    "followUps": Kind.FOLLOW_UP,
    "statusChanges": Kind.STATUS,
}
"""Column -> the kind that it counts."""


def _columns() -> tuple[Column, ...]:
    columns = [count("activities", gettext_lazy("Activities"))]
    columns += [
        count(key, KIND_LABELS[kind], Q(kind=kind), filter_condition("kind", "equals", kind))
        for key, kind in WORK.items()
    ]
    return tuple(columns)


ACTIVITIES = Report(
    name="activities",
    title=gettext_lazy("Activities"),
    about=gettext_lazy("Activities on leads in the period."),
    modules=(MODULE,),
    place=40,
    sources=(
        Source(
            rows=readable_activities,
            at="happened_at",
            path="lead-activity",
            at_field="happenedAt",
            by=(
                Grouping(
                    "member",
                    gettext_lazy("Member"),
                    "member_id",
                    label="member__name",
                    field="member",
                    empty=gettext_lazy("Nobody"),
                ),
                Grouping("kind", gettext_lazy("Type"), "kind", labels=KIND_LABELS, field="kind"),
            ),
            columns=_columns(),
        ),
    ),
)


def move_labels(keys: Sequence[Any]) -> Mapping[str, str]:
    """Return move -> the names of both statuses."""
    names = status_labels(keys)
    return {key: MOVE.join(names.get(status, status) for status in key.split(MOVE)) for key in keys}


def _status(end: str) -> KeyTextTransform:
    """Return the status that a change of it left (from) or took (to)."""
    return KeyTextTransform(end, KeyTextTransform("status", "details"))


def moves(actor: Actor) -> QuerySet[LeadActivity]:
    """Return the changes of leads' statuses, with the days that the lead had the status before."""
    before = LeadActivity.objects.filter(
        lead=OuterRef("lead"), kind=LeadActivity.Kind.STATUS, happened_at__lt=OuterRef("happened_at")
    )
    since = Coalesce(
        Subquery(before.order_by("-happened_at").values("happened_at")[:1]), F("lead__created_at"), F("happened_at")
    )
    spent = ExpressionWrapper(F("happened_at") - since, DurationField())
    days = Cast(Extract(spent, "epoch"), FloatField()) / Value(SECONDS_OF_A_DAY)
    return status_changes(actor).annotate(days_before=days)


def status_changes(actor: Actor) -> QuerySet[LeadActivity]:
    """Return the changes of leads' statuses."""
    # In other pipelines than the default one, a move may leave the status as it is.
    return LeadActivity.objects.filter(kind=LeadActivity.Kind.STATUS, lead__isnull=False, details__has_key="status")


PIPELINE = Report(
    name="pipeline",
    title=gettext_lazy("Pipeline"),
    about=gettext_lazy("Open leads now, and status changes in the period."),
    modules=("lead",),
    place=20,
    sources=(
        Source(
            rows=lambda actor: live_leads().exclude(status__in=(WON, LOST)),
            path="lead",
            filters=(filter_condition("status", "notIn", [WON, LOST]),),
            by=(*GROUPS, *PLACES),
            columns=(
                count("open", gettext_lazy("Open leads")),
                Column("openValue", gettext_lazy("Value of open leads"), Sum("value"), "money"),
            ),
        ),
        Source(
            rows=moves,
            # The list of activities cannot tell moves of the status from those between stages of one status.
            at="happened_at",
            by=(
                Grouping("status", gettext_lazy("Status"), _status("from"), labels=status_labels),
                Grouping(
                    "move",
                    gettext_lazy("Status change"),
                    Concat(
                        Coalesce(_status("from"), Value(""), output_field=CharField()),
                        Value(MOVE),
                        Coalesce(_status("to"), Value(""), output_field=CharField()),
                        output_field=CharField(),
                    ),
                    labels=move_labels,
                ),
                Grouping(
                    "changedBy",
                    gettext_lazy("Changed by"),
                    "member_id",
                    label="member__name",
                    field="member",
                    empty=gettext_lazy("Nobody"),
                ),
            ),
            columns=(
                count("moved", gettext_lazy("Left status")),
                Column("days", gettext_lazy("Days"), Sum("days_before"), "days", hidden=True),
            ),
        ),
        Source(
            rows=status_changes,
            at="happened_at",
            by_day=False,
            by=(Grouping("status", gettext_lazy("Status"), _status("to"), labels=status_labels),),
            columns=(Column("entered", gettext_lazy("Entered status"), Count("pk")),),
        ),
    ),
    ratios=(Column("meanDays", gettext_lazy("Average days in status"), type="days", ratio=("days", "moved")),),
)

REPORTS = (ACTIVITIES, PIPELINE)
