"""What the settings of nodes are chosen from: fields of records, tags, members and the like, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import Case, F, QuerySet, TextField, Value, When
from django.db.models.functions import Concat

from accounts.models import Member, Role
from core.text.folding import sort_text
from crm.records.models import CustomField
from crm.segments.models import Segment
from crm.tags.models import Tag
from crm.teams.models import Team
from crm.teams.services import ACTIVE
from outreach.ai.languages import LANGUAGES
from outreach.ai.services import ai_type_of, providers
from outreach.mail_vendors.registry import VENDORS
from outreach.models import AiApp, EmailTemplate, MailApp, Smtp
from workflows.graphs.models import Workflow
from workflows.secrets.models import WorkflowSecret

MOST_CHOICES = 200
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
WORDS = {"secrets": Concat("name", Value(" ("), "host", Value(")"))}
"""Kind -> what one of it is called, where the name is not enough."""
OFF, UNTESTED = " (switched off)", " (connection test not passed)"
STATE = Case(When(is_active=False, then=Value(OFF)), When(verified=False, then=Value(UNTESTED)), default=Value(""))
"""What keeps a sender from sending, after its name."""
VENDOR = Case(*(When(vendor=key, then=Value(one.name)) for key, one in VENDORS.items()), default=F("vendor"))


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
    reads_apps = may_read("apps")
    return {
        **found,
        "senders": _senders() if reads_apps else None,
        "aiTypes": _ai_types() if reads_apps else None,
        "languages": [{"_id": code, "name": names[0]} for code, names in LANGUAGES.items()],
        "fields": _fields() if may_read("custom-field") else None,
    }


def _senders() -> list[dict[str, Any]]:
    """Return the senders of mail of all kinds, by their names and addresses."""
    kinds: tuple[tuple[QuerySet[Any], Any], ...] = ((Smtp.objects.all(), F("host")), (MailApp.objects.all(), VENDOR))
    parts = [
        rows.annotate(
            words=Concat("from_name", Value(" <"), "from_email", Value(">, "), place, STATE, output_field=TEXT)
        )
        .order_by("created_at", "pk")
        .values_list("pk", "words")[:MOST_CHOICES]
        for rows, place in kinds
    ]
    found = [{"_id": pk, "name": words} for pk, words in parts[0].union(*parts[1:], all=True)]
    return sorted(found, key=lambda one: sort_text(str(one["name"])))


def _ai_types() -> list[dict[str, Any]]:
    """Return the AI types of which the company has an app. The name is that of the app which a type stands for."""
    apps = AiApp.objects.filter(provider__in=providers()).order_by("-is_active", "-is_default", "created_at", "pk")
    found: dict[str, dict[str, Any]] = {}
    for app in apps[:MOST_CHOICES]:
        kind = ai_type_of(app)
        found.setdefault(kind, {"_id": kind, "name": f"{app.name or kind}{'' if app.is_active else OFF}"})
    return list(found.values())


def _fields() -> list[dict[str, Any]]:
    rows = CustomField.objects.order_by("panel", "order", "pk").values_list(*FIELD.values())
    return [dict(zip(FIELD, row, strict=True)) for row in rows]
