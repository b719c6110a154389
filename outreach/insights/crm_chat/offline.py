"""The offline reader: it understands common questions by rules, without any model, and answers in plain English.

It reads counts, newest and oldest, best by value, groups, due and coming, and otherwise searches for the words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from django.utils.translation import gettext, ngettext

from core.text.formats import Formats
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from outreach.insights.crm_chat.catalogue import TABLES, Table
from outreach.insights.crm_chat.plans import Step
from outreach.insights.crm_chat.reading import in_words, label_of

NOUNS = {
    "contact": r"contacts?|people|persons?|customers?|address(?:es)?",
    "lead": r"leads?|deals?|enquir(?:y|ies)|pipeline|opportunit(?:y|ies)",
    "lead-activity/follow-up": r"follow-?ups?|to-?dos?|tasks?|reminders?",
    "meeting": r"meetings?|appointments?",
    "calllog": r"(?:phone )?calls?",
    "product-service": r"products?|services?",
    "genie/send-jobs": r"messages?|e-?mails?|mails?",
    "campaign": r"campaigns?",
    "tag": r"tags?",
    "contact-category": r"categor(?:y|ies)",
    "team": r"teams?",
    "member": r"members?|colleagues?|users?",
    "lead-activity": r"activit(?:y|ies)|history",
}
COUNT = re.compile(r"\bhow many\b|\bcount\b|\bnumber of\b|\btotal\b", re.IGNORECASE)
GROUP = re.compile(
    r"\b(?:by|per|grouped by|(?:(?:for|in|of|with|from|at|on|does|do|has|have) )?(?:each|every)(?: of the)?)"
    r" (status|source|team member|member|person|team|category)\b",
    re.IGNORECASE,
)
GROUPED = {"team member": "teamMember", "member": "teamMember", "person": "teamMember"}
NEWEST = re.compile(r"\b(newest|latest|recent|recently|last added|new)\b", re.IGNORECASE)
OLDEST = re.compile(r"\b(oldest|first added)\b", re.IGNORECASE)
BEST = re.compile(r"\b(biggest|largest|highest|top|best|most valuable)\b", re.IGNORECASE)
WITHOUT = re.compile(
    r"\b(?:without|have no|has no|with no|missing|lack(?:ing)?) (?:an? |any )?"
    r"(e-?mail|phone|number|name|category|tag|value|source|team)",
    re.IGNORECASE,
)
FIELD = {"email": "email", "mail": "email", "phone": "contactNumber", "number": "contactNumber", "tag": "tags"}
TAGGED = re.compile(
    r"\b(?:tagged|with (?:the )?tag|tag) [\"“']?([\w &+-]{1,60}?)[\"”']?"
    r"(?= (?:that|who|which|were|was|have|this|last|in|by)\b|[?.!,]|$)",
    re.IGNORECASE,
)
STATUSES = (
    "new",
    "contacted",
    "qualified",
    "proposal",
    "won",
    "lost",
    "open",
    "done",
    "sent",
    "failed",
    "draft",
    "opened",
    "planned",
    "cancelled",
)
STATUS = re.compile(rf"\b(?:({'|'.join(STATUSES)})|(?:status|state) (?:is |of )?[\"“']?([\w-]+))\b", re.IGNORECASE)
SPANS = (
    (re.compile(r"\b(?:last|past) (\d{1,3}) (hour|day|week|month)s?\b", re.IGNORECASE), "withinLast"),
    (re.compile(r"\b(?:next|coming) (\d{1,3}) (hour|day|week|month)s?\b", re.IGNORECASE), "withinNext"),
    (re.compile(r"\b(?:last|past|this) ()(day|week|month)\b", re.IGNORECASE), "withinLast"),
    (re.compile(r"\b(?:next|coming) ()(day|week|month)\b", re.IGNORECASE), "withinNext"),
    (re.compile(r"\b()(today)\b", re.IGNORECASE), "withinLast"),
)
AMOUNT = re.compile(
    r"\b(?:(?:top|first|last|newest|latest|biggest|best) (\d{1,2})\b(?! (?:hour|day|week|month))"
    r"|(\d{1,2}) (?:\w+ )?(?:newest|latest|biggest|largest|highest|best|oldest|most valuable)\b)",
    re.IGNORECASE,
)
ASKS = re.compile(
    r"\b(?:who|what|which|where|when|show|list|find|search|look|for|me|us|all|any|is|are|was|were|do|does|did|we|i|have|"
    r"has|the|a|an|of|in|on|our|my|about|tell|please|there|named|called|know|how|many|much|with|to|from|and)\b"
    r"|[?.!,:;\"“”]",
    re.IGNORECASE,
)
DATED = {
    "meeting": "startsAt",
    "lead-activity/follow-up": "dueAt",
    "calllog": "startedAt",
    "genie/send-jobs": "sentAt",
    "lead-activity": "happenedAt",
}
"""List -> the date that "last week" is about; otherwise when a record was added."""
AMOUNTS = ("value", "price")
"""Fields with amounts in the company's currency."""
KNOWS = gettext_lazy(
    "Ask “How many leads were added last week?”, “Leads by status”, “The 5 biggest open deals”, "
    "“Contacts without an email”, “Overdue tasks”, “Meetings next week” or “Who is Ann Miller?”. "
    "Connect an AI model under Settings → AI to ask other questions."
)


