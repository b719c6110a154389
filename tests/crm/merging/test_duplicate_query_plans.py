"""The plans of duplicates on 20,000 contacts and leads: groups are had by walking an index of their key, as far as a
page needs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction

from core.tenancy import company_scope, use_owner_role
from crm.contacts.kind import CONTACT
from crm.leads.kind import LEAD
from crm.merging import similar_names
from crm.merging.duplicates import EQUAL, ORDER, RULES, _parameters
from crm.organizations.kind import ORGANIZATION
from tests.kit.cast import make_cast
from tests.kit.examples import in_make_check

pytestmark = [pytest.mark.django_db, in_make_check]
CONTACTS = """
INSERT INTO crm_contact (id, created_at, updated_at, company_id, is_deleted, name, email, contact_number, custom)
SELECT lpad(to_hex(n + %s), 24, '0'), now(), now(), %s, false, 'Person ' || n, 'p' || n || '@firm' || n / 5 || '.example',
    '+49' || CASE WHEN n %% 100 = 0 THEN n - 1 ELSE n END, '{}'
FROM generate_series(1, 10000) AS n
"""  # noqa: E501
LEADS = """
INSERT INTO crm_lead (id, created_at, updated_at, company_id, is_deleted, contact_id, status, source, notes, custom)
SELECT id, now(), now(), company_id, false,
    CASE WHEN right(id, 1) = '0' THEN lag(id, 1, id) OVER (PARTITION BY company_id ORDER BY id) ELSE id END, 'new', '', '', '{}'
FROM crm_contact
"""  # noqa: E501

ORGANIZATIONS = """
INSERT INTO crm_organization (id, created_at, updated_at, company_id, is_deleted, name, name_key, domain, custom)
SELECT id, now(), now(), company_id, false, name, upper(name), split_part(email, '@', 2), '{}'
FROM crm_contact
"""


@pytest.fixture(scope="module")
def company(django_db_setup: None, django_db_blocker: Any) -> Iterator[str]:
    """One of two companies with 10,000 contacts and as many leads each."""
    with django_db_blocker.unblock(), transaction.atomic():
        companies = [make_cast().company.pk for _ in range(2)]
        for place, id in enumerate(companies):
            with company_scope(id), connection.cursor() as cursor:
                cursor.execute(CONTACTS, [place * 1_000_000 + 1_000_000, id])
                cursor.execute(LEADS)
                cursor.execute(ORGANIZATIONS)
        with use_owner_role(), connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("ANALYZE crm_contact, crm_lead, crm_leadproduct, crm_organization, crm_duplicatedismissal")
        yield companies[0]
        transaction.set_rollback(True)


def plan(company: str, statement: str, parameters: Any) -> list[dict[str, Any]]:
    with company_scope(company), connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {statement}", parameters)
        (found,) = cursor.fetchone()
    return walk((json.loads(found) if isinstance(found, str) else found)[0]["Plan"])


def walk(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node, *(below for child in node.get("Plans", []) for below in walk(child))]


@pytest.mark.parametrize(
    ("rule", "index"),
    [
        ("samePhone", "contact_same_number"),
        ("sameEmail", "contact_same_email"),
        ("sameContact", "lead_same_contact"),
        ("sameContactAndProduct", "lead_same_contact"),
        ("sameName", "organization_name_key"),
        ("sameDomain", "organization_domain"),
    ],
)
def test_a_page_of_groups_walks_the_index_of_its_key(company: str, rule: str, index: str) -> None:
    kind = next(kind for kind in (CONTACT, LEAD, ORGANIZATION) if rule in RULES[kind.panel])
    with company_scope(company):
        parameters = {**_parameters(kind, "+491" if rule == "samePhone" else ""), "size": 51}
    nodes = plan(company, f"{EQUAL[rule]} {ORDER.get(rule, 'ORDER BY key')} LIMIT %(size)s", parameters)
    walked = [node for node in nodes if node.get("Index Name") == index]
    assert walked, [node["Node Type"] for node in nodes]
    assert walked[0]["Node Type"] == "Index Only Scan"
    big = {"crm_contact", "crm_lead", "crm_organization"}
    assert not [node for node in nodes if node["Node Type"] == "Seq Scan" and node["Relation Name"] in big]
    assert not [node for node in nodes if node["Node Type"] == "Sort" and node["Plan Rows"] > 1000]


def test_a_stretch_of_names_is_read_in_the_order_of_addresses(company: str) -> None:
    nodes = plan(company, similar_names.READ, ["firm3.example@p1", similar_names.CHUNK])
    assert "contact_same_email" in {node.get("Index Name") for node in nodes}
    assert not [node for node in nodes if node["Node Type"] in ("Sort", "Seq Scan", "Incremental Sort")]
