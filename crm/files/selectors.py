"""Reads of files that are more than a filter."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db.models import Func, Q, QuerySet, TextField, Value

from core.access import Actor
from crm.files.models import File


def readable_files(actor: Actor) -> QuerySet[File]:
    """Return the files that the actor may read: an export only with the right to read the list that it holds."""
    files: QuerySet[File] = File.objects.filter(is_deleted=False)
    if actor.is_unbounded or actor.visiting:
        return files
    # A list that takes several modules names them with blanks between.
    modules = Func("read_module", Value(" "), function="string_to_array", output_field=ArrayField(TextField()))
    may_read = [module for module in actor.permissions if actor.may(module, "GET")]
    return files.alias(read_modules=modules).filter(read_modules__contained_by=may_read)


def stored_files() -> QuerySet[File]:
    """Return the files that occupy storage, including those in the recycle bin and uploads in progress."""
    return File.objects.filter(Q(is_deleted=False) | Q(trashed_at=None) & ~Q(path=""))
