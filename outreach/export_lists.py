"""The lists of outreach that can be exported: a new one is a line here."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter

from core.api.listing import Listing, ListRequest
from core.api.viewsets import ResourceViewSet
from core.errors import InvalidFormat
from core.ids import is_id
from crm.exports.sources import register_source
from outreach.delivery.models import SendJob
from outreach.delivery.views import LOG_FIELDS, MESSAGE_FIELDS, SUPPRESSION_FIELDS
from outreach.genie.selectors import kept_runs, message_log
from outreach.genie.serializers import MessageOut, RunOut, SmtpMessageOut, SuppressionOut
from outreach.genie.views import RUN_FIELDS
from outreach.suppression.models import Suppression

RUN = OpenApiParameter("run", str, description="Only the messages of this run.")


def messages_of_run(asked: ListRequest) -> QuerySet[SendJob]:
    """The messages, of one run if the query string names it."""
    rows, run = SendJob.objects.all(), asked.params.get("run")
    if run is None:
        return rows
    if not is_id(run):
        raise InvalidFormat("run", run, "an id is 24 hex characters")
    return rows.filter(run_id=run)


class RunList(ResourceViewSet):
    module = "genie"
    listing = Listing("List outreach runs", kept_runs, RUN_FIELDS, RunOut)


class MessageList(ResourceViewSet):
    module = "genie"
    listing = Listing("List messages", messages_of_run, MESSAGE_FIELDS, MessageOut, parameters=(RUN,))


class SmtpLogList(ResourceViewSet):
    module = "logs"
    listing = Listing("List the messages that went out by SMTP", message_log, LOG_FIELDS, SmtpMessageOut)


class SuppressionList(ResourceViewSet):
    module = "genie"
    listing = Listing(
        "List addresses that are never written to", Suppression.objects.all, SUPPRESSION_FIELDS, SuppressionOut
    )


def register_lists() -> None:
    """Called when the app is ready."""
    register_source("genie", RunList)
    register_source("genie/send-jobs", MessageList)
    register_source("logs/smtp", SmtpLogList)
    register_source("suppression", SuppressionList)
