"""Companies as provisioning leaves them: one is made by its hooks, the others are copies of its rows.

Every second test needs a company, and its hooks take some twenty queries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.apps import apps
from django.db import connection, transaction
from django.utils import timezone

from core.ids import new_id
from core.tenancy import company_id, company_scope
from core.tenancy.models import CompanyRow
from core.tenancy.provisioning import provision_company
from tests.kit.factories import CompanyFactory

ID = re.compile(r'(?<=")[0-9a-f]{24}(?=")')
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?\+00:00")


@dataclass(frozen=True)
class Provisioned:
    """The rows of a new company: table -> its columns and the rows as a JSON array."""

    company: str
    rows: dict[str, tuple[str, str]]

    def copy(self) -> None:
        """Insert the rows for the active company, with ids of their own and as of now."""
        ids = {self.company: company_id()}
        for _, rows in self.rows.values():
            ids |= {id: new_id() for id in re.findall(r'"id":"([0-9a-f]{24})"', rows)}
        now, statements, values = timezone.now().isoformat(), [], []
        for table, (columns, rows) in self.rows.items():
            statements.append(
                f'INSERT INTO "{table}" ({columns}) SELECT {columns} FROM json_populate_recordset(NULL::"{table}", %s)'
            )
            values.append(TIME.sub(now, ID.sub(lambda found: ids.get(found[0], found[0]), rows)))
        with connection.cursor() as cursor:
            cursor.execute("; ".join(statements), values)


_first: Provisioned | None = None


def remember() -> None:
    """Provision a company, keep its rows in mind, and take it back."""
    global _first
    with transaction.atomic():
        company = CompanyFactory()
        with company_scope(company.pk):
            provision_company()
            _first = Provisioned(company.pk, dict(_rows()))
        transaction.set_rollback(True)


def _rows() -> Iterator[tuple[str, tuple[str, str]]]:
    with connection.cursor() as cursor:
        for model in apps.get_models():
            if issubclass(model, CompanyRow) and model._meta.managed:
                table = model._meta.db_table
                cursor.execute(f'SELECT json_agg(t)::text FROM "{table}" t WHERE company_id = %s', [company_id()])
                (rows,) = cursor.fetchone()
                if rows:
                    columns = [f'"{field.column}"' for field in model._meta.concrete_fields if not field.generated]
                    yield table, (", ".join(columns), rows)


def provision() -> None:
    """Give the active company, which is new, what every new company gets."""
    assert _first is not None, "remember() comes first"
    _first.copy()
