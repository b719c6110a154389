"""Open leads that repeat another one, of the same contact and product, and the setting duplicateLeads about them.

Creations and imports (crm.leads.writes.writer), updates, bulk changes and merges all ask here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from django.db import connection

from accounts.models import CompanySettings
from core.errors import DuplicateField
from core.types import Values
from crm.contacts.unique_key import lock_unique_key
from crm.records.writes.updates import Changes

if TYPE_CHECKING:
    from crm.leads.schema import LeadSchema

Rule = CompanySettings.DuplicateLeads
DUPLICATE = DuplicateField.name
"""The name of a duplicate in the outcome of a bulk creation or an import; the contract's error has no name."""
REPEATED = ("contact", "productServices")
REPEATS = "leadRepeats"
"""The code of an error or a note about a lead that repeats an open one."""
OPENING = frozenset({"status", "contact", "productServices"})
"""The values by whose change a lead may come to repeat another."""

REPEATING = """
SELECT * FROM (
    SELECT l.id, (
        SELECT o.id FROM crm_lead o
        WHERE o.company_id = l.company_id AND o.contact_id = l.contact_id AND o.id <> l.id AND NOT o.is_deleted
            AND o.status <> ALL(%(closed)s)
            AND (
                EXISTS (
                    SELECT FROM crm_leadproduct p JOIN crm_leadproduct q ON q.product_service_id = p.product_service_id
                    WHERE p.lead_id = l.id AND q.lead_id = o.id)
                OR NOT EXISTS (SELECT FROM crm_leadproduct p WHERE p.lead_id IN (l.id, o.id)))
        ORDER BY o.created_at, o.id LIMIT 1) AS other
    FROM crm_lead l WHERE l.id = ANY(%(ids)s) AND NOT l.is_deleted AND l.status <> ALL(%(closed)s)
) AS found WHERE other IS NOT NULL ORDER BY id
"""
OPEN_LEADS = """
SELECT l.id, l.contact_id, array_agg(p.product_service_id)
FROM crm_lead l LEFT JOIN crm_leadproduct p ON p.lead_id = l.id
WHERE l.contact_id = ANY(%s) AND NOT l.is_deleted AND l.status <> ALL(%s) GROUP BY l.id ORDER BY l.created_at, l.id
"""


def duplicate_rule() -> str:
    """Return the setting duplicateLeads of the active company."""
    return CompanySettings.objects.values_list("duplicate_leads", flat=True).first() or Rule.WARN.value


REPEATED_TEXT = "the contact already has an open lead for this product"
"""The text about a lead that repeats an open one."""


def repeated_lead_text(lead: str) -> str:
    """Return the text with the id of the open lead, for programs."""
    return f"{REPEATED_TEXT} ({lead})"


def find_repeating_leads(ids: Iterable[str], closed: Collection[str]) -> dict[str, str]:
    """Find the open ones of the leads that repeat another. Returns lead -> the oldest open lead that it repeats."""
    lead_ids = list(ids)
    if not lead_ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(REPEATING, {"ids": lead_ids, "closed": list(closed)})
        return dict(cursor.fetchall())


def reopened_leads(changes_by_id: Mapping[str, Changes], closed: Collection[str]) -> list[str]:
    """Return the leads whose changes may make them repeat another: opened, or of another contact or product."""
    return [
        id
        for id, changes in changes_by_id.items()
        if "contact" in changes or "productServices" in changes or _was_opened(changes.get("status", {}), closed)
    ]


def _was_opened(status: Values, closed: Collection[str]) -> bool:
    return status.get("from") in closed and status.get("to") not in closed


def lock_duplicates(schema: LeadSchema) -> None:
    """Wait for other writers of leads where the company refuses duplicates, before a lead may become one."""
    if schema.duplicates == Rule.REFUSE:
        lock_unique_key(schema.contacts, many=True)


def check_duplicates(ids: Iterable[str], rule: str, closed: Collection[str]) -> dict[str, str]:
    """Check leads that have become open, or are of another contact or product now, in the caller's transaction.

    Returns those that repeat another open lead -> the text to warn of it. Raises DuplicateField where the company
    refuses them. Where it allows them there is nothing to warn of.
    """
    if rule == Rule.ALLOW:
        return {}
    others = find_repeating_leads(ids, closed)
    warnings = {lead: repeated_lead_text(other) for lead, other in others.items()}
    if warnings and rule == Rule.REFUSE:
        lead, text = next(iter(warnings.items()))
        params = {"record": others[lead]}
        raise DuplicateField(REPEATED, f"{text} (lead {lead})", code=REPEATS, params=params)
    return warnings


class OpenLeads:
    """The open leads of contacts, the oldest first, to find those that a row repeats.

    `heirs` has deleted contact -> the contact that takes over its leads once it is written.
    """

    def __init__(self, contact_ids: Iterable[str], closed: Iterable[str], heirs: Mapping[str, str]) -> None:
        self._by_product: dict[tuple[str, str | None], str] = {}
        ids = [*contact_ids, *heirs]
        if ids:
            with connection.cursor() as cursor:
                cursor.execute(OPEN_LEADS, [ids, list(closed)])
                for id, contact, products in cursor.fetchall():
                    self.add(id, heirs.get(contact, contact), products)

    def find(self, contact_id: str, products: Sequence[str] | None) -> str | None:
        return next(
            (id for product in products or (None,) if (id := self._by_product.get((contact_id, product)))), None
        )

    def add(self, id: str, contact_id: str, products: Sequence[str | None] | None) -> None:
        for product in products or (None,):
            self._by_product.setdefault((contact_id, product), id)

    def close(self, id: str) -> None:
        self._by_product = {key: lead for key, lead in self._by_product.items() if lead != id}
