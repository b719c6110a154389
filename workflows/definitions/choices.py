"""Choices for the settings of nodes: fields of records, tags, members and the like, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import Case, F, QuerySet, TextField, Value, When
from django.db.models.functions import Cast, Concat, LPad

from accounts.models import Member, Role
from core.text.folding import sort_text
from core.types import JsonObject
from crm.pipelines.models import Stage
from crm.records.models import CustomField
from crm.segments.models import Segment
from crm.tags.models import Tag
from crm.teams.models import Team
from crm.teams.services import ACTIVE
from outreach.connections.ai.languages import LANGUAGES
from outreach.connections.ai.services import providers, type_of_provider
from outreach.connections.mail_vendors.registry import VENDORS
from outreach.models import AiApp, EmailTemplate, MailApp, Smtp
from workflows.graphs.models import Workflow
from workflows.secrets.models import WorkflowSecret

MAX_CHOICES = 200
TEXT = TextField()
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
OFF, UNTESTED = " (switched off)", " (connection test not passed)"
STATE = Case(When(is_active=False, then=Value(OFF)), When(verified=False, then=Value(UNTESTED)), default=Value(""))
"""Reason that keeps a sender from sending, shown after its name."""
VENDOR = Case(*(When(vendor=key, then=Value(one.name)) for key, one in VENDORS.items()), default=F("vendor"))
SENDERS, AI_TYPES, STAGES = "senders", "aiTypes", "stages"
WORDS = {
    "secrets": Concat("name", Value(" ("), "host", Value(")")),
    SENDERS: Concat("from_name", Value(" <"), "from_email", Value(">, "), "sender_place", STATE, output_field=TEXT),
    STAGES: Concat("pipeline__name", Value(": "), "name", output_field=TEXT),
    AI_TYPES: Concat("name", Case(When(is_active=False, then=Value(OFF)), default=Value(""))),
}
"""Kind -> the label of its records, if the name is not enough."""
POSITION = LPad(Cast("position", TEXT), 5, Value("0"))
SORTS = {STAGES: Concat("pipeline__name", Value(" "), POSITION, output_field=TEXT)}
"""Kind -> the text that its records are sorted by, if it is not the label."""
KEYS = {AI_TYPES: "provider"}
"""Kind -> the column that one is chosen by, where it is not the id."""
ORDERS = {
    SENDERS: ("created_at", "pk"),
    AI_TYPES: ("provider", "-is_active", "-is_default", "created_at", "pk"),
}
"""Kind -> order of its choices; kinds that are missing are ordered by name."""


def choices_for(may_read: Callable[[str], bool]) -> JsonObject:
    """Return choices by name for nodes, the first ones of each kind; None for those that the caller may not read."""
    lists: tuple[tuple[str, str, QuerySet[Any]], ...] = (
        ("tags", "tag", Tag.objects.all()),
        ("members", "member", Member.objects.filter(status__in=ACTIVE)),
        ("teams", "team", Team.objects.all()),
        (STAGES, "lead", Stage.objects.all()),
        ("segments", "segment", Segment.objects.filter(kind=Segment.Kind.STATIC)),
        ("templates", "template", EmailTemplate.objects.all()),
        ("workflows", "workflow", Workflow.objects.filter(is_deleted=False)),
        ("roles", "role", Role.objects.all()),
        ("secrets", "workflow", WorkflowSecret.objects.all()),
        (SENDERS, "apps", Smtp.objects.annotate(sender_place=F("host"))),
        (SENDERS, "apps", MailApp.objects.annotate(sender_place=VENDOR)),
        (AI_TYPES, "apps", _first_ai_apps()),
    )
    readable_lists = [entry for entry in lists if may_read(entry[1])]
    choices: JsonObject = {name: None for name, _, _ in lists} | {name: [] for name, _, _ in readable_lists}
    parts = [
        records.annotate(choice_of=Value(name), key=F(KEYS.get(name, "pk")), words=WORDS.get(name, F("name")))
        .annotate(sorted_by=SORTS.get(name, F("words")))
        .order_by(*ORDERS.get(name, ("name", "pk")))
        .values_list("choice_of", "key", "words", "sorted_by")[:MAX_CHOICES]
        for name, _, records in readable_lists
    ]
    rows = list(parts[0].union(*parts[1:], all=True)) if parts else []
    for kind, key, text, _ in sorted(rows, key=lambda row: sort_text(row[3] or "")):
        choices[kind].append({"_id": key, "name": text or ""})
    for entry in choices[AI_TYPES] or ():
        entry["_id"] = type_of_provider(entry["_id"])
    return {
        **choices,
        "languages": [{"_id": code, "name": names[0]} for code, names in LANGUAGES.items()],
        "fields": _fields() if may_read("custom-field") else None,
    }


def _first_ai_apps() -> QuerySet[Any]:
    """Return the app of each AI type: an active one, the default before others, the oldest."""
    apps: QuerySet[Any] = AiApp.objects.filter(provider__in=providers())
    return apps.distinct("provider")


def _fields() -> list[JsonObject]:
    rows = CustomField.objects.order_by("panel", "order", "pk").values_list(*FIELD.values())
    return [dict(zip(FIELD, row, strict=True)) for row in rows]
