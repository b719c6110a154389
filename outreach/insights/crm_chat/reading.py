"""A plan, run: each step asks the list's own handler in process, as the asker, by the asker's role and plan."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db import connection, transaction
from django.utils.translation import gettext

from core.access import Actor
from core.text.json import dumps
from core.types import JsonObject, Values
from core.web.ask import ask
from core.web.filters import WORDS
from core.web.words.filter_words import NAMES
from outreach.connections.ai.providers.answers import plain_text
from outreach.insights.crm_chat.catalogue import MOUNT, Table
from outreach.insights.crm_chat.plans import Step, tree_of

SECONDS = 8
"""Seconds that PostgreSQL may spend on one statement of a question."""
MAX_TEXT = 300
"""Maximum number of characters of a value in the prompt."""
MAX_BYTES = 12_000
"""Maximum number of bytes of a step's rows in the prompt."""
MAX_GROUPS = 30
FIELDS = {
    **NAMES,
    "contactNumber": "phone",
    "createdAt": "added",
    "dueAt": "due",
    "happenedAt": "time",
    "openCount": "opens",
    "sentAt": "sent",
    "startedAt": "time",
    "startsAt": "start",
    "tags": "tag",
    "tags.name": "tag",
    "teamMember": "assigned to",
}
"""Field -> its name within a sentence."""


@dataclass(frozen=True)
class Asker:
    """The asker: the actor, and custom fields by their keys (name of each)."""

    actor: Actor
    names: Mapping[str, str]


def run_step(table: Table, step: Step, asker: Asker) -> JsonObject:
    """Read a list. Return the data for the prompt: total, groups, rows; or `error`, the reason of a refusal."""
    try:
        tree = tree_of(step)
    except ValueError as error:
        return _result(table, step, None, asker, error=str(error))
    selecting = {
        name: value for name, value in (("searchValue", step.search.strip()), ("advancedFilters", tree)) if value
    }
    query: JsonObject = {
        **selecting,
        "p": "1",
        "n": str(max(1, step.rows)),
        "fields": ",".join(("_id", *table.shown)),
    }
    if step.sortBy:
        query |= {"sortBy": step.sortBy, "sortOrder": step.sortOrder}
    if step.groupBy and step.groupBy not in table.groups:
        names = ", ".join(table.groups) or "nothing"
        return _result(table, step, tree, asker, error=f"groupBy: this list is grouped by {names}")
    with _time_limited():
        response = ask(asker.actor, MOUNT, "GET", table.path, query)
        if not response.ok:
            return _result(table, step, tree, asker, error=response.refusal)
        groups: Sequence[Values] = ()
        if step.groupBy:
            summed = ask(asker.actor, MOUNT, "GET", f"{table.path}/summary", {**selecting, "groupBy": step.groupBy})
            if not summed.ok:
                return _result(table, step, tree, asker, error=summed.refusal)
            groups = _with_names(summed.data[:MAX_GROUPS], step.groupBy, asker)
    rows = _rows_json(response.data[: step.rows])
    total = response.body.get("totalCount")
    capped = bool(response.body.get("totalCountIsCapped"))
    return _result(table, step, tree, asker, total=total, capped=capped, groups=groups, rows=rows)


