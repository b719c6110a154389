"""The members and files that custom values refer to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from accounts.models import Member
from crm.field_types import Reference
from crm.files.models import File


def known_references(references: Sequence[Reference]) -> set[Reference]:
    """Return the references whose members and files the active company has; at most one query per kind."""
    return _existing("member", Member.objects.all(), references) | _existing(
        "file", File.objects.filter(is_deleted=False), references
    )


def _existing(kind: str, queryset: Any, references: Sequence[Reference]) -> set[Reference]:
    ids = {reference.id for reference in references if reference.kind == kind}
    existing = queryset.filter(pk__in=ids).values_list("pk", flat=True) if ids else ()
    return {Reference(kind, id) for id in existing}  # type: ignore[arg-type]
