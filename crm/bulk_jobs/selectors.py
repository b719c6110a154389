"""Reads of bulk jobs that depend on who asks."""

from __future__ import annotations

from django.db.models import QuerySet

from core.access import Actor
from crm.bulk_jobs.models import BulkJob
from crm.records.types import RECORD_TYPES


def may(actor: Actor, module: str, method: str) -> bool:
    """Return whether the actor has the permission."""
    return actor.is_unbounded or actor.may(module, method)


def module_of(panel: str) -> str:
    """Return the permission module of a panel's jobs."""
    return RECORD_TYPES[panel].kind.module if panel in RECORD_TYPES else panel


def visible_jobs(actor: Actor, method: str) -> QuerySet[BulkJob]:
    """Return the jobs of the panels on which the actor has the method's permission; other jobs do not exist for the
    actor."""
    panels = [panel for panel in BulkJob.Panel.values if may(actor, module_of(panel), method)]
    return BulkJob.objects.filter(panel__in=panels)