@contextmanager
def _time_limited() -> Iterator[None]:
    """Open a transaction whose statements end after SECONDS."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            # Local to the transaction: pooled connections must not keep the limit.
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{SECONDS}s"])
        yield


def _result(
    table: Table,
    step: Step,
    tree: Any,
    asker: Asker,
    *,
    total: int | None = None,
    capped: bool = False,
    groups: Sequence[Values] = (),
    rows: Sequence[Values] = (),
    error: str = "",
) -> JsonObject:
    return {
        "list": table.path,
        "title": table.many.capitalize(),
        "words": in_order(
            in_words(table.many, step.search.strip(), tree, step.groupBy, asker.names), step, asker.names
        ),
        "query": {
            "searchValue": step.search.strip(),
            "advancedFilters": tree,
            "sortBy": step.sortBy,
            "sortOrder": step.sortOrder if step.sortBy else "",
            "groupBy": step.groupBy,
        },
        "total": total,
        "totalIsCapped": capped,
        "groups": list(groups),
        "rows": list(rows),
        "page": page_of(table, step, tree),
        "error": error,
    }


def _with_names(groups: Sequence[Values], by: str, asker: Asker) -> list[JsonObject]:
    """Give groups of ids the names of their records, where the asker may read these."""
    path = {"category": "contact-category", "team": "team", "teamMember": "member"}.get(by)
    names: dict[str, str] = {}
    ids = [row["value"] for row in groups if row["value"]]
    if path and ids:
        response = ask(
            asker.actor, MOUNT, "GET", path, {"p": "1", "n": str(len(ids)), "ids": ",".join(ids), "fields": "_id,name"}
        )
        names = {row["_id"]: row["name"] for row in response.data} if response.ok else {}
    return [
        {**row, "value": plain_text(str(names.get(row["value"], "" if path else row["value"]) or ""))[:MAX_TEXT]}
        for row in groups
    ]


def _rows_json(rows: Sequence[Any]) -> list[JsonObject]:
    """Shorten rows to their length in the prompt, and omit those beyond MAX_BYTES."""
    shortened: list[JsonObject] = []
    size = 0
    for row in rows:
        entry = _short(row)
        size += len(dumps(entry))
        if size > MAX_BYTES:
            break
        shortened.append(entry)
    return shortened


def _short(value: Any) -> Any:
    """Return a value without the parts that no answer needs: empty parts, ids of references, long texts."""
    if isinstance(value, dict):
        parts = {name: _short(part) for name, part in value.items()}
        return {name: part for name, part in parts.items() if part not in (None, "", [], {})}
    if isinstance(value, list):
        return [_short(part) for part in value[:10]]
    return plain_text(value)[:MAX_TEXT] if isinstance(value, str) else value


def label_of(table: Table, row: Values) -> str:
    """Return the name of a record."""
    value = row.get(table.label)
    if isinstance(value, Mapping):
        value = value.get("name") or value.get("email")
    return str(value or row.get("email") or gettext("Unnamed %(record)s") % {"record": table.one})[:120]


def page_of(table: Table, step: Step, tree: Any) -> str:
    """Return the page of the list with the same filters, below the company's address."""
    if not table.page:
        return ""
    params = {
        "q": step.search.strip(),
        "within": json.dumps(tree) if tree else "",
        "sort": ("-" if step.sortOrder == "desc" else "") + step.sortBy if step.sortBy else "",
    }
    query = urlencode({name: value for name, value in params.items() if value})
    return f"{table.page}?{query}" if query else table.page


def in_words(records: str, search: str, tree: Any, group: str, names: Mapping[str, str]) -> str:
    """Describe the records that a step reads, such as “leads where status is won”."""
    text = str(records)
    if search:
        text = gettext("%(records)s matching “%(search)s”") % {"records": text, "search": search}
    if tree is not None:
        text = gettext("%(records)s where %(condition)s") % {"records": text, "condition": _condition(tree, names)}
    if group:
        text = gettext("%(records)s by %(field)s") % {"records": text, "field": _field(group, names)}
    return text[:1000]


def in_order(records: str, step: Step, names: Mapping[str, str]) -> str:
    """Add the order to a description of records, if the step reads any in one."""
    if not (step.sortBy and step.rows):
        return records
    text = gettext("%(records)s sorted by %(field)s, lowest or oldest first")
    if step.sortOrder == "desc":
        text = gettext("%(records)s sorted by %(field)s, highest or newest first")
    return text % {"records": records, "field": _field(step.sortBy, names)}


def _field(name: str, names: Mapping[str, str]) -> str:
    return names.get(name) or FIELDS.get(name) or name


def _condition(node: Any, names: Mapping[str, str]) -> str:
    """Write a condition, or a tree of them. What is no condition is written as it is: it was refused anyway."""
    if not isinstance(node, dict):
        return "…"
    if isinstance(node.get("conditions"), list):
        joined = f" {node.get('operator', 'and')} ".join(_condition(part, names) for part in node["conditions"][:50])
        return f"({joined})" if len(node["conditions"]) > 1 else joined
    value = node.get("value")
    if isinstance(value, dict):
        unit = str(value.get("unit"))
        text = unit.removesuffix("s") if value.get("amount") == 1 else f"{value.get('amount')} {unit}"
    else:
        several = value if isinstance(value, list) else [value]
        text = gettext(" or ").join(
            str(part).lower() if isinstance(part, bool) else str(part) for part in several if part is not None
        )
    operator = str(node.get("operator", ""))
    return f"{_field(str(node.get('field', '')), names)} {WORDS.get(operator, operator)} {text}".strip()
