"""POST, GET /contact/merge and /lead/merge: what the record that stays has, field by field."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from core.models import Event
from crm.models import Contact, ContactTag, CustomFieldValue, Lead, LeadValue, Merge
from tests.crm.contacts.helpers import add_field, form
from tests.crm.leads.helpers import lead_field, make, member, product, team_of
from tests.crm.merging.helpers import merge
from tests.kit.cast import Cast
from tests.kit.factories import ContactCategoryFactory, ContactFactory, LeadFactory, TagFactory


def one(cast: Cast, n: int, tags: list[str] | None = None, category: str | None = None, **values: Any) -> str:
    answer = cast.key.post("/contact", {"formData": form(n, **values), "tags": tags or [], "category": category})
    assert answer.status == 200, answer.body
    return str(answer.data["_id"])


@pytest.fixture
def fields(cast: Cast) -> None:
    with cast.scope():
        add_field("city")
        add_field("score", "number", "number")
        add_field("colors", "multi-select", "array", options=["red", "green", "blue"])


def test_values_of_the_winner_stay_and_what_it_lacks_is_filled_in_order(cast: Cast, fields: None) -> None:
    with cast.scope():
        tags = [TagFactory(name=name).pk for name in "abc"]
        category = ContactCategoryFactory(name="Press").pk
    ann = one(cast, 1, tags[:1], name="Ann", score=0)
    anna = one(cast, 2, tags[:2], name="Anna", score=5, colors=["red"])
    anne = one(cast, 3, tags[2:], category, name="Anne", city="Bonn", colors=["blue"])
    found = merge(cast, "contact", ann, anna, anne)
    assert found["contact"]["formData"] == form(1, name="Ann", score=0, city="Bonn", colors=["red"])
    assert [tag["name"] for tag in found["contact"]["tags"]] == ["a", "b", "c"]
    assert found["contact"]["category"] == {"_id": category, "name": "Press"}
    assert (found["winner"], found["losers"], found["canUndo"], found["undoneAt"]) == (ann, [anna, anne], True, None)
    assert found["createdBy"]["_id"] == cast.owner.pk
    assert cast.key.get(f"/contact/{ann}").data == found["contact"]
    with cast.scope():
        losers = list(
            Contact.objects.filter(pk__in=[anna, anne]).values_list("is_deleted", "merged_into_id", "updated_by_id")
        )
        assert losers == [(True, ann, cast.owner.pk)] * 2
        rows = (
            CustomFieldValue.objects.filter(contact=ann)
            .order_by("field__name")
            .values_list("field__name", "text", "number")
        )
        assert list(rows) == [("city", "Bonn", None), ("colors", "red", None), ("score", None, Decimal(0))]
        (event,) = Event.objects.filter(kind="contact.merged")
        assert (event.object_id, event.payload, event.automation) == (
            ann,
            {"contact": ann, "losers": [anna, anne]},
            True,
        )
        assert not Event.objects.filter(kind="contact.updated").exists()


def test_chosen_values_come_from_their_record_or_are_given(cast: Cast, fields: None) -> None:
    with cast.scope():
        category = ContactCategoryFactory().pk
    ann, anna = (
        one(cast, 1, None, category, name="Ann", city="Bonn", score=1, colors=["red"]),
        one(cast, 2, name="Anna", score=2),
    )
    choices = {
        "email": anna,
        "number": anna,
        "score": anna,
        "name": {"value": " Ann  Eriksen "},
        "city": anna,
        "category": anna,
    }
    found = merge(cast, "contact", ann, anna, choices=choices, fillEmpty=False, automation="skip")["contact"]
    assert found["formData"] == form(2, name="Ann Eriksen", score=2, colors=["red"])
    assert (found["contactNumber"], found["category"]) == ("+491701000002", None)
    with cast.scope():
        contact = Contact.objects.get(pk=ann)
        assert (contact.email_key, contact.number_key) == ("ann2@example.com", "+491701000002")
        assert Merge.objects.get().choices == choices
        assert Event.objects.get(kind="contact.merged").automation is False
    assert one(cast, 1), "what the winner let go of is free"


def test_nothing_is_filled_unless_asked_for(cast: Cast, fields: None) -> None:
    with cast.scope():
        lacking = ContactFactory(name="", email="x@example.com").pk
    full = one(cast, 1, name="Ann", city="Bonn")
    values = merge(cast, "contact", lacking, full, fillEmpty=False)["contact"]
    assert (values["name"], values["number"], values["formData"].get("city")) == ("", None, None)


def test_numbers_are_filled_whole(cast: Cast) -> None:
    with cast.scope():
        lacking = ContactFactory(email="x@example.com", country_code="+33").pk
    values = merge(cast, "contact", lacking, one(cast, 7))["contact"]
    assert (values["countryCode"], values["number"], values["email"]) == ("+49", "1701000007", "x@example.com")


def test_who_has_said_no_stays_unsubscribed_and_the_last_reply_counts(cast: Cast) -> None:
    early, late = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 2, tzinfo=UTC)
    with cast.scope():
        ids = [
            ContactFactory(replied_at=early).pk,
            ContactFactory(unsubscribed_at=late, replied_at=late).pk,
            ContactFactory(unsubscribed_at=early).pk,
        ]
    assert merge(cast, "contact", *ids)["contact"]["unsubscribedAt"] == "2026-01-01T00:00:00.000Z"
    with cast.scope():
        assert Contact.objects.get(pk=ids[0]).replied_at == late


def test_a_merged_contact_is_missing_and_tells_where_it_went(cast: Cast, outsiders: Cast) -> None:
    ann, anna, anne = one(cast, 1), one(cast, 2), one(cast, 3)
    merge(cast, "contact", anna, anne)
    merge(cast, "contact", ann, anna)
    for gone in (anna, anne):
        answer = cast.key.get(f"/contact/{gone}")
        assert (answer.status, answer.body["message"]) == (400, "Contact not found.")
        assert f"merged into {ann}" in answer.body["warning"]
        assert ann not in outsiders.key.get(f"/contact/{gone}").body["warning"]
    refused = cast.key.post("/contact/merge", {"ids": [ann, anne], "winner": ann})
    assert (refused.status, refused.body["message"]) == (400, "Contact not found.")
    assert f"merged into {ann}" in refused.body["warning"]
    assert [row["_id"] for row in cast.key.get("/contact").data] == [ann]


@pytest.mark.parametrize(
    ("body", "message", "warning"),
    [
        ({"winner": "65a1b2c3d4e5f60718293a4b"}, None, "winner: has to be one of ids"),
        ({"choices": {"planet": "ANNA"}}, "Field not found in your company.", "planet"),
        ({"choices": {"city": "65a1b2c3d4e5f60718293a4b"}}, None, "choices.city: needs the id of one of the records"),
        ({"choices": {"city": {"value": 1, "more": 2}}}, None, "choices.city"),
        ({"choices": {"city": None}}, None, "choices.city"),
        ({"choices": {"category": {"value": None}}}, None, "choices.category: needs the id of the record"),
        ({"choices": {"number": "ANNA", "countryCode": "ANN"}}, None, "go together"),
        ({"choices": {"number": {"value": "1"}}}, "The value of a system field is not valid.", "number"),
        ({"choices": {"score": {"value": "x"}}}, "The value of a field is not valid.", "score"),
        ({"choices": {"email": {"value": None}}}, "The value of a system field is not valid.", "email"),
        (
            {"choices": {"email": {"value": "bob3@example.com"}}},
            "This contact already exists.",
            "choices.email: choose another value",
        ),
        ({"choices": "x"}, "Invalid format for field choices: x", ""),
        ({"fillEmpty": "yes"}, "Invalid format for field fillEmpty: yes", ""),
        ({"automation": "maybe"}, None, "automation"),
        ({"surprise": 1}, None, "surprise"),
    ],
)
def test_refusals_change_nothing(
    cast: Cast, fields: None, body: dict[str, Any], message: str | None, warning: str
) -> None:
    ann, anna = one(cast, 1, name="Ann"), one(cast, 2, name="Anna", city="Bonn")
    one(cast, 3, email="bob3@example.com")
    names = {"ANN": ann, "ANNA": anna}
    if isinstance(body.get("choices"), dict):
        body = {
            "choices": {
                key: names.get(value, value) if isinstance(value, str) else value
                for key, value in body["choices"].items()
            }
        }
    before = cast.key.get("/contact").data
    answer = cast.key.post("/contact/merge", {"ids": [ann, anna], "winner": ann, **body})
    assert answer.status == 400
    assert message is None or answer.body["message"] == message
    assert warning in answer.body["warning"]
    assert cast.key.get("/contact").data == before
    with cast.scope():
        assert not Merge.objects.exists()


def test_what_can_be_merged(cast: Cast, outsiders: Cast) -> None:
    with cast.scope():
        ann, gone = ContactFactory().pk, ContactFactory(is_deleted=True).pk
        many = [ContactFactory().pk for _ in range(20)]
    with outsiders.scope():
        foreign = ContactFactory().pk
    for other in (gone, foreign, "65a1b2c3d4e5f60718293a4b"):
        answer = cast.key.post("/contact/merge", {"ids": [ann, other], "winner": ann})
        assert (answer.status, answer.body["message"]) == (400, "Contact not found.")
    for ids in ([ann], [ann, ann], [ann, *many], [ann, "x"], "x", None):
        assert cast.key.post("/contact/merge", {"ids": ids, "winner": ann}).status == 400, ids
    assert cast.key.post("/contact/merge", {"ids": many, "winner": many[5]}).data["losers"] == [*many[:5], *many[6:]]


@pytest.mark.parametrize("panel", ["contact", "lead"])
def test_merging_takes_the_rights_to_update_and_to_delete(cast: Cast, panel: str) -> None:
    with cast.scope():
        factory = ContactFactory if panel == "contact" else LeadFactory
        ids = [factory().pk for _ in range(3)]
    merged = merge(cast, panel, ids[0], ids[1])["_id"]
    everything = dict.fromkeys(("GET", "POST", "PUT", "DELETE"), True)
    for lacking in ("POST", "PUT", "DELETE"):
        with cast.scope():
            cast.narrow.role.permission = {panel: everything | {lacking: False}}
            cast.narrow.role.save()
        for path, body in (
            (f"/{panel}/merge", {"ids": [ids[0], ids[2]], "winner": ids[0]}),
            (f"/{panel}/merge/{merged}/undo", {}),
        ):
            answer = cast.narrow_session.post(path, body)
            assert (answer.status, answer.body["warning"]) == (403, f"your role lacks the permission {panel}.{lacking}")
    with cast.scope():
        cast.narrow.role.permission = {panel: everything}
        cast.narrow.role.save()
    assert cast.narrow_session.post(f"/{panel}/merge", {"ids": [ids[0], ids[2]], "winner": ids[0]}).status == 200


@pytest.mark.parametrize("panel", ["contact", "lead"])
def test_merges_are_listed_and_read(cast: Cast, outsiders: Cast, panel: str) -> None:
    with cast.scope():
        factory = ContactFactory if panel == "contact" else LeadFactory
        ids = [factory().pk for _ in range(4)]
    first, second = merge(cast, panel, ids[0], ids[1]), merge(cast, panel, ids[0], ids[2], ids[3])
    listed = cast.session.get(f"/{panel}/merge")
    assert [row["_id"] for row in listed.data] == [second["_id"], first["_id"]]
    assert listed.data[0] == {key: value for key, value in second.items() if key != panel}
    assert [row["_id"] for row in cast.key.get(f"/{panel}/merge", p="2", n="1").data] == [first["_id"]]
    assert len(cast.key.get(f"/{panel}/merge", filters={"winner": ids[0], "undoneAt": None}).data) == 2
    assert cast.key.get(f"/{panel}/merge", sortBy="hat").status == 400
    assert cast.key.get(f"/{panel}/merge/{second['_id']}").data == second
    other = "lead" if panel == "contact" else "contact"
    assert cast.key.get(f"/{other}/merge").data == outsiders.key.get(f"/{panel}/merge").data == []
    for caller, path in ((outsiders.key, panel), (cast.key, other)):
        for method, end in (("GET", ""), ("POST", "/undo")):
            answer = caller.call(method, f"/{path}/merge/{second['_id']}{end}", {} if method == "POST" else None)
            assert (answer.status, answer.body["message"]) == (404, "Not found. It may have been deleted.")
    assert cast.key.get(f"/{panel}/merge/x").status == 400
    cast.key.delete(f"/{panel}", {"ids": [ids[0]]})
    assert cast.key.get(f"/{panel}/merge/{second['_id']}").data[panel] is None


def test_leads_unite_products_and_tags_and_take_what_is_chosen(cast: Cast) -> None:
    with cast.scope():
        lead_field("budget", "number", "number")
        bike, car = product("Bike").pk, product("Car").pk
        tags = [TagFactory(name=name).pk for name in "ab"]
        team, who = team_of("North").pk, member().pk
    one = make(cast, 1, productServices=[bike], tags=tags[:1], formData={"source": "website", "budget": 7})
    two = make(
        cast,
        2,
        productServices=[bike, car],
        tags=tags[1:],
        team=team,
        teamMember=who,
        formData={"value": 100, "status": "contacted"},
    )
    choices = {"status": two["_id"], "contact": two["_id"], "team": two["_id"], "source": {"value": "event"}}
    found = merge(cast, "lead", one["_id"], two["_id"], choices=choices)["lead"]
    assert [item["name"] for item in found["productServices"]] == ["Bike", "Car"]
    assert [item["name"] for item in found["tags"]] == ["a", "b"]
    assert found["formData"] == {"status": "contacted", "source": "event", "value": 100, "notes": "", "budget": 7}
    assert found["statusChangedAt"] == two["statusChangedAt"]
    assert (found["contact"]["_id"], found["team"]["_id"]) == (two["contact"]["_id"], team)
    assert found["teamMember"] == (one["teamMember"] or two["teamMember"])
    with cast.scope():
        assert Lead.objects.get(pk=one["_id"]).first_product == "Bike"
        assert list(LeadValue.objects.filter(lead=one["_id"]).values_list("number", flat=True)) == [Decimal(7)]
        assert Event.objects.get(kind="lead.merged").payload == {"lead": one["_id"], "losers": [two["_id"]]}
    answer = cast.key.get(f"/lead/{two['_id']}")
    assert (answer.status, answer.body["message"]) == (400, "Lead not found.")
    assert f"merged into {one['_id']}" in answer.body["warning"]


def test_a_required_value_cannot_be_chosen_away(cast: Cast, fields: None) -> None:
    ann, anna = one(cast, 1, city="Bonn"), one(cast, 2)
    with cast.scope():
        add_field("must", required=True)
    for key in ("must", "email"):
        choice = anna if key == "must" else {"value": ""}
        assert (
            cast.key.post("/contact/merge", {"ids": [ann, anna], "winner": ann, "choices": {key: choice}}).status == 400
        )
    assert merge(cast, "contact", ann, anna)["contact"]["formData"]["city"] == "Bonn"
    with cast.scope():
        assert not ContactTag.objects.exists()


@pytest.mark.parametrize("panel", ["contact", "lead"])
def test_another_size_costs_no_more_queries(cast: Cast, panel: str, django_assert_max_num_queries: Any) -> None:
    with cast.scope():
        factory = ContactFactory if panel == "contact" else LeadFactory
        ids = [factory().pk for _ in range(15)]
    with django_assert_max_num_queries(75):
        merge(cast, panel, *ids)
