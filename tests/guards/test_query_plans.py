"""The plans of the lists of contacts and leads on 10,000 of each in two companies, under the role and the policies of
requests.

A plan that reads a whole table, or sorts a whole company to show a page, is quick on a test's ten rows and slow on
a customer's million.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from benchmarks.data.lead_population import LEAD_TABLES, create_lead_references, load_leads
from benchmarks.data.loading import exempt_owner
from benchmarks.data.population import LOADED_TABLES, Tenant, create_fields_and_tags, load
from benchmarks.raw import own_queries
from core.lists.prepared import ROW_ID
from core.tenancy import OwnRecords, company_scope, use_owner_role
from crm.contacts.filters import CONTACT_FIELDS
from crm.contacts.kind import CONTACT
from crm.contacts.schema import ContactRow
from crm.contacts.unique_key import live_holders
from crm.contacts.writer import KeyedRow
from crm.leads.filters import LEAD_FIELDS
from crm.models import Organization
from crm.organizations.filters import ORGANIZATION_FIELDS
from tests.kit.cast import KEY, Caller, make_cast
from tests.kit.examples import in_make_check

OURS, THEIRS = 2_000, 8_000
PAGE = {"p": "1", "n": "50"}
TABLES = (*LOADED_TABLES, *LEAD_TABLES, "crm_organization")
SORTED = 500
"""More rows than a page ever needs to put in order, fewer than a company has."""
UPDATES = "every update would have to write to all indexes, were this one's column indexed"
UNINDEXED = {
    "/contact": {
        "countryCode": "a few values, which people filter by",
        "unsubscribed": "two values",
        "unsubscribedAt": "few contacts have it, and an audience is filtered by it",
        "updatedAt": UPDATES,
        **dict.fromkeys(
            ("createdBy", "createdBy.name", "createdBy.email"), "a few values; not worth an index to every imported row"
        ),
        **dict.fromkeys(
            ("updatedBy", "updatedBy.name", "updatedBy.email"), "a few values; not worth an index to every imported row"
        ),
        **dict.fromkeys(
            ("owner", "owner.name", "owner.email"), "a few values; the index has one owner's in their order"
        ),
    },
    "/lead": {
        "notes": "a text of any length, which no index can hold",
        "statusChangedAt": "follows createdAt or updatedAt for most leads",
        "updatedAt": UPDATES,
    },
    "/organization": {
        **dict.fromkeys(("createdBy", "createdBy.name", "updatedBy", "updatedBy.name"), "a few values"),
        "owner.email": "a few values, by which nobody sorts",
    },
}
"""The sorts that do sort the company, each with the reason; for 500,000 leads that takes about half a second."""
FIELD_SETS = {"/contact": CONTACT_FIELDS, "/lead": LEAD_FIELDS, "/organization": ORGANIZATION_FIELDS}
INDEXED = [
    (path, name)
    for path, fields in FIELD_SETS.items()
    for name, field in fields.fields.items()
    if field.sortable and name not in UNINDEXED[path]
]
Node = dict[str, Any]
pytestmark = [pytest.mark.django_db, in_make_check]


@pytest.fixture(scope="module")
def tenant(django_db_setup: None, django_db_blocker: Any) -> Iterator[Tenant]:
    """The company that asks; the other one has four times as many contacts. All of it is rolled back at the end of the
    module."""
    with django_db_blocker.unblock(), transaction.atomic():
        tenants = [
            Tenant(made.company.pk, made.owner.pk, made.api_key.key, count)
            for made, count in ((make_cast(), OURS), (make_cast(), THEIRS))
        ]
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        with exempt_owner(TABLES):
            create_fields_and_tags(
                tenants[0]
            )  # the other company's contacts have no custom values, which makes loading quick
            create_lead_references(tenants[0])
            for made in tenants:
                load(made)
                load_leads(made, made.contacts)
                load_organizations(made)
        with use_owner_role(), connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        yield tenants[0]
        transaction.set_rollback(True)


def load_organizations(tenant: Tenant) -> None:
    """Create as many organizations as the company has contacts."""
    with company_scope(tenant.company_id):
        Organization.objects.bulk_create(
            (
                Organization(
                    name=f"Organization {number * 7919 % tenant.contacts}",
                    name_key=f"ORGANIZATION{number}",
                    domain=f"o{number}.example" if number % 3 else None,
                    owner_id=tenant.member_id if number % 2 else None,
                )
                for number in range(tenant.contacts)
            ),
            batch_size=2000,
        )


def plans(tenant: Tenant, path: str = "/contact", **query: str) -> list[Node]:
    """The plans of a list request's own statements: those that find the page's ids, and that of the count when there is
    one."""
    return [plan(tenant, sql) for sql in own_queries(path, tenant.key, query) if f'"{ROW_ID}"' not in sql]


def plan_of_records(tenant: Tenant, path: str, **query: str) -> Node:
    """The plan of what a list request shows of the page's records."""
    (sql,) = [sql for sql in own_queries(path, tenant.key, query) if f'"{ROW_ID}"' in sql]
    return plan(tenant, sql)


