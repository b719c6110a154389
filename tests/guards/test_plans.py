"""The plans of the contact lists on 20,000 contacts of two companies, under the role and the policies that requests run under.

A plan that reads a whole table, or sorts a whole company to show a page, is quick on a test's ten rows and slow on a customer's million.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from benchmarks.loading import exempt_owner
from benchmarks.population import LOADED_TABLES, Tenant, furnish, load
from benchmarks.raw import own_queries
from core.tenancy import as_owner, company_scope
from crm.services.contact_keys import live_holders
from crm.services.contact_rows import Keyed
from crm.services.contact_schema import ContactRow
from tests.cast import KEY, Caller, make_cast

OURS, THEIRS = 4_000, 16_000
PAGE = {"p": "1", "n": "50"}
Node = dict[str, Any]
pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def tenant(django_db_setup: None, django_db_blocker: Any) -> Iterator[Tenant]:
    """The company that asks; the other one has four times as many contacts. All of it is rolled back at the end of the module."""
    with django_db_blocker.unblock(), transaction.atomic():
        tenants = [
            Tenant(made.company.pk, made.owner.pk, made.api_key.key, count) for made, count in ((make_cast(), OURS), (make_cast(), THEIRS))
        ]
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        with exempt_owner(LOADED_TABLES):
            furnish(tenants[0])  # the other company's contacts have no custom values, which makes loading quick
            for made in tenants:
                load(made)
        with as_owner(), connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        yield tenants[0]
        transaction.set_rollback(True)


def plans(tenant: Tenant, **query: str) -> list[Node]:
    """The plans of a list request's own statements: that of the page, and that of the count when there is one."""
    return [plan(tenant, sql) for sql in own_queries("/contact", tenant.key, query)]


def plan(tenant: Tenant, sql: str) -> Node:
    with company_scope(tenant.company_id), connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}")
        (found,) = cursor.fetchone()
    return (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]


def walk(node: Node, *, into_subplans: bool = True) -> list[Node]:
    children = [child for child in node.get("Plans", []) if into_subplans or child["Parent Relationship"] != "SubPlan"]
    return [node, *(found for child in children for found in walk(child, into_subplans=into_subplans))]


def kinds(node: Node) -> set[str]:
    """The kinds of nodes that make the list itself: the tags of each shown contact are put together in a subplan of their own."""
    return {found["Node Type"] for found in walk(node, into_subplans=False)}


def indexes(node: Node) -> set[str]:
    return {found["Index Name"] for found in walk(node) if "Index Name" in found}


def read_in_full(node: Node) -> set[str]:
    """The tables of contacts that are read from end to end."""
    return {found["Relation Name"] for found in walk(node) if found["Node Type"] == "Seq Scan"} & set(LOADED_TABLES)


def cursor_of(tenant: Tenant, **query: str) -> str:
    found = Caller(KEY, {"apikey": tenant.key}).get("/contact", cursorPagination="true", n="1000", **query)
    assert len(found.data) == 1000
    return str(found.body["nextCursor"])


def test_the_default_page_walks_its_index(tenant: Tenant) -> None:
    page, count = plans(tenant, **PAGE)
    assert "contact_newest" in indexes(page)
    assert "Sort" not in kinds(page)
    assert read_in_full(page) == set()
    assert kinds(count) & {"Index Only Scan", "Index Scan", "Bitmap Heap Scan"}
    assert read_in_full(count) == set()