def plan(question: str, tables: Sequence[Table]) -> list[Step]:
    """Return the steps to read for a question; an empty list for one that no rule understands."""
    open_to = {table.path for table in tables}
    text = " ".join(question.split())
    path = _list_of(text)
    if path is None:
        search_text = " ".join(ASKS.sub(" ", text).split())
        return [
            Step(list=name, search=search_text[:200], rows=5)
            for name in ("contact", "lead")
            if search_text and name in open_to
        ]
    if path not in open_to:
        return [Step(list=path, rows=0)]
    return [_step(path, text)]


def _list_of(text: str) -> str | None:
    """Return the list that a question names first. Its noun may be within another list's noun."""
    matches = [
        (match.start(), -len(match[0]), path)
        for path, noun in NOUNS.items()
        if (match := re.search(rf"\b(?:{noun})\b", text, re.IGNORECASE))
    ]
    tagged = TAGGED.search(text)
    if tagged and len(matches) > 1:
        matches = [entry for entry in matches if entry[2] != "tag"]
    return min(matches)[2] if matches else None


def _step(path: str, text: str) -> Step:
    table, group = TABLES[path], GROUP.search(text)
    # What is grouped by is no condition: “in each status last week” asks for no status called “last”.
    conditions = _conditions(path, GROUP.sub(" ", text))
    filters = json.dumps({"operator": "and", "conditions": conditions}) if conditions else ""
    by = GROUPED.get(group[1].lower(), group[1].lower()) if group else ""
    if by in table.groups:
        return Step(list=path, filters=filters, rows=0, groupBy=by)
    counted = COUNT.search(text) is not None
    sort, order = "", "desc"
    if BEST.search(text) and "value" in table.fields.fields:
        sort = "value"
    elif OLDEST.search(text):
        sort, order = "createdAt", "asc"
    elif path in ("meeting", "lead-activity/follow-up"):
        span = _span(text)
        sort, order = DATED[path], "desc" if span and span["operator"] == "withinLast" else "asc"
    elif NEWEST.search(text):
        sort = "createdAt"
    amount = AMOUNT.search(text)
    rows = 0
    if not counted:
        rows = min(20, max(1, int(amount[1] or amount[2]))) if amount else 10
    return Step(list=path, filters=filters, sortBy=sort, sortOrder="asc" if order == "asc" else "desc", rows=rows)


def _conditions(path: str, text: str) -> list[JsonObject]:
    fields = TABLES[path].fields.fields
    conditions: list[JsonObject] = []
    if (without := WITHOUT.search(text)) is not None:
        word = without[1].lower().replace("-", "")
        name = FIELD.get(word, word)
        if name in fields:
            conditions.append({"field": name, "operator": "isEmpty"})
    elif (tagged := TAGGED.search(text)) is not None and "tags.name" in fields:
        conditions.append({"field": "tags.name", "operator": "equals", "value": tagged[1].strip()})
    if "overdue" in fields and re.search(r"\b(overdue|late|due)\b", text, re.IGNORECASE):
        conditions.append({"field": "overdue", "operator": "equals", "value": True})
    elif re.search(r"\bunsubscribed\b", text, re.IGNORECASE) and "unsubscribed" in fields:
        conditions.append({"field": "unsubscribed", "operator": "equals", "value": True})
    elif "status" in fields and (status := _status(path, text)):
        conditions.append(status)
    if (span := _span(text)) is not None:
        conditions.append({"field": DATED.get(path, "createdAt"), **span})
    elif path == "meeting" and re.search(r"\b(next|coming|upcoming)\b", text, re.IGNORECASE):
        conditions.append({"field": "startsAt", "operator": "withinNext", "value": {"amount": 365, "unit": "days"}})
    return conditions