def plan(tenant: Tenant, sql: str) -> Node:
    with company_scope(tenant.company_id), connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}")
        (found,) = cursor.fetchone()
    return (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]


def walk(node: Node, *, into_subplans: bool = True) -> list[Node]:
    children = [child for child in node.get("Plans", []) if into_subplans or child["Parent Relationship"] != "SubPlan"]
    return [node, *(found for child in children for found in walk(child, into_subplans=into_subplans))]


def kinds(node: Node) -> set[str]:
    """The kinds of nodes that make the list itself: the tags of each shown contact are put together in a subplan of
    their own."""
    return {found["Node Type"] for found in walk(node, into_subplans=False)}


def indexes(node: Node) -> set[str]:
    return {found["Index Name"] for found in walk(node) if "Index Name" in found}


def read_in_full(node: Node) -> set[str]:
    """The tables of contacts and leads that are read from end to end."""
    return {found["Relation Name"] for found in walk(node) if found["Node Type"] == "Seq Scan"} & set(TABLES)


def put_in_order(node: Node) -> int:
    """How many rows the plan's largest sort expects; that of a page's own rows is among them."""
    sorts = [found for found in walk(node, into_subplans=False) if found["Node Type"] == "Sort"]
    return max((child["Plan Rows"] for found in sorts for child in found["Plans"]), default=0)


def cursor_of(tenant: Tenant, path: str = "/contact", size: int = 1000, **query: str) -> str:
    found = Caller(KEY, {"apikey": tenant.key}).get(path, cursorPagination="true", n=str(size), **query)
    assert len(found.data) == size
    return str(found.body["nextCursor"])


@pytest.mark.parametrize(
    ("path", "index"),
    [("/contact", "contact_deleted"), ("/lead", "lead_deleted"), ("/organization", "organization_deleted")],
)
def test_deleted_records_have_an_index_of_their_own(tenant: Tenant, path: str, index: str) -> None:
    for page in plans(tenant, path, filters='{"isDeleted": true}', **PAGE):
        assert index in indexes(page)
        assert read_in_full(page) == set()


def test_the_default_page_walks_its_index(tenant: Tenant) -> None:
    page, count = plans(tenant, **PAGE)
    assert "contact_newest" in indexes(page)
    assert put_in_order(page) <= SORTED
    assert read_in_full(page) == set()
    assert kinds(count) & {"Index Only Scan", "Index Scan", "Bitmap Heap Scan"}
    assert read_in_full(count) == set()


@pytest.mark.parametrize(
    ("sort", "index"),
    [
        ({}, "contact_newest"),
        ({"sortBy": "createdAt", "sortOrder": "asc"}, "contact_newest"),
        ({"sortBy": "name", "sortOrder": "asc"}, "contact_sort_name"),
        ({"sortBy": "name", "sortOrder": "desc"}, "contact_sort_name"),
        ({"sortBy": "score", "sortOrder": "asc"}, "fieldvalue_number"),
        ({"sortBy": "city", "sortOrder": "desc"}, "fieldvalue_text_sort"),
        ({"sortBy": "signedUp", "sortOrder": "desc"}, "fieldvalue_time"),
    ],
)
def test_a_sort_walks_its_index_on_the_first_page_and_further_down(
    tenant: Tenant, sort: dict[str, str], index: str
) -> None:
    first, _ = plans(tenant, **PAGE, **sort)
    (deep,) = plans(tenant, n="50", cursor=cursor_of(tenant, **sort), **sort)
    for page in (first, deep):
        assert index in indexes(page)
        assert put_in_order(page) <= SORTED
        assert read_in_full(page) == set()


def test_every_sort_is_looked_at() -> None:
    assert len(INDEXED) >= 25
    for path, fields in FIELD_SETS.items():
        assert UNINDEXED[path].keys() <= {name for name, field in fields.fields.items() if field.sortable}


@pytest.mark.parametrize(("path", "name"), INDEXED)
def test_no_declared_sort_puts_the_company_in_order(tenant: Tenant, path: str, name: str) -> None:
    sort = {"sortBy": name, "sortOrder": "asc"}
    *first, count = plans(tenant, path, **PAGE, **sort)
    *last_first, _ = plans(tenant, path, **PAGE, sortBy=name, sortOrder="desc")
    deep = plans(tenant, path, n="50", cursor=cursor_of(tenant, path, size=100, **sort), **sort)
    assert first
    for page in (*first, *last_first, *deep):
        assert put_in_order(page) <= SORTED
        assert read_in_full(page) == set()
    assert read_in_full(count) == set()


