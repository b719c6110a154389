"""Message texts as a CSV file: name, status, text, default text."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from core.messages.models import ResponseMessage
from core.text.formulas import escape_formula, restore

HEADER = ("name", "status", "text", "default text")
NEEDED = {"name", "status", "text"}
MAX_FILE_BYTES = 1_000_000
PLACEHOLDER = re.compile(r"%\(\w+\)s|\{\w*\}")
STATUS = re.compile(r"[2-5][0-9]{2}")
BODILESS = (204, 205, 304)
"""Statuses whose answers have no body, so that a message has no place."""


@dataclass(frozen=True)
class Problem:
    """A refused row of the file: its line, and the reason."""

    line: int
    text: str


def export_texts() -> str:
    """Return all message texts as CSV."""
    target = io.StringIO()
    writer = csv.writer(target)
    writer.writerow(HEADER)
    for message in ResponseMessage.objects.order_by("name"):
        writer.writerow(
            [message.name, message.status, escape_formula(message.text), escape_formula(message.default_text or "")]
        )
    return target.getvalue()


def import_texts(content: str) -> tuple[list[ResponseMessage], list[Problem]]:
    """Write the changed texts of a CSV file, all or none. Return the changed messages, and the problems."""
    # Excel on a Mac ends lines with a carriage return alone.
    reader = csv.DictReader(io.StringIO(content.removeprefix("\ufeff"), newline=None))
    try:
        columns = set(reader.fieldnames or ())
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error:
        return [], [Problem(reader.line_num or 1, _("This line can't be read as CSV."))]
    if not columns >= NEEDED:
        return [], [Problem(1, _("The first line must have the columns name, status and text."))]
    with transaction.atomic():
        messages = {message.name: message for message in ResponseMessage.objects.select_for_update()}
        changed: dict[str, ResponseMessage] = {}
        problems = []
        for line, row in rows:
            message = messages.get((row["name"] or "").strip())
            if message is None:
                problems.append(Problem(line, _("There is no message of this name.")))
                continue
            status = (row["status"] or "").strip()
            text = restore((row["text"] or "").strip())
            problem = problem_of(message, status, text)
            if problem:
                problems.append(Problem(line, problem))
            elif (message.status, message.text) != (int(status), text):
                message.status = int(status)
                message.text = text
                changed[message.name] = message
        if not problems:
            for message in changed.values():
                message.save()
    return ([] if problems else list(changed.values())), problems


def problem_of(message: ResponseMessage, status: str, text: str) -> str:
    """Return the reason why a message can't take a status and text, or an empty text."""
    kind = range(200, 300) if (message.default_status or message.status) < 400 else range(400, 600)
    if not STATUS.fullmatch(status) or int(status) not in kind or int(status) in BODILESS:
        return _("Choose a status from %(first)s to %(last)s whose answers have a body.") % {
            "first": kind.start,
            "last": kind.stop - 1,
        }
    if not text:
        return _("Enter a text.")
    if len(text) > 500:
        return _("Enter at most 500 characters.")
    if "\0" in text:
        return _("Remove the NUL character.")
    expected = sorted(PLACEHOLDER.findall(message.default_text if message.default_text is not None else message.text))
    if sorted(PLACEHOLDER.findall(text)) != expected:
        return _("Keep the placeholders: %(names)s.") % {"names": ", ".join(expected) or _("none")}
    return ""
