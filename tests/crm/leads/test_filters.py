"""Leads: any filter tree gives the same in SQL and in Python, and any sort each lead once and in order, whoever writes
meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from unicodedata import combining, normalize

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import Member
from core.api.pagination import ListPagination
from core.lists import ListQuery, Page, tree
from core.lists.operators import OPERATORS
from core.lists.values import upper_text
from core.tenancy import company_scope
from core.text.folding import sort_text
from crm.leads.filters import LEAD_FIELDS
from crm.leads.serializers import LeadOut
from crm.leads.views import live_leads
from crm.models import Contact, File, Import, Lead, LeadProduct, LeadTag, LeadValue, Tag, Team
from crm.records.stored_fields import spec_of
from tests.crm.leads.helpers import lead_field, member, product, team_of
from tests.kit.cast import make_cast
from tests.kit.examples import thorough

START = datetime(2026, 3, 1, tzinfo=UTC)
TEXTS = ("", "a", "A", "ab", "ß", "Öl", "50%")
SETTINGS = settings(
    max_examples=thorough(50),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
SORTABLE = [name for name, field in LEAD_FIELDS.fields.items() if field.sortable]
pytestmark = pytest.mark.django_db


@pytest.fixture
def crowd() -> Iterator[list[Lead]]:
    """Eighteen leads of a company: teams, members and files with equal names, and everything that may be missing is
    missing somewhere."""
    made = make_cast()
    with company_scope(made.company.pk):
        teams = [team_of(name) for name in ("a", "Z", "b", "ß", "C")]
        people: list[Member | None] = [member(name=name) for name in ("Sam", "sam", "Sam", "Tom")]
        files = [
            File.objects.create(name=name, size=1, mime="text/csv", path=f"{i}")
            for i, name in enumerate(("b.csv", "a.csv", "b.csv"))
        ]
        jobs: list[Import | None] = [Import.objects.create(file=file, import_type="lead") for file in files]
        contacts = [
            Contact.objects.create(name=name, email=f"{name}x@example.com" if name else None)
            for name in (*TEXTS, "a", "a")
        ]
        products, tags = (
            [product(name) for name in ("Roof", "attic")],
            [Tag.objects.create(name=name) for name in ("Hot", "cold")],
        )
        region, seats = spec_of(lead_field("region")), spec_of(lead_field("seats", "number", "number"))
        leads = [_lead(i, contacts, [*teams, None], [*people, None], [*jobs, None], (region, seats)) for i in range(18)]
        LeadProduct.objects.bulk_create(
            LeadProduct(lead=lead, product_service=products[i % 2]) for i, lead in enumerate(leads[::2])
        )
        LeadTag.objects.bulk_create(LeadTag(lead=lead, tag=tags[i % 2]) for i, lead in enumerate(leads[::3]))
        yield leads


def _lead(
    i: int, contacts: list[Contact], teams: list[Team | None], people: list[Any], jobs: list[Any], fields: Any
) -> Lead:
    lead = Lead.objects.create(
        contact=contacts[i % len(contacts)],
        status=("new", "won", "New")[i % 3],
        status_changed_at=START if i % 4 else None,
        source=TEXTS[i % len(TEXTS)],
        value=None if i % 5 == 0 else i % 3,
        notes=TEXTS[i * 3 % len(TEXTS)],
        team=teams[i * 5 % len(teams)],
        team_member=people[i * 3 % len(people)],
        import_job=jobs[i % len(jobs)],
        created_by=people[i % len(people)],
        updated_by=people[(i + 1) % len(people)],
        custom={"region": TEXTS[i % 4], "seats": i % 3} if i % 3 else {},
    )
    Lead.objects.filter(pk=lead.pk).update(
        created_at=START + timedelta(hours=i // 2), updated_at=START + timedelta(days=i % 4)
    )
    for field in fields:
        if field.key in lead.custom:
            rows = enumerate(field.index_rows(lead.custom[field.key]))
            LeadValue.objects.bulk_create(
                LeadValue(lead=lead, field_id=field.id, position=n, **row._asdict()) for n, row in rows
            )
    return lead


def records() -> dict[str, dict[str, Any]]:
    """Return the active company's leads as filters see them, made from the output of their list."""
    found = {}
    for data in (LeadOut.render(row) for row in LeadOut.project(live_leads().order_by("pk"))):
        flat = {**data, **data["formData"]}
        for name in (
            *("contact", "team", "teamMember", "owner", "createdBy", "updatedBy"),
            *("pipeline", "stage", "lostReason"),
        ):
            one = data[name] or {}
            flat |= {name: one.get("_id"), **{f"{name}.{key}": value for key, value in one.items()}}
        for name in ("tags", "productServices"):
            flat |= {name: [one["_id"] for one in data[name]], f"{name}.name": [one["name"] for one in data[name]]}
        job = data["importId"] or {"_id": None, "file": {"name": None}}
        flat |= {"importId": job["_id"], "importId.file.name": job["file"]["name"]}
        found[data["_id"]] = flat
    return found


def page(size: int, sort: list[tuple[str, str]], cursor: str = "") -> Page:
    asked = {
        "n": str(size),
        "sortBy": ",".join(name for name, _ in sort),
        "sortOrder": ",".join(order for _, order in sort),
    }
    asked |= {"cursor": cursor} if cursor else {"cursorPagination": "true"}
    query = ListQuery.parse(asked, LEAD_FIELDS)
    return ListPagination().read_page(live_leads(), live_leads().filter(query.where), query, LeadOut)


