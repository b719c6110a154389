"""How the global search reads contacts and leads of 20,000: by indexes, and no more rows the more of them match."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection

from benchmarks.data.population import Tenant
from benchmarks.raw import own_queries
from core.tenancy import company_scope
from tests.guards.test_query_plans import indexes, tenant, walk  # noqa: F401

pytestmark = pytest.mark.django_db

BIG = {"crm_contact", "crm_lead"}
MOST = 3000
"""More rows than one step of the plan ever reads, fewer than the company has."""


def run(tenant: Tenant, text: str) -> dict[str, Any]:  # noqa: F811
    """The plan of the search's only statement, with what it did."""
    (sql,) = own_queries("/search", tenant.key, {"q": text})
    with company_scope(tenant.company_id), connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
        (found,) = cursor.fetchone()
    plan: dict[str, Any] = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    return plan


def test_it_reads_a_bounded_number_of_rows(tenant: Tenant, subtests: pytest.Subtests) -> None:  # noqa: F811
    for text in ("eriksen 77", "no such name", "example.com", "a", "eriksen", "ann eriksen 7 x y z"):
        with subtests.test(text):
            plan = run(tenant, text)
            nodes = walk(plan)
            assert {node["Relation Name"] for node in nodes if node["Node Type"] == "Seq Scan"} & BIG == set()
            for node in nodes:
                read = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
                assert node["Actual Loops"] * read <= MOST, node
            if text == "no such name":
                assert "contact_search" in indexes(plan)
