"""Reads of activities that are more than a filter."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from core.access import Actor
from crm.activities.models import LeadActivity
from crm.activities.rights import MODULE, modules_of, readable_condition


def readable_by(actor: Actor) -> Q:
    """Match the activities that the actor may read."""
    return readable_condition({MODULE, *modules_of(actor)})


def readable_activities(actor: Actor) -> QuerySet[LeadActivity]:
    """Return the activities of leads that the actor may read."""
    return LeadActivity.objects.filter(readable_by(actor), lead__isnull=False)