def _status(path: str, text: str) -> JsonObject | None:
    match = STATUS.search(text)
    if match is None:
        return None
    word = (match[1] or match[2]).lower()
    if match[1] and word == "new" and (NEWEST.search(text) or path != "lead"):
        return None  # “new leads” are the newest ones
    if path == "lead" and word == "open":
        return {"field": "status", "operator": "notIn", "value": ["won", "lost"]}
    if path == "genie/send-jobs" and word == "opened":
        return {"field": "openCount", "operator": "greaterThan", "value": 0}
    return {"field": "status", "operator": "equals", "value": word}


def _span(text: str) -> JsonObject | None:
    for pattern, operator in SPANS:
        if (match := pattern.search(text)) is not None:
            unit = {"today": "day"}.get(match[2].lower(), match[2].lower())
            return {"operator": operator, "value": {"amount": int(match[1] or 1), "unit": f"{unit}s"}}
    return None


def words(results: Sequence[Values], formats: Formats) -> str:
    """Return the answer that the results give, with amounts in the company's format."""
    if not results:
        return gettext("I don't understand this question. %(advice)s") % {"advice": KNOWS}
    said = [_describe_result(result, formats) for result in results]
    if all(not result["error"] and not result["total"] and result["query"]["searchValue"] for result in results):
        values = {"search": results[0]["query"]["searchValue"], "advice": KNOWS}
        return gettext("I found nothing for “%(search)s”. %(advice)s") % values
    return "\n".join(line for line in said if line)


def _describe_result(result: Values, formats: Formats) -> str:
    table = TABLES[result["list"]]
    if result["error"]:
        values = {"records": table.many, "error": result["error"]}
        return gettext("I can't read the %(records)s: %(error)s") % values
    total = result["total"] or 0
    query = result["query"]
    noun = table.one if total == 1 else table.many
    records = in_words(noun, query["searchValue"], query["advancedFilters"], query["groupBy"], {})
    if not total:
        return gettext("There are no %(records)s.") % {"records": records}
    text = ngettext("There is %(count)s %(records)s", "There are %(count)s %(records)s", total)
    if result["totalIsCapped"]:
        text = gettext("There are more than %(count)s %(records)s")
    head = text % {"count": f"{total:,}", "records": records}
    if result["groups"]:
        lines = [f"– {group['value'] or gettext('none')}: {_group_words(group, formats)}" for group in result["groups"]]
        return "\n".join([f"{head}:", *lines])
    if not result["rows"]:
        return f"{head}."
    lines = [f"– {_line(table, row, formats)}" for row in result["rows"]]
    left = ""
    if total > len(lines):
        left = gettext("Showing %(shown)s of %(total)s.") % {"shown": len(lines), "total": f"{total:,}"}
    return "\n".join([f"{head}:", *lines, *([left] if left else [])])


def _group_words(group: Values, formats: Formats) -> str:
    count = f"{group['count']:,}"
    if not group.get("sum"):
        return count
    return gettext("%(count)s, worth %(amount)s") % {
        "count": count,
        "amount": formats.money(Decimal(str(group["sum"]))),
    }


def _line(table: Table, row: Values, formats: Formats) -> str:
    """Return a record in a line: its name, and its other shown values."""
    parts = []
    for name in table.shown:
        value = row.get(name)
        if name in (table.label, "formData", "createdAt", "notes", "unsubscribed") or value in (None, "", [], {}):
            continue
        if isinstance(value, Mapping):
            value = value.get("name") or value.get("email") or (value.get("contact") or {}).get("name")
        elif isinstance(value, list):
            value = ", ".join(
                str(part.get("name", "")) if isinstance(part, Mapping) else str(part) for part in value[:3]
            )
        elif isinstance(value, bool):
            value = name if value else ""
        elif name in AMOUNTS and isinstance(value, int | float):
            value = formats.money(Decimal(str(value)))
        elif isinstance(value, float):
            value = f"{value:,.0f}"
        elif name.endswith("At") and isinstance(value, str):
            value = value[:16].replace("T", " ")
        if value:
            parts.append(str(value)[:80])
    return ", ".join((label_of(table, row), *parts[:4]))
