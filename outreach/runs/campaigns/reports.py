"""The report that compares campaigns by the outcomes of their messages."""

from __future__ import annotations

from django.db.models import Q

from core.reports import Column, Grouping, Report, Source, count, filter_condition
from core.text.translation import gettext_lazy
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.outcomes import CONVERTED, HARD, HARD_BOUNCE, SOFT, SOFT_BOUNCE, has_unsubscribed
from outreach.messaging.delivery.selectors import LOGGED, with_handed_at
from outreach.runs.genie.reports import (
    BY_CHANNEL,
    BY_SENDER,
    DELIVERED,
    LIST,
    MEASURED,
    MEASURED_RATES,
    REPLIES,
    REPORTING,
    VISITS,
)

Status = SendJob.Status
BOUNCES = (HARD_BOUNCE, SOFT_BOUNCE)

CAMPAIGNS = Report(
    name="campaigns",
    title=gettext_lazy("Campaigns compared"),
    about=gettext_lazy(
        "Messages of campaigns, with opens, clicks, replies, bounces, unsubscribes and conversions. SMTP servers do"
        " not report deliveries."
    ),
    modules=("genie", "campaign"),
    place=65,
    dated=gettext_lazy("by sending day"),
    first="campaign",
    sources=(
        Source(
            rows=lambda actor: with_handed_at(
                SendJob.objects.filter(status__in=LOGGED, run__of_campaign__isnull=False)
            ),
            at="handed_at",
            path=LIST,
            at_field="handedAt",
            filters=(filter_condition("status", "in", list(LOGGED)), filter_condition("campaign", "isNotEmpty")),
            by=(
                Grouping(
                    "campaign",
                    gettext_lazy("Campaign"),
                    "run__of_campaign_id",
                    label="run__of_campaign__name",
                    field="campaign",
                ),
                BY_SENDER,
                BY_CHANNEL,
            ),
            columns=(
                count(
                    "sent",
                    gettext_lazy("Sent"),
                    Q(status=Status.SENT),
                    filter_condition("status", "equals", Status.SENT),
                ),
                count("told", gettext_lazy("Delivery reported"), REPORTING, hidden=True),
                DELIVERED,
                *VISITS,
                *MEASURED,
                REPLIES,
                count("bounced", gettext_lazy("Bounced"), HARD | SOFT, filter_condition("bounce", "in", list(BOUNCES))),
                count(
                    "unsubscribed",
                    gettext_lazy("Unsubscribed"),
                    Q(has_unsubscribed()),
                    filter_condition("unsubscribed", "equals", True),
                ),
                count("converted", gettext_lazy("Converted"), CONVERTED, filter_condition("converted", "equals", True)),
            ),
        ),
    ),
    ratios=(
        *MEASURED_RATES,
        Column("replyRate", gettext_lazy("Reply rate"), type="percent", ratio=("replied", "sent")),
        Column("bounceRate", gettext_lazy("Bounce rate"), type="percent", ratio=("bounced", "sent")),
        Column("unsubscribeRate", gettext_lazy("Unsubscribe rate"), type="percent", ratio=("unsubscribed", "sent")),
        Column("conversionRate", gettext_lazy("Conversion rate"), type="percent", ratio=("converted", "sent")),
    ),
)

REPORTS = (CAMPAIGNS,)
