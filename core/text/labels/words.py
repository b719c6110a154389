"""The glossary of texts for staff: labels of the columns of records and the keys of JSON."""

from __future__ import annotations

import re

from django.utils.translation import gettext

from core.text.labels.columns import GLOSSARY

ABBREVIATIONS = {"api", "ai", "ip", "ocr", "smtp", "imap", "vat", "url", "dkim", "sku", "csv", "pdf"}


def heading(name: str) -> str:
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
    if re.fullmatch(r"[a-z]+(?:[_.][a-z]+)+", code):
        return re.sub(r"[_.]", " ", code).capitalize()
    return code


def headline(text: str, limit: int) -> str:
    """Return the first line of a text, cut at a word and marked with "…" where it is longer than the limit."""
    line = " ".join(text.strip().partition("\n")[0].split())
    if len(line) <= limit:
        return line
    cut = line[:limit].rpartition(" ")[0] if line[limit - 1] != " " else line[: limit - 1]
    return (cut.rstrip(" ,;:.–-") or line[: limit - 1]) + "…"
