"""The report about leads: new ones, and decided ones. That about the pipeline is in crm.activities.reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet, Sum, Value
from django.db.models.functions import NullIf

from core.access import Actor
from core.reports import By, Column, Report, Source, condition, count
from crm.custom_fields.selectors import option_labels
from crm.leads.filters import DECIDED_AT
from crm.leads.models import Lead
from crm.leads.selectors import live_leads
from crm.records.models import CustomField

WON, LOST = "won", "lost"
"""Statuses of leads that were decided, as stop rules know them (outreach.messaging.delivery.stopping.stop_rules)."""
PANEL = CustomField.Panel.LEAD


def status_labels(keys: Sequence[Any]) -> Mapping[str, str]:
    """Return status -> its name."""
    return option_labels(PANEL, "status")


def source_labels(keys: Sequence[Any]) -> Mapping[str, str]:
    """Return source -> its name."""
    return option_labels(PANEL, "source")


GROUPS = (
    By("status", "Status", "status", labels=status_labels, field="status"),
    By("source", "Source", NullIf("source", Value("")), labels=source_labels, field="source", empty="No source"),
    By("team", "Team", "team_id", label="team__name", field="team", empty="No team"),
    By("member", "Member", "team_member_id", label="team_member__name", field="teamMember", empty="Nobody"),
)


def decided_leads(actor: Actor) -> QuerySet[Lead]:
    """Return the leads that are won or lost, with the time of it."""
    return live_leads().filter(status__in=(WON, LOST)).annotate(decided_at=DECIDED_AT)


LEADS = Report(
    name="leads",
    title="Leads",
    about="Leads that were created in the period, and those that were won or lost in it, whenever they were created.",
    modules=("lead",),
    place=10,
    sources=(
        Source(
            rows=lambda actor: live_leads(),
            at="created_at",
            path="lead",
            at_field="createdAt",
            by=GROUPS,
            columns=(
                count("created", "Created"),
                Column("createdValue", "Value of created", Sum("value"), "money"),
            ),
        ),
        Source(
            rows=decided_leads,
            at="decided_at",
            path="lead",
            at_field="decidedAt",
            filters=(condition("status", "in", [WON, LOST]),),
            by=GROUPS,
            columns=(
                count("decided", "Decided", hidden=True),
                count("won", "Won", Q(status=WON), condition("status", "equals", WON)),
                count("lost", "Lost", Q(status=LOST), condition("status", "equals", LOST)),
                Column("wonValue", "Value of won", Sum("value", filter=Q(status=WON)), "money"),
            ),
        ),
    ),
    ratios=(Column("winRate", "Win rate", type="percent", ratio=("won", "decided")),),
)


REPORTS = (LEADS,)
