"""Reads of files that are more than a filter."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from crm.files.models import File


def stored_files() -> QuerySet[File]:
    """The files that occupy storage, including those in the recycle bin and uploads in progress."""
    return File.objects.filter(Q(is_deleted=False) | Q(trashed_at=None) & ~Q(path=""))
