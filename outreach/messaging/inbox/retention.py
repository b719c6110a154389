"""Deletion of received mail that has been kept long enough."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import DurationField, ExpressionWrapper, F, IntegerField, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from outreach.messaging.delivery.settings.models import INBOX_DAYS, GenieSettings
from outreach.messaging.inbox.models import InboundMessage

BATCH = 1000


def purge_inbox() -> bool:
    """Delete received mail older than its company keeps it, at most BATCH of all companies. Returns whether there may
    be more."""
    # Each company has its own time, so the age is compared row by row in one statement.
    days = GenieSettings.objects.filter(company=OuterRef("company")).values("inbox_days")[:1]
    kept = Coalesce(Subquery(days), INBOX_DAYS, output_field=IntegerField())
    span = ExpressionWrapper(F("days") * Value(timedelta(days=1)), output_field=DurationField())
    old = InboundMessage.objects.annotate(days=kept).filter(received_at__lt=timezone.now() - span)
    # In batches by id: one DELETE of all would hold its locks and the disk for minutes.
    ids = list(old.order_by("pk").values_list("pk", flat=True)[:BATCH])
    InboundMessage.objects.filter(pk__in=ids).delete()
    return len(ids) == BATCH
