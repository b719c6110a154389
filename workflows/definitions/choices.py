"""What the settings of nodes are chosen from: fields of records, tags, members and the like, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import F, QuerySet, Value
from django.db.models.functions import Concat

from accounts.models import Member, Role
from core.text.folding import sort_text
from crm.records.models import CustomField
from crm.segments.models import Segment
from crm.tags.models import Tag
from crm.teams.models import Team
from crm.teams.services import ACTIVE
from outreach.models import EmailTemplate
from workflows.graphs.models import Workflow
from workflows.secrets.models import WorkflowSecret

MOST_CHOICES = 200
FIELD = {
    "panel": "panel",
    "uniqueFieldID": "unique_field_id",
    "name": "name",
    "fieldType": "field_type",
    "valueType": "value_type",
    "options": "options",
    "children": "children",
    "hide": "hide",
    "isSystem": "is_system",
}
"""Key of a field, as GET /custom-field names it -> its column."""
WORDS = {"secrets": Concat("name", Value(" ("), "host", Value(")"))}
"""Kind -> what one of it is called, where the name is not enough."""


def choices_for(may_read: Callable[[str], bool]) -> dict[str, Any]:
    """Return what nodes are made of by name, the first of each; None for what the caller may not read."""
    named: tuple[tuple[str, str, QuerySet[Any]], ...] = (
        ("tags", "tag", Tag.objects.all()),
        ("members", "member", Member.objects.filter(status__in=ACTIVE)),
        ("teams", "team", Team.objects.all()),
        ("segments", "segment", Segment.objects.filter(kind=Segment.Kind.STATIC)),
        ("templates", "template", EmailTemplate.objects.all()),
        ("workflows", "workflow", Workflow.objects.filter(is_deleted=False)),
        ("roles", "role", Role.objects.all()),
        ("secrets", "workflow", WorkflowSecret.objects.all()),
    )
    read = [one for one in named if may_read(one[1])]
    found: dict[str, Any] = {name: None for name, _, _ in named} | {name: [] for name, _, _ in read}
    parts = [
        rows.annotate(choice_of=Value(name), words=WORDS.get(name, F("name")))
        .order_by("name", "pk")
        .values_list("choice_of", "pk", "words")[:MOST_CHOICES]
        for name, _, rows in read
    ]
    for kind, pk, text in parts[0].union(*parts[1:], all=True) if parts else ():
        found[kind].append({"_id": pk, "name": text or ""})
    for name, _, _ in read:
        found[name].sort(key=lambda one: sort_text(str(one["name"])))
    return {**found, "fields": _fields() if may_read("custom-field") else None}


def _fields() -> list[dict[str, Any]]:
    rows = CustomField.objects.order_by("panel", "order", "pk").values_list(*FIELD.values())
    return [dict(zip(FIELD, row, strict=True)) for row in rows]