@pytest.mark.parametrize(
    ("sort", "index"),
    [
        ({}, "contact_newest"),
        ({"sortBy": "createdAt", "sortOrder": "asc"}, "contact_newest"),
        ({"sortBy": "name", "sortOrder": "asc"}, "contact_name"),
        ({"sortBy": "name", "sortOrder": "desc"}, "contact_name"),
        ({"sortBy": "score", "sortOrder": "asc"}, "fieldvalue_number"),
        ({"sortBy": "city", "sortOrder": "desc"}, "fieldvalue_text"),
        ({"sortBy": "signedUp", "sortOrder": "desc"}, "fieldvalue_time"),
    ],
)
def test_a_sort_walks_its_index_on_the_first_page_and_further_down(tenant: Tenant, sort: dict[str, str], index: str) -> None:
    first, _ = plans(tenant, **PAGE, **sort)
    (deep,) = plans(tenant, n="50", cursor=cursor_of(tenant, **sort), **sort)
    for page in (first, deep):
        assert index in indexes(page)
        assert "Sort" not in kinds(page)
        assert read_in_full(page) == set()


def test_the_place_after_a_cursor_is_found_by_the_index(tenant: Tenant) -> None:
    (page,) = plans(tenant, n="50", cursor=cursor_of(tenant))
    conditions = [node["Index Cond"] for node in walk(page) if node.get("Index Name") == "contact_newest"]
    assert len(conditions) == 1
    assert "ROW(" in conditions[0], "a row comparison that is no index condition is tried on every contact before the place"


@pytest.mark.parametrize(
    "query",
    [
        {"filters": {"city": "City 7"}},
        {"filters": {"city": "City 7"}, "sortBy": "score"},
        {"advancedFilters": {"field": "score", "operator": "greaterThan", "value": 99_000}},
        {"filters": {"vip": True}, "sortBy": "name"},
        {"searchValue": "eriksen"},
        {"searchValue": "City 7", "searchBy": "city"},
    ],
    ids=["equals", "equals, sorted by another field", "greater than", "checkbox", "search", "search in a custom field"],
)
def test_filters_and_searches_begin_with_an_index(tenant: Tenant, query: dict[str, Any]) -> None:
    asked = {name: value if isinstance(value, str) else json.dumps(value) for name, value in query.items()}
    for found in plans(tenant, **PAGE, **asked):
        assert read_in_full(found) == set()
        assert kinds(found) & {"Index Scan", "Index Only Scan", "Bitmap Index Scan"}


def test_a_contact_is_found_by_its_address_whatever_its_capitals(tenant: Tenant) -> None:
    for found in plans(tenant, **PAGE, filters=json.dumps({"email": "Ann.Eriksen@example.com"})):
        assert "contact_email" in indexes(found)


def test_a_custom_fields_filter_is_a_join_and_not_a_subplan(tenant: Tenant) -> None:
    page, count = plans(tenant, **PAGE, filters=json.dumps({"city": "City 7"}))
    assert "fieldvalue_text" in indexes(count)
    assert [node for node in walk(count) if node.get("Parent Relationship") == "SubPlan"] == []
    assert {"Nested Loop", "Hash Join", "Merge Join"} & kinds(page)


def test_the_policies_add_no_subplan(tenant: Tenant) -> None:
    """The policy is a comparison with a constant: what is below a subplan is the page's own query for tags."""
    page, count = plans(tenant, **PAGE)
    for found in (page, count):
        below = [node for node in walk(found) if node.get("Parent Relationship") in ("SubPlan", "InitPlan")]
        tables = {node["Relation Name"] for start in below for node in walk(start) if "Relation Name" in node}
        assert tables <= {"crm_contacttag", "crm_tag"}
    assert [node for node in walk(count) if node.get("Parent Relationship") in ("SubPlan", "InitPlan")] == []


def test_duplicates_are_looked_up_by_the_unique_indexes(tenant: Tenant) -> None:
    wanted = [Keyed("", ContactRow(), f"nobody{i}@example.com", f"+49151{i:08}") for i in range(500)]
    with company_scope(tenant.company_id), CaptureQueriesContext(connection) as captured:
        live_holders(wanted)
    (sql,) = [entry["sql"] for entry in captured.captured_queries if "crm_contact" in entry["sql"]]
    found = plan(tenant, sql)
    assert {"contact_email_unique", "contact_number_unique"} <= indexes(found)
    assert read_in_full(found) == set()
