"""Probable duplicates, found by rules and a page at a time; no rule compares all records with all.

The rules of equal keys walk an index in the order of the key and stop when the page is full. Dismissed pairs
(DuplicateDismissal) leave their groups, and so do merged and deleted records.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from django.db import connection, transaction

from core.errors import NamedError
from core.types import JsonObject
from crm.contacts.kind import CONTACT
from crm.leads.schema import closed_statuses
from crm.merging.models import DuplicateDismissal
from crm.merging.similar_names import similar_pairs
from crm.records.kinds import RecordKind

MAX_SHOWN = 20
"""Records of a group that are shown: as many as can be merged at once."""
MAX_WEIGHED = 200
"""Records of a group whose dismissed pairs are read: nobody dismisses all pairs of a larger one."""

OWN = "company_id = current_setting('app.company') AND NOT is_deleted"
DISMISSED = """SELECT count(*) FROM crm_duplicatedismissal d
    WHERE d.company_id = current_setting('app.company') AND d.panel = %(panel)s
        AND d.first_id = ANY(g.ids) AND d.second_id = ANY(g.ids)"""
UNDISMISSED = f"(n > {MAX_WEIGHED} OR n * (n - 1) / 2 > ({DISMISSED}))"
SAME_COLUMN = """
SELECT key, ids, n FROM (
    SELECT {column} AS key, array_agg(id ORDER BY id) AS ids, count(*) AS n FROM {table}
    WHERE {own} AND {column} IS NOT NULL {more} AND {column} > %(after)s
    GROUP BY {column} HAVING count(*) > 1
) AS g WHERE {undismissed}
"""
SAME_CONTACT_AND_PRODUCT = f"""
SELECT contact_id || ' ' || product AS key, ids, n FROM (
    SELECT c.contact_id, x.* FROM (
        SELECT contact_id FROM crm_lead
        WHERE {OWN} AND status <> ALL(%(closed)s) AND contact_id >= split_part(%(after)s, ' ', 1)
        GROUP BY contact_id HAVING count(*) > 1
    ) AS c CROSS JOIN LATERAL (
        SELECT coalesce(p.product_service_id, '') AS product, array_agg(l.id ORDER BY l.id) AS ids, count(*) AS n
        FROM crm_lead l LEFT JOIN crm_leadproduct p ON p.lead_id = l.id
        WHERE l.contact_id = c.contact_id AND NOT l.is_deleted AND l.status <> ALL(%(closed)s)
        GROUP BY 1 HAVING count(*) > 1
    ) AS x
    WHERE (c.contact_id, x.product) > (split_part(%(after)s, ' ', 1), split_part(%(after)s, ' ', 2))
) AS g WHERE {UNDISMISSED}
"""


class Place(NamedTuple):
    """The end of a page: the rule, the key of its last group, and for similar names the last pair."""

    rule: str
    key: str = ""
    pair: str = ""


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Records that a rule considers the same; `count` may exceed the number of ids. `shared` is their common value."""

    rule: str
    score: float
    ids: Sequence[str]
    count: int
    shared: str | None


@dataclass(frozen=True, slots=True)
class DuplicatePage:
    """A page; with `next` there may be more, even if the page is not full."""

    groups: list[Duplicates] = field(default_factory=list)
    next: Place | None = None


def _same_column(table: str, column: str, more: str = "") -> str:
    return SAME_COLUMN.format(table=table, column=column, own=OWN, more=more, undismissed=UNDISMISSED)


SIMILAR_NAME = "similarName"
EQUAL: Mapping[str, str] = {
    "samePhone": _same_column("crm_contact", "contact_number"),
    "sameEmail": _same_column("crm_contact", "email_identity"),
    "sameName": _same_column("crm_organization", "name_key"),
    "sameDomain": _same_column("crm_organization", "domain"),
    "sameContactAndProduct": SAME_CONTACT_AND_PRODUCT,
    "sameContact": _same_column("crm_lead", "contact_id", "AND status <> ALL(%(closed)s)"),
}
"""Rule -> the groups whose records have the same key, for ORDER BY key."""
RULES: Mapping[str, tuple[str, ...]] = {
    "contact": ("samePhone", "sameEmail", SIMILAR_NAME),
    "lead": ("sameContactAndProduct", "sameContact"),
    "organization": ("sameName", "sameDomain"),
}
"""Panel -> its rules, in the order in which they are walked."""
ORDER = {"sameContactAndProduct": "ORDER BY contact_id, product"}