@pytest.mark.parametrize(("name", "index"), [("region", "leadvalue_text_sort"), ("seats", "leadvalue_number")])
def test_a_custom_field_of_leads_is_sorted_by_its_index(tenant: Tenant, name: str, index: str) -> None:
    *_, cursor = plans(tenant, "/lead", n="50", cursor=cursor_of(tenant, "/lead", sortBy=name), sortBy=name)
    page, _ = plans(tenant, "/lead", **PAGE, sortBy=name)
    for found in (page, cursor):
        assert index in indexes(found)
        assert put_in_order(found) <= SORTED
        assert read_in_full(found) == set()


def test_the_place_after_a_cursor_is_found_by_the_index(tenant: Tenant) -> None:
    (page,) = plans(tenant, n="50", cursor=cursor_of(tenant))
    conditions = [node["Index Cond"] for node in walk(page) if node.get("Index Name") == "contact_newest"]
    assert len(conditions) == 1
    assert "ROW(" in conditions[0], (
        "a row comparison that is no index condition is tried on every contact before the place"
    )


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


def test_ones_own_contacts_walk_the_owners_index(tenant: Tenant) -> None:
    query = {"filters": json.dumps({"owner": tenant.member_id})}
    page, count = plans(tenant, **PAGE, **query)
    assert "contact_owner" in indexes(page)
    assert put_in_order(page) <= SORTED
    for found in (page, count):
        assert read_in_full(found) == set()


def test_a_limited_members_contacts_walk_the_owners_index(tenant: Tenant) -> None:
    own = OwnRecords(tenant.member_id, frozenset({"contact", "lead"}))
    with company_scope(tenant.company_id, own):
        page = CONTACT.live().order_by("created_at", "name", "pk").values_list("pk", flat=True)[:20].explain()
        count = CONTACT.live().order_by()[:100_000].values("pk").explain()
    for plan in (page, count):
        assert "contact_owner" in plan
        assert "Seq Scan" not in plan


def test_a_contact_is_found_by_its_address_whatever_its_capitals(tenant: Tenant) -> None:
    for found in plans(tenant, **PAGE, filters=json.dumps({"email": "Ann.Eriksen@example.com"})):
        assert "contact_email" in indexes(found)


def test_a_custom_fields_filter_is_a_join_and_not_a_subplan(tenant: Tenant) -> None:
    count, page = plans(tenant, **{**PAGE, "n": "10"}, filters=json.dumps({"city": "City 7"}))
    assert "fieldvalue_text" in indexes(count)
    assert "fieldvalue_text" in indexes(page)
    assert "contact_live" not in indexes(count), "the values are counted, and no record is looked up"
    for found in (page, count):
        assert [node for node in walk(found) if node.get("Parent Relationship") == "SubPlan"] == []


@pytest.mark.parametrize("path", ["/contact", "/lead", "/organization"])
def test_the_records_of_a_page_are_read_by_their_ids(tenant: Tenant, path: str) -> None:
    found = plan_of_records(tenant, path, **PAGE)
    assert read_in_full(found) == set()
    table = path.strip("/")
    assert indexes(found) & {f"crm_{table}_pkey", f"crm_{table}_company_id_id", f"{table}_live"}


def test_the_policies_add_no_subplan(tenant: Tenant) -> None:
    """The policy is a comparison with a constant: what is below a subplan is the page's own query for tags."""
    page, count = plans(tenant, **PAGE)
    for found in (page, count, plan_of_records(tenant, "/contact", **PAGE)):
        below = [node for node in walk(found) if node.get("Parent Relationship") == "SubPlan"]
        tables = {node["Relation Name"] for start in below for node in walk(start) if "Relation Name" in node}
        assert tables <= {"crm_contacttag", "crm_tag"}
        first = [node for node in walk(found) if node.get("Parent Relationship") == "InitPlan"]
        assert [node for start in first for node in walk(start) if "Relation Name" in node] == []
    for found in (page, count):
        assert [node for node in walk(found) if node.get("Parent Relationship") == "SubPlan"] == []


@pytest.mark.parametrize("new", [False, True])
def test_duplicates_are_looked_up_by_the_unique_indexes(tenant: Tenant, new: bool) -> None:
    """Also in a company that the statistics do not know, as during its first import."""
    if new:
        made = make_cast()
        tenant = Tenant(made.company.pk, made.owner.pk, made.api_key.key, 0)
    wanted = [KeyedRow("", ContactRow(), f"nobody{i}@example.com", f"+49151{i:08}") for i in range(500)]
    with company_scope(tenant.company_id), CaptureQueriesContext(connection) as captured:
        live_holders(wanted)
    (sql,) = [entry["sql"] for entry in captured.captured_queries if "crm_contact" in entry["sql"]]
    found = plan(tenant, sql)
    reads = {node["Index Name"]: node["Index Cond"] for node in walk(found) if node.get("Relation Name")}
    assert reads.keys() == {"contact_email_unique", "contact_number_unique"}
    assert "email_key" in reads["contact_email_unique"]
    assert "number_key" in reads["contact_number_unique"]