def sort_value(record: dict[str, Any], name: str) -> Any:
    if name == "productServices.name":
        return sort_text(min(record[name])) if record[name] else None
    value = record.get(name)
    if name == "contact.name":
        bare = "".join(sign for sign in normalize("NFKD", value.casefold()) if not combining(sign))
        return bare.strip() or None
    if name in TEXT_FIELDS and value is not None:
        return upper_text(value) if name == "contact.email" else sort_text(value)
    return value


TEXT_FIELDS = {
    *("contact.email", "status", "source", "notes", "team.name", "teamMember.name", "teamMember.email"),
    *("owner.name", "owner.email", "pipeline.name", "stage.name", "stage.kind", "lostReason.name"),
    *("importId.file.name", "createdBy.name", "createdBy.email", "updatedBy.name", "updatedBy.email", "region"),
}


def in_order(found: dict[str, dict[str, Any]], sort: list[tuple[str, str]]) -> list[str]:
    """Return the ids as the contract sorts them, in plain Python: nulls last in both directions, then by _id."""
    rows = list(found.values())
    for name, order in reversed([*sort, ("_id", sort[-1][1])]):
        present = [row for row in rows if sort_value(row, name) is not None]
        present.sort(key=lambda row: sort_value(row, name), reverse=order == "desc")
        rows = present + [row for row in rows if sort_value(row, name) is None]
    return [row["_id"] for row in rows]


NAMES = st.sampled_from([*SORTABLE, "region", "seats"])
SORTS = st.lists(
    st.tuples(NAMES, st.sampled_from(["asc", "desc"])), min_size=1, max_size=3, unique_by=lambda pair: pair[0]
)


def test_each_sort_alone_gives_every_lead_once_and_in_order(crowd: list[Lead]) -> None:
    found = records()
    for name in [*SORTABLE, "region", "seats"]:
        for order in ("asc", "desc"):
            seen, cursor = [], ""
            while len(seen) <= len(found):
                answer = page(4, [(name, order)], cursor)
                seen += [row["_id"] for row in answer.rows]
                if answer.next_cursor is None:
                    break
                cursor = answer.next_cursor
            assert seen == in_order(found, [(name, order)]), (name, order)


@SETTINGS
@given(sort=SORTS, size=st.integers(1, 7))
def test_leads_that_others_write_disturb_no_sort(crowd: list[Lead], sort: list[tuple[str, str]], size: int) -> None:
    expected = in_order(records(), sort)
    seen: list[str] = []
    answer = page(size, sort)
    written: list[Lead] = []
    for turn in range(100):
        seen += [row["_id"] for row in answer.rows]
        if answer.next_cursor is None:
            break
        model = crowd[turn * 7 % len(crowd)]
        copied = (
            "contact_id",
            "status",
            "source",
            "value",
            "team_id",
            "team_member_id",
            "created_by_id",
            "import_job_id",
            "first_product",
        )
        written.append(Lead.objects.create(**{name: getattr(model, name) for name in copied}))
        if turn % 3 == 2:
            written.pop(0).delete()
        answer = page(size, sort, answer.next_cursor)
    Lead.objects.filter(pk__in=[lead.pk for lead in written]).delete()
    assert [id for id in seen if id in expected] == expected
    assert len(set(seen)) == len(seen)


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "text": st.sampled_from([*TEXTS, "sam", "Roof", "hot", "new", ".csv"]),
    "number": st.integers(-1, 3),
    "date": st.integers(-30, 200).map(lambda hours: (START + timedelta(hours=hours)).isoformat()),
}
KIND_OF = {name: field.type for name, field in LEAD_FIELDS.fields.items() if field.type in VALUES} | {
    "region": "text",
    "seats": "number",
}


@st.composite
def conditions(draw: st.DrawFn) -> dict[str, Any]:
    field = draw(st.sampled_from(sorted(KIND_OF)))
    values, operator = VALUES[KIND_OF[field]], draw(st.sampled_from(sorted(OPERATORS[KIND_OF[field]])))
    value: Any = None
    if operator in ("equals", "notEquals"):
        value = draw(st.none() | values)
    elif operator in ("in", "notIn"):
        value = draw(st.lists(st.none() | values, min_size=1, max_size=3))
    elif operator == "between":
        value = sorted([draw(values), draw(values)])
    elif operator.endswith(("withinLast", "WithinLast", "withinNext")):
        value = {"amount": draw(st.integers(1, 50)), "unit": "hours"}
    elif operator not in ("isEmpty", "isNotEmpty"):
        value = draw(values.filter(lambda found: found != ""))
    return {"field": field, "operator": operator, "value": value}


TREES = st.recursive(
    conditions(),
    lambda inner: st.sampled_from(["and", "or"]).flatmap(
        lambda operator: st.fixed_dictionaries(
            {"operator": st.just(operator), "conditions": st.lists(inner, min_size=int(operator == "or"), max_size=3)}
        )
    ),
    max_leaves=6,
)


@SETTINGS
@given(trees=st.lists(TREES, min_size=1, max_size=3))
def test_filter_trees_agree_in_sql_and_python(crowd: list[Lead], trees: list[dict[str, Any]]) -> None:
    found, now = records(), START + timedelta(days=2)
    for raw in trees:
        node = tree.parse(raw)
        by_sql = set(live_leads().filter(tree.compile(node, LEAD_FIELDS, now=now)).values_list("pk", flat=True))
        assert by_sql == {id for id, values in found.items() if tree.evaluate(node, values, LEAD_FIELDS, now=now)}
