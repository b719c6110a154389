"""The glossary of texts for staff: labels of the columns of records and the keys of JSON."""

from __future__ import annotations

import re

GLOSSARY = {
    "id": "Id",
    "created_at": "Created",
    "updated_at": "Changed",
    "created_by": "Created by",
    "updated_by": "Changed by",
    "due_at": "Due",
    "busy_ms": "Time at work",
    "duration_ms": "Took",
    "interval_ms": "Repeats every",
    "ai_type": "AI model",
    "smtp": "Sender",
    "mail_app": "Mail vendor",
    "chat_app": "Chat number",
    "draft": "Waits for approval",
    "ip": "IP address",
    "mime": "Type",
    "url": "Address",
    "sku": "SKU",
    "object_id": "Record",
    "actor_id": "By",
    "winner_id": "Record that stayed",
    "loser_ids": "Merged into it",
    "first_id": "First record",
    "second_id": "Second record",
    "existing_id": "Record that exists",
    "panel": "Records",
    "automation": "Starts workflows",
    "pause_requested": "Asked to pause",
    "cancel_requested": "Asked to stop",
    "user_enquiry": "Members are asked",
    "error_detail": "For the operator",
    "contact_number": "Phone",
    "country_code": "Country code",
    "column_mapping": "Columns go to",
    "is_deleted": "Deleted",
    "deleted_at": "Deleted",
    "unsubscribed_at": "Unsubscribed",
    "team_member": "Assigned to",
    "send_job": "Message",
    "node": "Step",
    "window": "Sending hours",
    "import_job": "Came with",
    "auth_path": "By",
    "throttle": "Most in an hour",
    "seq": "Steps taken",
    "outreach_cadence": "Follow-ups",
    "contactIds": "Contacts",
    "leadIds": "Leads",
    "of_campaign": "Campaign",
    "of_workflow": "Workflow",
    "ocr": "OCR",
    "color": "Colour",
}
"""A column's name, or a key of JSON -> its label."""
ABBREVIATIONS = {"api", "ai", "ip", "ocr", "smtp", "imap", "vat", "url", "dkim", "sku", "csv", "pdf"}


def heading(name: str) -> str:
    """Convert a name such as `createdAt` or `created_at` to a label."""
    if name in GLOSSARY:
        return GLOSSARY[name]
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace("ID", "Id")).replace("-", "_").lower().strip("_ ")
    text = GLOSSARY.get(text) or text
    if text in GLOSSARY.values():
        return text
    text = re.sub(r"^is_|_at$|_ids?$|_ms$|_minor$", "", text) or text
    parts = text.replace(".", "_").split("_")
    joined = " ".join(part.upper() if part in ABBREVIATIONS else part for part in parts if part)
    return joined[:1].upper() + joined[1:]


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
