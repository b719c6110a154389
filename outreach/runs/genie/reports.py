"""Reports about messages: outcomes of planned ones, and of those given to a server.

A sent message counts in the period in which it was given to the server, here, on dashboards and on Home. Others count
in the period of their planning. Later events of a message count in its period: a rate is a share of the messages
counted next to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import CharField, F, Func, Q, Value
from django.db.models.functions import Coalesce, Left, Lower, NullIf
from django.utils.translation import gettext

from core.reports import Column, Grouping, Report, Source, count, filter_condition
from core.reports.declarations import Node, any_condition
from core.text.translation import gettext_lazy
from outreach.connections.mail_vendors.registry import channel_of, letters
from outreach.messaging.delivery.filters import SENDER, TEMPLATE
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.outcomes import (
    COMPLAINED,
    HARD,
    HARD_BOUNCE,
    REPLIED,
    SOFT,
    SOFT_BOUNCE,
    has_unsubscribed,
)
from outreach.messaging.delivery.selectors import LOGGED, sent_messages, with_handed_at
from outreach.messaging.email_templates.models import EmailTemplate

Status = SendJob.Status
WAITING = (Status.PLANNED, Status.DRAFT, Status.APPROVED, Status.CLAIMED, Status.SENDING)
REACHED = ("delivered", "opened", "clicked", "unsubscribed", "complained")
"""Events of vendors for messages that reached the recipient's server."""
MODULES = ("genie",)
LIST = "genie/send-jobs"


def run_name(path: str) -> Coalesce:
    """Return the expression for the name of a run, or the beginning of its prompt."""
    return Coalesce(NullIf(f"{path}__name", Value("")), Left(f"{path}__prompt", 80), output_field=CharField())


def channel_labels(keys: Sequence[Any]) -> Mapping[str, str]:
    """Return channel -> its name."""
    vendors = {channel_of(letter): vendor.name for letter, vendor in letters().items()}
    return {SendJob.Channel.SMTP: "SMTP", SendJob.Channel.CHATAPP: gettext("Chat"), **vendors}


def channels_with_reports() -> list[str]:
    """Return the channels whose vendors report deliveries."""
    return [channel_of(letter) for letter, vendor in letters().items() if vendor.has_webhooks]


def template_labels(keys: Sequence[Any]) -> Mapping[str, str]:
    """Return template -> its name."""
    return dict(EmailTemplate.objects.filter(pk__in=keys).values_list("pk", "name"))


def step_labels(keys: Sequence[Any]) -> Mapping[int, str]:
    """Return step -> the name of its messages."""
    return {
        key: gettext("First message") if key == 1 else gettext("Follow-up %(number)s") % {"number": key - 1}
        for key in keys
    }


def of_domain(key: str | None) -> Node:
    """Return the filter of messages to addresses of a domain."""
    return (
        filter_condition("recipient", "isEmpty")
        if key is None
        else filter_condition("recipient", "endsWith", f"@{key}")
    )


BY_SENDER = Grouping(
    "sender",
    gettext_lazy("Sender"),
    SENDER,
    label=Coalesce(
        NullIf("smtp__name", Value("")),
        "smtp__from_email",
        NullIf("mail_app__name", Value("")),
        "mail_app__from_email",
        output_field=CharField(),
    ),
    field="sender",
    empty=gettext_lazy("No sender"),
)
BY_RUN = Grouping(
    "run", gettext_lazy("Outreach"), "run_id", label=run_name("run"), field="run", empty=gettext_lazy("No outreach")
)
BY_CHANNEL = Grouping("vendor", gettext_lazy("Vendor"), "channel", labels=channel_labels, field="channel")

VISITS = (
    count("opened", gettext_lazy("Opened"), Q(open_count__gt=0), filter_condition("openCount", "greaterThan", 0)),
    count("clicked", gettext_lazy("Clicked"), Q(click_count__gt=0), filter_condition("clickCount", "greaterThan", 0)),
)
"""Messages that people have opened and clicked a link of, where that is tracked."""
DELIVERED = replace(
    count(
        "delivered",
        gettext_lazy("Delivered"),
        Q(delivery_status__in=REACHED),
        filter_condition("deliveryStatus", "in", list(REACHED)),
    ),
    known_by="told",
)
"""Messages that reached the recipient's server; unknown where none of `told` could report it."""
REPORTING = Q(channel__in=channels_with_reports()) | Q(delivery_status__in=REACHED)
"""Messages whose delivery is reported."""
REPLIES = count("replied", gettext_lazy("Replied"), REPLIED, filter_condition("repliedSince", "equals", True))
"""Messages that were replied to, by mail or chat, as campaigns and outreach count them."""
OPENS_MEASURED = (
    Q(opens_tracked=True) | Q(open_count__gt=0) | Q(channel__in=[SendJob.Channel.CHATAPP, *channels_with_reports()])
)
CLICKS_MEASURED = Q(clicks_tracked=True) | Q(click_count__gt=0) | Q(channel__in=channels_with_reports())
MEASURED = (
    count("openedMeasured", gettext_lazy("Opens measured"), OPENS_MEASURED),
    count("clickedMeasured", gettext_lazy("Clicks measured"), CLICKS_MEASURED),
)
"""Messages that were sent with tracking, or that their platform reports visits of. Their number divides rates."""
MEASURED_RATES = (
    Column("openRate", gettext_lazy("Open rate"), type="percent", ratio=("opened", "openedMeasured")),
    Column("clickRate", gettext_lazy("Click rate"), type="percent", ratio=("clicked", "clickedMeasured")),
)

