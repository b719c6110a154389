"""The glossary of texts for staff: labels of the columns of records and the keys of JSON."""

from __future__ import annotations

import re

from django.utils.translation import gettext

from core.text.labels.choices import CHOICES
from core.text.labels.columns import GLOSSARY
from core.text.labels.event_kinds import event_label
from core.text.labels.providers import provider_name

CAMEL = re.compile(r"[a-z]+(?:[A-Z][a-z0-9]*)+")
CODE = re.compile(r"[a-z]+(?:[_.-][a-z0-9]+)*|[a-z]+(?:[A-Z][a-z0-9]*)+")
CODES = frozenset(
    {"action", "adapter", "chart", "code", "consumer", "delivery_status", "detail", "disabled_reason", "error_code"}
    | {"field", "from_state", "from_status", "handle", "interval", "kind", "layout", "matched_by", "metric", "operator"}
    | {"outcome", "provider", "purpose", "range", "reason", "report", "reportType", "resource", "source", "stage"}
    | {"status", "to_state", "to_status", "tone", "trigger_event_type", "type", "variable", "vendor", "what"}
    | {"winner_rule"}
)
"""Columns, and keys of JSON, whose codes are shown as words."""
ABBREVIATIONS = {"api", "ai", "ip", "ocr", "smtp", "imap", "vat", "url", "dkim", "sku", "csv", "pdf"}


def name_label(name: str) -> str:
    """Convert a name such as `createdAt` or `created_at` to a label."""
    if name in GLOSSARY:
        return GLOSSARY[name]
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace("ID", "Id")).replace("-", "_").lower().strip("_ ")
    text = GLOSSARY.get(text) or text
    text = re.sub(r"^is_|_at$|_ids?$|_ms$|_minor$", "", text) or text
    parts = text.replace(".", "_").split("_")
    joined = " ".join(part.upper() if part in ABBREVIATIONS else part for part in parts if part)
    return gettext(joined[:1].upper() + joined[1:]) if joined else ""


def code_label(code: str) -> str:
    """Convert a code such as `awaiting_approval` or `contact.created` to text; any other text stays as it is."""
    if label := event_label(code):
        return label
    if re.fullmatch(r"[a-z]+(?:[_.-][a-z0-9]+)+", code):
        return re.sub(r"[_.-]", " ", code).capitalize()
    return name_label(code) if CAMEL.fullmatch(code) else code


def value_label(column: str, value: str) -> str:
    """Return the words for a stored code of a column: a provider's name, a kind of events, or the code as words."""
    if name := provider_name(column, value) or event_label(value):
        return name
    if column not in CODES or not CODE.fullmatch(value):
        return value
    label = code_label(value)
    return CHOICES.get(label.title()) or CHOICES.get(label.capitalize()) or label[:1].upper() + label[1:]


def headline(text: str, limit: int) -> str:
    """Return the first line of a text, cut at a word and marked with "…" where it is longer than the limit."""
    line = " ".join(text.strip().partition("\n")[0].split())
    if len(line) <= limit:
        return line
    cut = line[:limit].rpartition(" ")[0] if line[limit - 1] != " " else line[: limit - 1]
    return (cut.rstrip(" ,;:.–-") or line[: limit - 1]) + "…"
