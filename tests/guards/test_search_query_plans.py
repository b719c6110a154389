"""The plans of searches on 10,000 contacts of two companies, and on leads.

The index of grams finds few matches; of many matches a page is read in the list's order. The global search reads by
indexes too, and no more rows the more of them match.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection

from benchmarks.data.loading import exempt_owner
from benchmarks.data.population import Tenant
from benchmarks.raw import own_queries
from core.lists import matching
from core.tenancy import company_scope, use_owner_role
from tests.guards.test_query_plans import PAGE, indexes, kinds, plans, read_in_full, tenant, walk  # noqa: F401
from tests.kit.examples import in_make_check

pytestmark = [pytest.mark.django_db, in_make_check]


@pytest.fixture(scope="module")
def leads(tenant: Tenant, django_db_blocker: Any) -> Tenant:  # noqa: F811
    """The company with a lead for every other contact."""
    with django_db_blocker.unblock(), exempt_owner(("crm_lead",)), use_owner_role(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO crm_lead (id, company_id, created_at, updated_at, contact_id, status, source, notes, custom, is_deleted)"  # noqa: E501
            " SELECT 'f' || substr(id, 2), company_id, created_at, updated_at, id, 'new', '', '', '{}', false"
            " FROM crm_contact WHERE company_id = %s AND right(id, 1) IN ('0', '2', '4', '6', '8', 'a', 'c', 'e')",
            [tenant.company_id],
        )
        cursor.execute("ANALYZE crm_lead")
    return tenant


def searched(tenant: Tenant, path: str = "/contact", **query: Any) -> list[dict[str, Any]]:  # noqa: F811
    """The plans of how a request finds its page: first the count of few or many, then the page's ids, then the count of
    many or of a page in full."""
    asked = {name: value if isinstance(value, str) else json.dumps(value) for name, value in query.items()}
    return plans(tenant, path, **PAGE, **asked)


@pytest.mark.parametrize(
    ("query", "used"),
    [
        ({"searchValue": "eriksen 77"}, {"contact_search"}),
        ({"searchValue": "no such name"}, {"contact_search"}),
        ({"searchValue": "n 7"}, {"contact_search"}),
        ({"searchValue": "eriksen 77", "sortBy": "name"}, {"contact_search"}),
        (
            {"advancedFilters": {"field": "name", "operator": "startsWith", "value": "ann eriksen 7"}},
            {"contact_search"},
        ),
        ({"advancedFilters": {"field": "name", "operator": "endsWith", "value": "kaya 77"}}, {"contact_search"}),
        ({"searchValue": "event 512,", "searchBy": "remark"}, {"customfieldvalue_search"}),
        ({"searchValue": "event 512,", "searchBy": "remark,name,email"}, {"customfieldvalue_search", "contact_search"}),
    ],
)
def test_few_are_found_by_their_grams(tenant: Tenant, query: dict[str, Any], used: set[str]) -> None:  # noqa: F811
    sample, *plans = searched(tenant, **query)
    assert read_in_full(sample) == set()
    assert plans != []
    for found in plans:
        assert used <= indexes(found)
        assert read_in_full(found) == set()


def test_a_page_of_many_matches_is_read_in_its_order(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """The planner may expect few matches of a text that every contact has, but to sort them all is slow."""
    monkeypatch.setattr(matching, "MAX_COUNTED", 100)
    _, probe, page = searched(tenant, searchValue="example.com")
    assert "Limit" in kinds(probe)
    assert "contact_search" not in indexes(probe)
    assert "contact_newest" in indexes(page)
    assert "contact_search" not in indexes(page)
    assert [node for node in walk(page) if node["Node Type"] == "Sort" and node["Plan Rows"] > 51] == [], (
        "no more than what is shown"
    )
    assert read_in_full(probe) == set()


def test_leads_are_found_by_their_contacts_grams(leads: Tenant) -> None:
    _, probe, *pages = searched(leads, "/lead", searchValue="eriksen 7")
    assert pages != []
    for found in (probe, *pages):
        assert "contact_search" in indexes(found)
        assert {node["Relation Name"] for node in walk(found) if node["Node Type"] == "Seq Scan"} & {
            "crm_lead",
            "crm_contact",
        } == set()
    _, *pages = searched(leads, "/lead", searchValue="eriksen 7", searchBy="contact.name,notes")
    for found in pages:
        assert {"contact_search", "lead_search"} <= indexes(found)


BIG = {"crm_contact", "crm_lead"}
MAX_ROWS_READ = 3000
"""More rows than one step of the plan ever reads, fewer than the company has."""


def plan_of_global_search(tenant: Tenant, text: str) -> dict[str, Any]:  # noqa: F811
    """Return the plan of the search's only statement, with what it did."""
    (sql,) = own_queries("/search", tenant.key, {"q": text})
    with company_scope(tenant.company_id), connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
        (found,) = cursor.fetchone()
    plan: dict[str, Any] = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    return plan


def test_the_global_search_reads_a_bounded_number_of_rows(tenant: Tenant, subtests: pytest.Subtests) -> None:  # noqa: F811
    for text in ("eriksen 77", "no such name", "example.com", "a", "eriksen", "ann eriksen 7 x y z"):
        with subtests.test(text):
            plan = plan_of_global_search(tenant, text)
            nodes = walk(plan)
            assert {node["Relation Name"] for node in nodes if node["Node Type"] == "Seq Scan"} & BIG == set()
            for node in nodes:
                read = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
                assert node["Actual Loops"] * read <= MAX_ROWS_READ, node
            if text == "no such name":
                assert "contact_search" in indexes(plan)
