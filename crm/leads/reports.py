"""The report about leads: new ones, and decided ones. That about the pipeline is in crm.activities.reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet, Sum, Value
from django.db.models.functions import NullIf

from core.access import Actor
from core.reports import Column, Grouping, Report, Source, count, filter_condition
from core.text.translation import gettext_lazy
from crm.custom_fields.selectors import option_labels
from crm.leads.filters import DECIDED_AT
from crm.leads.models import Lead
from crm.leads.selectors import live_leads
from crm.organizations.reports import BY_ORGANIZATION
from crm.pipelines.selectors import stage_labels
from crm.pipelines.stages import LOST, WON
from crm.records.models import CustomField

PANEL = CustomField.Panel.LEAD


def status_labels(keys: Sequence[Any]) -> Mapping[str, str]:
    """Return status -> its name."""
    return option_labels(PANEL, "status")


def source_labels(keys: Sequence[Any]) -> Mapping[str, str]:
    """Return source -> its name."""
    return option_labels(PANEL, "source")


GROUPS = (
    Grouping("status", gettext_lazy("Status"), "status", labels=status_labels, field="status"),
    Grouping(
        "source",
        gettext_lazy("Source"),
        NullIf("source", Value("")),
        labels=source_labels,
        field="source",
        empty=gettext_lazy("No source"),
    ),
    Grouping("team", gettext_lazy("Team"), "team_id", label="team__name", field="team", empty=gettext_lazy("No team")),
    Grouping(
        "member",
        gettext_lazy("Member"),
        "team_member_id",
        label="team_member__name",
        field="teamMember",
        empty=gettext_lazy("Nobody"),
    ),
    BY_ORGANIZATION,
)


PLACES = (
    Grouping("pipeline", gettext_lazy("Pipeline"), "pipeline_id", label="pipeline__name", field="pipeline"),
    Grouping(
        "stage", gettext_lazy("Stage"), "stage_id", labels=stage_labels, field="stage", empty=gettext_lazy("No stage")
    ),
)
REASON = Grouping(
    "lostReason",
    gettext_lazy("Reason for loss"),
    "lost_reason_id",
    label="lost_reason__name",
    field="lostReason",
    empty=gettext_lazy("No reason"),
)


def decided_leads(actor: Actor) -> QuerySet[Lead]:
    """Return the leads that are won or lost, with the time of it."""
    return live_leads().filter(status__in=(WON, LOST)).annotate(decided_at=DECIDED_AT)


LEADS = Report(
    name="leads",
    title=gettext_lazy("Leads"),
    about=gettext_lazy("Leads created, won or lost in the period."),
    modules=("lead",),
    place=10,
    sources=(
        Source(
            rows=lambda actor: live_leads(),
            at="created_at",
            path="lead",
            at_field="createdAt",
            by=(*GROUPS, *PLACES, REASON),
            columns=(
                count("created", gettext_lazy("Created")),
                Column("createdValue", gettext_lazy("Value of new leads"), Sum("value"), "money"),
            ),
        ),
        Source(
            rows=decided_leads,
            at="decided_at",
            path="lead",
            at_field="decidedAt",
            filters=(filter_condition("status", "in", [WON, LOST]),),
            by=(*GROUPS, *PLACES, REASON),
            columns=(
                count("decided", gettext_lazy("Decided"), hidden=True),
                count("won", gettext_lazy("Won"), Q(status=WON), filter_condition("status", "equals", WON)),
                count("lost", gettext_lazy("Lost"), Q(status=LOST), filter_condition("status", "equals", LOST)),
                Column("wonValue", gettext_lazy("Value of won leads"), Sum("value", filter=Q(status=WON)), "money"),
            ),
        ),
    ),
    ratios=(Column("winRate", gettext_lazy("Win rate"), type="percent", ratio=("won", "decided")),),
)


REPORTS = (LEADS,)