MESSAGES_BY = (
    BY_RUN,
    Grouping(
        "campaign",
        gettext_lazy("Campaign"),
        "run__of_campaign_id",
        label="run__of_campaign__name",
        field="campaign",
        empty=gettext_lazy("No campaign"),
    ),
    Grouping(
        "template",
        gettext_lazy("Template"),
        TEMPLATE,
        labels=template_labels,
        field="template",
        empty=gettext_lazy("No template"),
    ),
    BY_SENDER,
    Grouping(
        "member",
        gettext_lazy("Member"),
        "created_by_id",
        label="created_by__name",
        field="createdBy",
        empty=gettext_lazy("Nobody"),
    ),
    Grouping("step", gettext_lazy("Step"), "step", labels=step_labels, field="step"),
    BY_CHANNEL,
)
"""Groupings of planned, and of sent messages."""

OUTREACH = Report(
    name="outreach",
    title=gettext_lazy("Outreach"),
    about=gettext_lazy("Messages of the period, with opens, clicks and replies."),
    modules=MODULES,
    place=60,
    dated=gettext_lazy("by planning day; sent messages by sending day"),
    sources=(
        Source(
            rows=lambda actor: SendJob.objects.all(),
            at="created_at",
            path=LIST,
            at_field="createdAt",
            by=MESSAGES_BY,
            columns=(
                count("planned", gettext_lazy("Planned")),
                count(
                    "waiting",
                    gettext_lazy("Waiting"),
                    Q(status__in=WAITING),
                    filter_condition("status", "in", list(WAITING)),
                ),
                *(
                    count(status, title, Q(status=status), filter_condition("status", "equals", status))
                    for status, title in (
                        (Status.FAILED, gettext_lazy("Failed")),
                        (Status.UNKNOWN, gettext_lazy("Delivery unknown")),
                        (Status.SUPPRESSED, gettext_lazy("Skipped")),
                        (Status.CANCELLED, gettext_lazy("Cancelled")),
                    )
                ),
            ),
        ),
        Source(
            rows=lambda actor: sent_messages(),
            at="handed_at",
            path=LIST,
            at_field="handedAt",
            filters=(filter_condition("status", "equals", Status.SENT),),
            by=MESSAGES_BY,
            columns=(
                count("sent", gettext_lazy("Sent")),
                *VISITS,
                *MEASURED,
                REPLIES,
            ),
        ),
    ),
    ratios=(
        *MEASURED_RATES,
        Column("replyRate", gettext_lazy("Reply rate"), type="percent", ratio=("replied", "sent")),
    ),
)

DELIVERABILITY = Report(
    name="deliverability",
    title=gettext_lazy("Deliverability"),
    about=gettext_lazy("Deliveries, bounces and complaints. SMTP servers do not report deliveries."),
    modules=MODULES,
    place=70,
    dated=gettext_lazy("by sending day"),
    sources=(
        Source(
            rows=lambda actor: with_handed_at(SendJob.objects.filter(status__in=LOGGED)),
            at="handed_at",
            path=LIST,
            at_field="handedAt",
            filters=(filter_condition("status", "in", list(LOGGED)),),
            by=(
                BY_SENDER,
                BY_CHANNEL,
                Grouping(
                    "domain",
                    gettext_lazy("Recipient's domain"),
                    NullIf(
                        Lower(Func(F("recipient"), Value("@"), Value(2), function="split_part")),
                        Value(""),
                        output_field=CharField(),
                    ),
                    node=of_domain,
                    empty=gettext_lazy("No address"),
                ),
                BY_RUN,
            ),
            columns=(
                count("messages", gettext_lazy("Messages")),
                *(
                    count(status, title, Q(status=status), filter_condition("status", "equals", status))
                    for status, title in (
                        (Status.SENDING, gettext_lazy("Sending")),
                        (Status.SENT, gettext_lazy("Sent")),
                    )
                ),
                count(
                    "told",
                    gettext_lazy("Delivery reported"),
                    REPORTING,
                    any_condition(
                        filter_condition("channel", "in", channels_with_reports()),
                        filter_condition("deliveryStatus", "in", list(REACHED)),
                    ),
                ),
                DELIVERED,
                *VISITS,
                *MEASURED,
                count(
                    "bouncedHard", gettext_lazy("Hard bounces"), HARD, filter_condition("bounce", "equals", HARD_BOUNCE)
                ),
                count(
                    "bouncedSoft", gettext_lazy("Soft bounces"), SOFT, filter_condition("bounce", "equals", SOFT_BOUNCE)
                ),
                count(
                    "complained", gettext_lazy("Complained"), COMPLAINED, filter_condition("complained", "equals", True)
                ),
                count(
                    "unsubscribed",
                    gettext_lazy("Unsubscribed"),
                    Q(has_unsubscribed()),
                    filter_condition("unsubscribed", "equals", True),
                ),
                *(
                    count(status, title, Q(status=status), filter_condition("status", "equals", status))
                    for status, title in (
                        (Status.FAILED, gettext_lazy("Failed")),
                        (Status.UNKNOWN, gettext_lazy("Delivery unknown")),
                    )
                ),
            ),
        ),
    ),
    ratios=(
        Column("deliveryRate", gettext_lazy("Delivery rate"), type="percent", ratio=("delivered", "told")),
        *MEASURED_RATES,
        Column("bounceRate", gettext_lazy("Hard bounce rate"), type="percent", ratio=("bouncedHard", "messages")),
        Column("complaintRate", gettext_lazy("Complaint rate"), type="percent", ratio=("complained", "messages")),
        Column("unsubscribeRate", gettext_lazy("Unsubscribe rate"), type="percent", ratio=("unsubscribed", "messages")),
    ),
)

REPORTS = (OUTREACH, DELIVERABILITY)
