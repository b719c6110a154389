"""The reports about pipelines: the forecast by month, and the conversion of stages with the time in them."""

from __future__ import annotations

from functools import partial

from django.db.models import (
    Count,
    DurationField,
    ExpressionWrapper,
    F,
    FloatField,
    Q,
    QuerySet,
    Sum,
    Value,
)
from django.db.models.functions import Cast, Extract

from core.access import Actor
from core.reports import Column, Grouping, Report, Source, count, filter_condition
from core.text.translation import gettext_lazy
from crm.leads.models import Lead, StageChange
from crm.leads.places import CLOSE
from crm.leads.reports import GROUPS, PLACES
from crm.leads.selectors import live_leads
from crm.pipelines.models import Stage
from crm.pipelines.selectors import stage_labels
from crm.records.months import in_month, month_labels, month_of

Kind = Stage.Kind
CLOSE_COLUMN = "expected_close_at"
OPEN = filter_condition("stage.kind", "equals", Kind.OPEN)
SECONDS_OF_A_DAY = 86_400.0
WEIGHTED = Sum(F("value") * F("stage__probability") / 100)
MEMBER = next(by for by in GROUPS if by.name == "member")


def open_leads(actor: Actor) -> QuerySet[Lead]:
    """Return the open leads with the month of their expected close, as 2027-03."""
    return live_leads().filter(stage__kind=Kind.OPEN).annotate(close_month=month_of(CLOSE_COLUMN))


FORECAST = Report(
    name="forecast",
    title=gettext_lazy("Forecast"),
    about=gettext_lazy(
        "Open leads as they are now, by the month of their expected close. The weighted value counts each lead by the"
        " probability of its stage."
    ),
    modules=("lead",),
    place=22,
    sources=(
        Source(
            rows=open_leads,
            path="lead",
            filters=(OPEN,),
            by=(
                Grouping(
                    "month",
                    gettext_lazy("Expected close"),
                    "close_month",
                    labels=month_labels,
                    node=partial(in_month, CLOSE),
                    empty=gettext_lazy("No date"),
                    ordered=True,
                ),
                *PLACES,
                MEMBER,
            ),
            columns=(
                Column("forecastWeighted", gettext_lazy("Weighted value"), WEIGHTED, "money"),
                Column("forecastValue", gettext_lazy("Value"), Sum("value"), "money"),
                count("forecastLeads", gettext_lazy("Open leads")),
            ),
        ),
    ),
)


def stage_changes(actor: Actor) -> QuerySet[StageChange]:
    """Return the moves of leads between stages, with the days that the lead was in the stage before."""
    spent = ExpressionWrapper(F("changed_at") - F("entered_at"), DurationField())
    days = Cast(Extract(spent, "epoch"), FloatField()) / Value(SECONDS_OF_A_DAY)
    return StageChange.objects.filter(from_stage__isnull=False, lead__is_deleted=False).annotate(days_before=days)


FORWARD = Q(to_stage__kind=Kind.WON) | Q(
    to_stage__kind=Kind.OPEN,
    to_stage__pipeline=F("from_stage__pipeline"),
    to_stage__position__gt=F("from_stage__position"),
)
STAGES = Report(
    name="stages",
    title=gettext_lazy("Stage conversion"),
    about=gettext_lazy(
        "Moves of leads between stages in the period: how many went on to a later stage, how many were lost, and the"
        " days in the stage before."
    ),
    modules=("lead",),
    place=24,
    sources=(
        Source(
            rows=stage_changes,
            at="changed_at",
            by=(
                Grouping("stage", gettext_lazy("Stage"), "from_stage_id", labels=stage_labels),
                Grouping(
                    "pipeline",
                    gettext_lazy("Pipeline"),
                    "from_stage__pipeline_id",
                    label="from_stage__pipeline__name",
                ),
                Grouping(
                    "changedBy",
                    gettext_lazy("Changed by"),
                    "member_id",
                    label="member__name",
                    empty=gettext_lazy("Nobody"),
                ),
            ),
            columns=(
                Column("stageMoves", gettext_lazy("Moved"), Count("lead")),
                Column("stageForward", gettext_lazy("Moved on"), Count("lead", filter=FORWARD)),
                Column("stageLost", gettext_lazy("Lost"), Count("lead", filter=Q(to_stage__kind=Kind.LOST))),
                Column("stageDays", gettext_lazy("Days"), Sum("days_before"), "days", hidden=True),
            ),
        ),
    ),
    ratios=(
        Column("stageConversion", gettext_lazy("Conversion"), type="percent", ratio=("stageForward", "stageMoves")),
        Column("stageMeanDays", gettext_lazy("Average days in stage"), type="days", ratio=("stageDays", "stageMoves")),
    ),
)

REPORTS = (FORECAST, STAGES)