def find_duplicates(*, kind: RecordKind, rules: Sequence[str], size: int, after: Place | None = None) -> DuplicatePage:
    """Return the next `size` groups of the rules (in the order of RULES) after a place."""
    duplicates: list[Duplicates] = []
    start = 0 if after is None else rules.index(after.rule)
    for rule in rules[start:]:
        place = after if after is not None and after.rule == rule else Place(rule)
        remaining = size - len(duplicates)
        # The page is full at the end of a rule, so the next one begins where the following rule does.
        if not remaining:
            return DuplicatePage(duplicates, place)
        groups, further = _similar(place, remaining) if rule == SIMILAR_NAME else _equal(kind, place, remaining)
        duplicates += groups
        if further is not None:
            return DuplicatePage(duplicates, further)
    return DuplicatePage(duplicates)


def count_groups(*, kind: RecordKind, rules: Iterable[str]) -> int | None:
    """Return the number of groups of the rules; None if similar names are among them, which are found only as pages are
    read."""
    total = 0
    for rule in rules:
        if rule == SIMILAR_NAME:
            return None
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM ({EQUAL[rule]}) AS found", _parameters(kind, ""))
            total += cursor.fetchone()[0]
    return total


def dismissed_among(kind: RecordKind, ids: Iterable[str]) -> set[tuple[str, str]]:
    """Return the dismissed pairs among the ids, the smaller id first."""
    ids = list(ids)
    rows = DuplicateDismissal.objects.filter(panel=kind.panel, first_id__in=ids, second_id__in=ids)
    return set(rows.values_list("first_id", "second_id")) if ids else set()


def dismiss_duplicates(*, kind: RecordKind, ids: Sequence[str], actor_id: str, not_found: str) -> int:
    """Record that no two of the live records are the same. Returns the number of new pairs. Raises `not_found` for a
    missing record."""
    with transaction.atomic():
        live = set(kind.model._default_manager.filter(pk__in=ids, is_deleted=False).values_list("pk", flat=True))
        missing = [id for id in ids if id not in live]
        if missing:
            raise NamedError(not_found, f"there is no {missing[0]} among the {kind.noun} of this company", field="ids")
        pairs = set(combinations(sorted(ids), 2)) - dismissed_among(kind, ids)
        # Two members may dismiss the same pair at once; one row is enough.
        DuplicateDismissal.objects.bulk_create(
            [
                DuplicateDismissal(panel=kind.panel, first_id=first, second_id=second, created_by_id=actor_id)
                for first, second in sorted(pairs)
            ],
            ignore_conflicts=True,
        )
        return len(pairs)


def _parameters(kind: RecordKind, after: str) -> JsonObject:
    return {"after": after, "panel": kind.panel, "closed": list(closed_statuses()) if kind.panel == "lead" else []}


def _equal(kind: RecordKind, place: Place, size: int) -> tuple[list[Duplicates], Place | None]:
    order = ORDER.get(place.rule, "ORDER BY key")
    with connection.cursor() as cursor:
        cursor.execute(
            # One group more than the page has tells whether another page follows.
            f"{EQUAL[place.rule]} {order} LIMIT %(size)s",
            {**_parameters(kind, place.key), "size": size + 1},
        )
        rows = cursor.fetchall()
    shown = rows[:size]
    # Groups of two are filtered by the statement itself: their one pair is dismissed, or it is not.
    different = dismissed_among(kind, (id for _, ids, count in shown if 2 < count <= MAX_WEIGHED for id in ids))
    groups = [_group(place.rule, key, ids, different) for key, ids, _ in shown]
    return groups, Place(place.rule, shown[-1][0]) if len(rows) > size else None


def _group(rule: str, key: str, ids: Sequence[str], different: set[tuple[str, str]]) -> Duplicates:
    """Return the group without the records that are dismissed with all others."""
    if different:
        alike = {id for pair in combinations(ids, 2) if pair not in different for id in pair}
        ids = [id for id in ids if id in alike]
    return Duplicates(rule, 1.0, ids[:MAX_SHOWN], len(ids), _shared_value(rule, key))


def _shared_value(rule: str, key: str) -> str:
    if rule == "sameEmail":
        domain, _, name = key.partition("@")
        return f"{name}@{domain}"
    return key.partition(" ")[0]


def _similar(place: Place, size: int) -> tuple[list[Duplicates], Place | None]:
    pairs, further = similar_pairs(
        after=(place.key, place.pair), size=size, dismissed=lambda ids: dismissed_among(CONTACT, ids)
    )
    groups = [Duplicates(place.rule, pair.score, (pair.first, pair.second), 2, pair.domain) for pair in pairs]
    if further is None:
        return groups, None
    key, last = further
    return groups, Place(place.rule, key, last)
