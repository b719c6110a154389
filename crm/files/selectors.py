"""Reads of files that are more than a filter."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from core.access import Actor
from crm.files.models import File


def readable_files(actor: Actor) -> QuerySet[File]:
    """Return the files that the actor may read: an export only with the right to read the list that it holds."""
    files: QuerySet[File] = File.objects.filter(is_deleted=False)
    if actor.is_unbounded or actor.visiting:
        return files
    return files.filter(read_module__in=["", *(module for module in actor.permissions if actor.may(module, "GET"))])


def stored_files() -> QuerySet[File]:
    """Return the files that occupy storage, including those in the recycle bin and uploads in progress."""
    return File.objects.filter(Q(is_deleted=False) | Q(trashed_at=None) & ~Q(path=""))
