"""GET /contact/duplicate, /lead/duplicate and /organization/duplicate, and what is said not to be the same."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from crm.merging.similar_names import FREE_MAIL, SIMILAR
from crm.models import Contact, DuplicateDismissal, LeadProduct, ProductService
from tests.crm.leads.helpers import product
from tests.kit.cast import Answer, Caller, Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory


def contact(name: str, email: str | None, number: str | None = None) -> str:
    """Create a contact that need not be unique. Returns its id."""
    return ContactFactory(name=name, email=email, email_key=None, contact_number=number).pk


def told(answer: Answer) -> list[tuple[str, list[str]]]:
    assert answer.status == 200, answer.body
    return [(group["rule"], [record["name"] for record in group["records"]]) for group in answer.data]


def test_equal_numbers_and_addresses_are_groups(cast: Cast) -> None:
    with cast.scope():
        contact("Ann", "ann@firm.example", "+4917012345")
        contact("Anna", "ANN+news@Firm.example", "+4917012345")
        contact("Ann E.", "ann@other.example", "+4917012345")
        contact("Bob", "b.o.b@gmail.com")
        contact("Bobby", "bob+x@googlemail.com")
        contact("Carl", "ca.rl@firm.example", "+4917099999")
        contact("Carla", "carl@firm.example")
        contact("Nobody", None)
    answer = cast.key.get("/contact/duplicate", rule="samePhone,sameEmail")
    assert told(answer) == [
        ("samePhone", ["Ann", "Anna", "Ann E."]),
        ("sameEmail", ["Ann", "Anna"]),
        ("sameEmail", ["Bob", "Bobby"]),
    ]
    assert (answer.body["totalCount"], answer.body["nextCursor"]) == (3, None)
    assert [(group["shared"], group["score"], group["count"]) for group in answer.data] == [
        ("+4917012345", 1.0, 3),
        ("ann@firm.example", 1.0, 2),
        ("bob@gmail.com", 1.0, 2),
    ]
    assert answer.data[0]["records"][1]["email"] == "ANN+news@Firm.example"
    assert cast.narrow_session.get("/contact/duplicate", rule="sameEmail").data == answer.data[1:]


@pytest.mark.parametrize(
    ("email", "identity"),
    [
        ("Ann@Firm.Example", "firm.example@ann"),
        ("ann+a+b@firm.example", "firm.example@ann"),
        ("+tag@firm.example", "firm.example@+tag"),
        ("a.n.n+x@googlemail.com", "gmail.com@ann"),
        ("no address", None),
        ("@firm.example", None),
        (None, None),
        ("", None),
    ],
)
def test_the_identity_of_an_address(scope: Cast, email: str | None, identity: str | None) -> None:
    made = contact("Ann", email)
    assert Contact.objects.values_list("email_identity", flat=True).get(pk=made) == identity


def test_similar_names_count_within_an_organisation(cast: Cast) -> None:
    with cast.scope():
        jon, john = contact("Jon Smith", "jsmith@firm.example"), contact("John Smith", "john.smith@firm.example")
        contact("John Smith", "john@elsewhere.example")
        contact("Petra Müller", "pm@firm.example")
        contact("PETRA MULLER", "petra@firm.example")
        contact("Paul Schmidt", "paul@firm.example")
        contact("Peter Schmidt", "peter@firm.example")
        contact("Ann", "ann1@firm.example")
        contact("Ann", "ann2@firm.example")
        for n in (1, 2):
            contact("Jim Jones", f"jim{n}@web.de")
            contact("Zoe Zander", f"zoe{n}@zzz.example")
    answer = cast.key.get("/contact/duplicate", rule="similarName")
    assert {frozenset(names) for _, names in told(answer)} == {
        frozenset({"Jon Smith", "John Smith"}),
        frozenset({"Petra Müller", "PETRA MULLER"}),
        frozenset({"Zoe Zander"}),
    }
    assert answer.body["totalCount"] is None
    pair = next(group for group in answer.data if group["records"][0]["_id"] == jon)
    assert (pair["score"], pair["shared"], [record["_id"] for record in pair["records"]]) == (
        0.62,
        "firm.example",
        [jon, john],
    )
    assert SIMILAR < 0.62
    assert "web.de" in FREE_MAIL


def test_a_stretch_ends_with_a_domain_or_goes_on_in_a_long_one(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    with cast.scope():
        for domain in ("a.example", "b.example", "gmail.com", "long.example", "z.example"):
            for n in range(7 if domain == "long.example" else 3):
                contact("Same Name", f"n{n}@{domain}")
    everything = cast.key.get("/contact/duplicate", rule="similarName", n="500").data
    assert len(everything) == 3 + 3 + 7 * 6 // 2 + 3
    monkeypatch.setattr("crm.merging.similar_names.CHUNK", 4)
    monkeypatch.setattr("crm.merging.similar_names.MAX_CHUNKS", 2)
    seen = walk(cast, rule="similarName", n="2")
    assert len(seen) == len({tuple(group) for group in seen})
    assert len(seen) == 3 + 3 + 4 * 3 // 2 + 3 * 2 // 2 + 3, "a long domain is cut, all others are whole"


def walk(cast: Cast, path: str = "/contact/duplicate", **query: str) -> list[list[str]]:
    """Return the ids of all groups, page by page."""
    page = cast.key.get(path, **query)
    pages = [page]
    while pages[-1].body["nextCursor"]:
        pages.append(cast.key.get(path, cursor=pages[-1].body["nextCursor"], **query))
        assert pages[-1].status == 200, pages[-1].body
        assert len(pages) < 100
    assert all(one.body["totalCount"] == other.body["totalCount"] for one, other in pairwise(pages))
    assert all(len(one.data) <= int(query["n"]) for one in pages)
    return [[record["_id"] for record in group["records"]] for one in pages for group in one.data]


@pytest.mark.parametrize("rules", ["", "samePhone", "samePhone,sameEmail"])
@pytest.mark.parametrize("size", ["1", "2", "3", "500"])
def test_pages_by_cursor_give_each_group_once(cast: Cast, rules: str, size: str) -> None:
    with cast.scope():
        for n, name in enumerate(("Alpha", "Bravo", "Kilo", "Zulu")):
            for side in ("Left", "Lefty"):
                contact(f"{side} {name}", f"p{n}+{side}@firm.example", f"+49{n}")
        contact("Lefta Alpha", "other@firm.example")
    found = walk(cast, rule=rules, n=size)
    assert len(found) == {"": 4 + 4 + 2, "samePhone": 4}.get(rules, 8)
    first = cast.key.get("/contact/duplicate", rule=rules, n="500")
    assert found == [[record["_id"] for record in group["records"]] for group in first.data]


def test_dismissed_pairs_leave_the_list(cast: Cast, outsiders: Cast) -> None:
    with cast.scope():
        ann, anna, anne = (
            contact(f"{name} Person", f"{name}@firm.example", "+491") for name in ("ann", "anna", "anne")
        )
        count = DuplicateDismissal.objects.count
    assert len(cast.key.get("/contact/duplicate").data) == 1 + 3
    answer = cast.key.post("/contact/duplicate/dismiss", {"ids": [anna, ann]})
    assert (answer.status, answer.data, answer.body["message"]) == (200, {"dismissedCount": 1}, "Duplicates dismissed.")
    assert [[record["_id"] for record in group["records"]] for group in cast.key.get("/contact/duplicate").data] == [
        [ann, anna, anne],
        [ann, anne],
        [anna, anne],
    ]
    assert cast.session.post("/contact/duplicate/dismiss", {"ids": [ann, anna]}).data == {"dismissedCount": 0}
    assert cast.key.post("/contact/duplicate/dismiss", {"ids": [ann, anne]}).data == {"dismissedCount": 1}
    with cast.scope():
        assert count() == 2
    left = cast.key.get("/contact/duplicate").data
    assert [[record["_id"] for record in group["records"]] for group in left] == [[anna, anne], [anna, anne]]
    assert left[0]["count"] == 2
    cast.key.post("/contact/duplicate/dismiss", {"ids": [ann, anna, anne]})
    answer = cast.key.get("/contact/duplicate", rule="samePhone")
    assert (answer.data, answer.body["totalCount"]) == ([], 0)
    assert outsiders.key.get("/contact/duplicate").data == []


def test_deleted_records_leave_the_list(cast: Cast) -> None:
    with cast.scope():
        ann, _ = contact("Ann Person", "a@firm.example", "+491"), contact("Anna Person", "b@firm.example", "+491")
    assert len(cast.key.get("/contact/duplicate").data) == 2
    cast.key.delete("/contact", {"ids": [ann]})
    assert cast.key.get("/contact/duplicate").data == []


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ({"rule": "sameHat"}, "rule"),
        ({"n": "0"}, "n"),
        ({"n": "x"}, "n"),
        ({"n": "1.5"}, "n"),
        ({"p": "2"}, "p"),
        ({"sortBy": "name"}, "sortBy"),
        ({"cursorPagination": "maybe"}, "cursorPagination"),
        ({"cursor": "x"}, "cursor"),
        ({"cursor": "e30"}, "cursor"),
        ({"surprise": "1"}, "surprise"),
    ],
)
def test_malformed_requests_are_named(cast: Cast, query: dict[str, str], parameter: str) -> None:
    for path in ("/contact/duplicate", "/lead/duplicate"):
        answer = cast.key.get(path, **query)
        assert (answer.status, answer.body["warning"].split(":")[0]) == (400, parameter)


def test_a_cursor_belongs_to_its_rules(cast: Cast) -> None:
    with cast.scope():
        for n in range(4):
            contact("Ann", f"a{n}@firm.example", f"+49{n // 2}")
    cursor = cast.key.get("/contact/duplicate", rule="samePhone", n="1").body["nextCursor"]
    assert cast.key.get("/contact/duplicate", rule="samePhone", n="1", cursor=cursor).status == 200
    for path, rule in (("/contact/duplicate", ""), ("/contact/duplicate", "sameEmail"), ("/lead/duplicate", "")):
        assert (
            cast.key.get(path, rule=rule, n="1", cursor=cursor)
            .body["warning"]
            .startswith("cursor: belongs to another list")
        )


@pytest.mark.parametrize("panel", ["contact", "lead"])
def test_what_cannot_be_dismissed(cast: Cast, outsiders: Cast, panel: str) -> None:
    make = ContactFactory if panel == "contact" else LeadFactory
    with cast.scope():
        one, two = make().pk, make(is_deleted=True).pk
    with outsiders.scope():
        foreign = make().pk
    path = f"/{panel}/duplicate/dismiss"
    for other in (two, foreign, "65a1b2c3d4e5f60718293a4b"):
        answer = cast.key.post(path, {"ids": [one, other]})
        assert (answer.status, answer.body["message"]) == (400, f"{panel.capitalize()} not found.")
        assert other in answer.body["warning"]
    refusals: list[dict[str, Any]] = [
        {},
        {"ids": [one]},
        {"ids": [one, one]},
        {"ids": [one, "x"]},
        {"ids": "x"},
        {"ids": [one, two], "a": 1},
    ]
    for body in refusals:
        assert cast.key.post(path, body).status == 400
    assert cast.narrow_session.post(path, {"ids": [one, two]}).status == 403
    assert cast.narrow_session.get("/lead/duplicate").status == 403


@pytest.fixture
def chances(cast: Cast) -> dict[str, str]:
    """Leads of one contact: two about both products (one of them closed), one of each product, two of none, and a lead
    of another one."""
    with cast.scope():
        one, other = ContactFactory(name="Ann"), ContactFactory(name="Bob")
        bike, car = product("Bike"), product("Car")

        def lead(name: str, who: Contact, *products: ProductService, **values: Any) -> tuple[str, str]:
            made = LeadFactory(contact=who, notes=name, **values)
            for found in products:
                LeadProduct.objects.create(lead=made, product_service=found)
            return name, made.pk

        return dict(
            [
                lead("both", one, bike, car),
                lead("won", one, bike, car, status="won"),
                lead("bike", one, bike),
                lead("car", one, car),
                lead("none", one),
                lead("nothing", one),
                lead("deleted", one, bike, is_deleted=True),
                lead("other", other, bike),
            ]
        )


def test_open_leads_of_one_contact_and_product(cast: Cast, chances: dict[str, str]) -> None:
    answer = cast.key.get("/lead/duplicate")
    found = [(group["rule"], [record["notes"] for record in group["records"]]) for group in answer.data]
    assert found == [
        ("sameContactAndProduct", ["none", "nothing"]),
        ("sameContactAndProduct", ["both", "bike"]),
        ("sameContactAndProduct", ["both", "car"]),
        ("sameContact", ["both", "bike", "car", "none", "nothing"]),
    ]
    assert answer.body["totalCount"] == 4
    assert {group["shared"] for group in answer.data} == {answer.data[0]["records"][0]["contact"]["_id"]}
    every = [[record["_id"] for record in group["records"]] for group in answer.data]
    for size in ("1", "2", "3"):
        assert walk(cast, "/lead/duplicate", n=size) == every
    assert walk(cast, "/lead/duplicate", n="1", rule="sameContact") == every[3:]
    cast.key.post("/lead/duplicate/dismiss", {"ids": [chances["both"], chances["bike"]]})
    assert walk(cast, "/lead/duplicate", n="1", rule="sameContactAndProduct") == [every[0], every[2]]
    assert walk(cast, "/lead/duplicate", n="9", rule="sameContact") == [every[3]]
    cast.key.post("/lead/duplicate/dismiss", {"ids": every[3]})
    assert cast.key.get("/lead/duplicate").data == []


def test_the_number_of_queries_does_not_grow_with_the_groups(cast: Cast, django_assert_max_num_queries: Any) -> None:
    with cast.scope():
        for n in range(12):
            for side in "ab":
                contact(f"{side * 9} Person{n}", f"{side}{n}@firm{n}.example", f"+49{n}")
    with django_assert_max_num_queries(20):
        answer = cast.key.get("/contact/duplicate", n="500")
    assert len(answer.data) == 12


@pytest.mark.parametrize("path", ["key", "session"])
def test_organizations_of_one_name_or_domain_are_groups(cast: Cast, path: str) -> None:
    caller: Caller = getattr(cast, path)
    firms = [
        ("Acme Ltd", None),
        ("ACME, Inc.", "acme.example"),
        ("Beta", "acme.example"),
        ("Gamma", "g.example"),
        ("!", None),
        ("?", None),
    ]
    ids = [
        caller.post("/organization", {"formData": {"name": name, "domain": domain}}).data["_id"]
        for name, domain in firms
    ]
    answer = caller.get("/organization/duplicate")
    assert told(answer) == [("sameName", ["Acme Ltd", "ACME, Inc."]), ("sameDomain", ["ACME, Inc.", "Beta"])]
    assert [(group["shared"], group["count"]) for group in answer.data] == [("ACME", 2), ("acme.example", 2)]
    assert (answer.body["totalCount"], answer.body["nextCursor"]) == (2, None)
    first = caller.get("/organization/duplicate", n="1")
    second = caller.get("/organization/duplicate", n="1", cursor=first.body["nextCursor"])
    assert told(first) + told(second) == told(answer)
    assert caller.get("/organization/duplicate", rule="samePhone").status == 400
    dismissed = caller.post("/organization/duplicate/dismiss", {"ids": ids[:2]})
    assert dismissed.data == {"dismissedCount": 1}
    assert told(caller.get("/organization/duplicate")) == [("sameDomain", ["ACME, Inc.", "Beta"])]
    missing = caller.post("/organization/duplicate/dismiss", {"ids": [ids[0], "0" * 24]})
    assert (missing.status, missing.body["name"]) == (400, "OrganizationNotFound_400")
    merged = caller.post("/organization/merge", {"ids": ids[1:3], "winner": ids[1]})
    assert told(caller.get("/organization/duplicate")) == []
    assert caller.post(f"/organization/merge/{merged.data['_id']}/undo", {}).status == 200
    assert told(caller.get("/organization/duplicate")) == [("sameDomain", ["ACME, Inc.", "Beta"])]
    assert make_cast().key.get("/organization/duplicate").data == []
