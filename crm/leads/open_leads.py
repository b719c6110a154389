"""The open leads of contacts, to find those that a new one repeats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from django.db import connection

OPEN_LEADS = """
SELECT l.id, l.contact_id, array_agg(p.product_service_id)
FROM crm_lead l LEFT JOIN crm_leadproduct p ON p.lead_id = l.id
WHERE l.contact_id = ANY(%s) AND NOT l.is_deleted AND l.status <> ALL(%s) GROUP BY l.id ORDER BY l.created_at, l.id
"""


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
