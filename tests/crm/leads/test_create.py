"""POST /lead"""

from __future__ import annotations

from typing import Any

import pytest

from core.messages.defaults import DEFAULTS
from core.models import Event
from crm.models import Contact, ContactCategory, CustomField, Lead, LeadValue, Stage
from tests.crm.contacts.helpers import add_field, form
from tests.crm.leads.helpers import default_team, lead_field, make, member, product, set_duplicates, team_of
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactCategoryFactory, ContactFactory, TagFactory
from tests.kit.plans import allow


def test_creates_a_lead_with_all_it_has_and_its_contact(cast: Cast) -> None:
    with cast.scope():
        tag, category, roof, cellar = (
            TagFactory(name="Hot"),
            ContactCategoryFactory(name="Customer"),
            product("Roof"),
            product("Cellar"),
        )
        seller = member(name="Sam")
        team = team_of("North", seller)
        lead_field("budget", "number", "number")
    body = {
        "formData": form(
            1, name="Ann Bee", status="qualified", source="event", value=1234.5, notes="Call\nher", budget=7
        ),
        "productServices": [roof.pk, cellar.pk],
        "team": team.pk,
        "teamMember": seller.pk,
        "tags": [tag.pk],
        "category": category.pk,
    }
    answer = cast.key.post("/lead", body)
    assert (answer.status, answer.body["message"]) == (201, "Lead created.")
    found = answer.data
    with cast.scope():
        lead = Lead.objects.get()
        contact = Contact.objects.get()
        assert contact.category_id == category.pk
        assert LeadValue.objects.values_list("lead_id", "number").get() == (lead.pk, 7)
        assert lead.first_product == "Cellar"
        assert lead.status_changed_at == lead.created_at
        kinds = list(Event.objects.order_by("sequence").values_list("kind", "object_id"))
        assert kinds == [("contact.created", contact.pk), ("lead.created", lead.pk)]
        stage = Stage.objects.get(status="qualified")
    owner = {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    times = {name: found.pop(name) for name in ("createdAt", "updatedAt", "statusChangedAt")}
    assert len(set(times.values())) == 1
    assert found == {
        "_id": lead.pk,
        "contact": {
            "_id": contact.pk,
            "name": "Ann Bee",
            "email": "ann1@example.com",
            "contactNumber": "+491701000001",
            "isDeleted": False,
        },
        "status": "qualified",
        "source": "event",
        "value": 1234.5,
        "notes": "Call\nher",
        "productServices": [{"_id": cellar.pk, "name": "Cellar"}, {"_id": roof.pk, "name": "Roof"}],
        "organization": None,
        "team": {"_id": team.pk, "name": "North"},
        "teamMember": {"_id": seller.pk, "name": "Sam", "email": seller.email},
        "owner": {"_id": seller.pk, "name": "Sam", "email": seller.email},
        "pipeline": {"_id": stage.pipeline_id, "name": "Sales"},
        "stage": {"_id": stage.pk, "name": "Qualified", "kind": "open", "probability": 60},
        "lostReason": None,
        "expectedCloseAt": None,
        "tags": [{"_id": tag.pk, "name": "Hot"}],
        "formData": {"status": "qualified", "source": "event", "value": 1234.5, "notes": "Call\nher", "budget": 7},
        "importId": None,
        "createdBy": owner,
        "updatedBy": owner,
        "isDeleted": False,
    }


def test_a_lead_of_a_contact_by_id_begins_where_the_pipeline_does(cast: Cast) -> None:
    with cast.scope():
        contact, team = ContactFactory(), default_team()
    found = cast.session.post("/lead", {"contact": contact.pk}).data
    assert found["contact"]["_id"] == contact.pk
    assert found["formData"] == {"status": "new", "source": "", "value": None, "notes": ""}
    assert found["team"] == {"_id": team.pk, "name": team.name}
    assert found["teamMember"] is None
    with cast.scope():
        assert Contact.objects.count() == 1
        assert list(Event.objects.values_list("kind", flat=True)) == ["lead.created"]


def test_the_contact_is_found_by_either_part_of_the_unique_key_and_takes_what_is_given(cast: Cast) -> None:
    ann = cast.key.post("/contact", {"formData": form(1, name="Ann")}).data["_id"]
    by_email = cast.key.post("/lead", {"formData": {"email": "ANN1@example.com", "name": " "}})
    assert by_email.status == 201, by_email.body
    assert by_email.data["contact"] == {
        "_id": ann,
        "name": "Ann",
        "email": "ann1@example.com",
        "contactNumber": "+491701000001",
        "isDeleted": False,
    }
    with cast.scope():
        roof = product("Roof")
    values = {"number": "+49 170 1000001", "name": "Anna"}
    kept = cast.key.post("/lead", {"formData": values, "productServices": [roof.pk]})
    assert kept.data["contact"] == by_email.data["contact"]
    assert kept.body["warning"] == "contact: name left unchanged; the contact has values already"
    by_number = cast.key.post(
        "/lead", {"formData": values, "productServices": [roof.pk], "existingError": False, "automation": "skip"}
    )
    assert by_number.data["contact"] == {
        "_id": ann,
        "name": "Anna",
        "email": "ann1@example.com",
        "contactNumber": "+491701000001",
        "isDeleted": False,
    }
    with cast.scope():
        assert Contact.objects.count() == 1
        assert Event.objects.filter(kind="contact.updated").count() == 1


@pytest.mark.parametrize(
    ("values", "name", "warning"),
    [
        (
            {},
            "ContactDataRequired_400",
            "contact: choose a contact, or enter the email address or phone number of a new one",
        ),
        (
            {"name": "Ann"},
            "ContactDataRequired_400",
            "email: is required; countryCode: is required; number: is required",
        ),
        ({"email": "ann@example.com"}, "ContactDataRequired_400", "countryCode: is required; number: is required"),
        (form(1, email="ann"), "InvalidSystemField_400", "email: “ann” is not an email address"),
        (
            form(1, status="asleep"),
            "InvalidSystemField_400",
            "status: asleep is not an option. Choose one of these: new, contacted, qualified",
        ),
        (form(1, status=""), "ValidationError_400", "status: is required and cannot be empty"),
        (form(1, status=None), "ValidationError_400", "status: is required and cannot be empty"),
        (form(1, status=7), "InvalidSystemField_400", "status: 7 is not an option."),
        (
            form(1, value="much"),
            "InvalidSystemField_400",
            "value: much is not a number. Enter a number, for example 1200.",
        ),
        (form(1, value=-1), "InvalidSystemField_400", "value: enter 0 or more"),
        (form(1, value=1e14), "InvalidSystemField_400", "value: enter at most 14 digits before the point"),
        (form(1, value=1e300), "InvalidSystemField_400", "value: is too large"),
        (form(1, notes=["x"]), "InvalidSystemField_400", "notes: enter a text, not an array"),
        (form(1, planet="Mars"), "InvalidCustomField_400", "planet: there is no such field"),
        (form(1, contact="x"), "InvalidCustomField_400", "contact: there is no such field"),
        (
            form(1, budget="much"),
            "InvalidCustomFieldValue_400",
            "budget: much is not a number. Enter a number, for example 1200.",
        ),
    ],
)
def test_refuses_by_name_and_says_which_value(cast: Cast, values: dict[str, Any], name: str, warning: str) -> None:
    with cast.scope():
        lead_field("budget", "number", "number")
    answer = cast.key.post("/lead", {"formData": values})
    assert (answer.status, answer.body["message"]) == DEFAULTS[name]
    assert answer.body["warning"].startswith(warning)
    with cast.scope():
        assert not Lead.objects.exists()
        assert not Contact.objects.exists()
        assert not Event.objects.exists()


def test_what_a_lead_refers_to_must_be_the_companys(cast: Cast, outsiders: Cast) -> None:
    with outsiders.scope():
        foreign = {
            "contact": ContactFactory().pk,
            "productServices": [product("Roof").pk],
            "team": team_of("North").pk,
            "teamMember": outsiders.owner.pk,
            "tags": [TagFactory().pk],
            "category": ContactCategoryFactory().pk,
        }
    names = {
        "contact": "ContactNotFound_400",
        "productServices": "ProductServiceNotFound_400",
        "team": "TeamNotFound_400",
        "teamMember": "MemberNotFound_404",
        "tags": "TagNotFound_400",
        "category": "ContactCategoryNotFound_400",
    }
    for key, value in foreign.items():
        for given in (value, ["0" * 24] if isinstance(value, list) else "0" * 24):
            answer = cast.key.post("/lead", {"formData": form(1), key: given})
            assert (answer.status, answer.body["message"]) == DEFAULTS[names[key]], key
            assert answer.body["warning"].startswith(f"{key}: there is no ")
        assert (
            cast.key.post("/lead", {"formData": form(1), key: ["x"] if isinstance(value, list) else "x"}).status == 400
        )
    with cast.scope():
        assert not Lead.objects.exists()
        deleted = ContactFactory(is_deleted=True)
    assert cast.key.post("/lead", {"contact": deleted.pk}).body["message"] == "Contact not found."


@pytest.mark.parametrize("status", ["invited", "rejected", "expired", "blocked", "removed"])
def test_leads_are_given_to_accepted_members_only(cast: Cast, status: str) -> None:
    with cast.scope():
        somebody = member(status)
    answer = cast.key.post("/lead", {"formData": form(1), "teamMember": somebody.pk})
    assert (answer.status, answer.body["message"]) == (400, "This member has not accepted the invite, or is blocked.")
    assert answer.body["warning"] == f"teamMember: choose an active member; this one is {status}"


def test_a_contact_that_two_contacts_have_parts_of_is_neither(cast: Cast) -> None:
    cast.key.post("/contact", {"formData": form(1)})
    cast.key.post("/contact", {"formData": form(2)})
    answer = cast.key.post("/lead", {"formData": {**form(1), "number": form(2)["number"]}})
    assert (answer.status, answer.body["message"]) == (400, "This contact already exists.")
    with cast.scope():
        assert not Lead.objects.exists()


def test_values_of_a_contact_that_is_named_are_written_to_it(cast: Cast) -> None:
    ann = cast.key.post("/contact", {"formData": form(1, name="Ann")}).data["_id"]
    cast.key.post("/contact", {"formData": form(2)})
    body = {"contact": ann, "formData": {"name": "Anna", "email": "anna@example.com"}}
    made = cast.key.post("/lead", {**body, "existingError": False})
    assert made.data["contact"]["_id"] == ann
    assert (made.data["contact"]["name"], made.data["contact"]["email"]) == ("Anna", "anna@example.com")
    taken = cast.key.post("/lead", {"contact": ann, "formData": {"email": "ann2@example.com"}, "existingError": False})
    assert (taken.status, taken.body["message"]) == (400, "This contact already exists.")


def test_duplicates_are_open_leads_of_the_same_contact_and_product(cast: Cast) -> None:
    with cast.scope():
        set_duplicates("refuse")
        roof, cellar, door = product("Roof"), product("Cellar"), product("Door")
    first = make(cast, 1, productServices=[roof.pk, cellar.pk])
    refused = cast.key.post("/lead", {"formData": form(1, name="Changed"), "productServices": [door.pk, cellar.pk]})
    assert (refused.status, refused.body["message"]) == (400, "Duplicate field(s): contact, productServices")
    detail = f"the contact already has an open lead for this product ({first['_id']})"
    assert refused.body["warning"] == f"contact, productServices: {detail}"
    assert cast.key.get(f"/contact/{first['contact']['_id']}").data["name"] == "Person 1"
    make(cast, 1, productServices=[door.pk])
    make(cast, 1)
    assert cast.key.post("/lead", {"formData": form(1)}).status == 400
    make(cast, 2)
    cast.key.put(f"/lead/{first['_id']}", {"formData": {"status": "won"}})
    again = make(cast, 1, productServices=[roof.pk])
    cast.key.delete("/lead", {"ids": [again["_id"]]})
    make(cast, 1, productServices=[roof.pk])


def test_an_option_whose_description_begins_with_closed_is_not_open(cast: Cast) -> None:
    with cast.scope():
        set_duplicates("refuse")
        field = CustomField.objects.get(panel="lead", unique_field_id="status")
        field.options = [
            {"label": "Open", "description": "", "value": "open"},
            {"label": "Shelved", "description": "Closed: nobody answers", "value": "shelved"},
        ]
        field.default_value = None
        field.save()
    assert make(cast, 1)["status"] == "open"
    assert cast.key.post("/lead", {"formData": form(1)}).status == 400
    make(cast, 2, formData={"status": "shelved"})
    make(cast, 2, formData={"status": "shelved"})


def test_existing_error_off_updates_the_duplicate(cast: Cast) -> None:
    with cast.scope():
        roof, cellar, one, two = product("Roof"), product("Cellar"), TagFactory(name="1"), TagFactory(name="2")
    first = make(cast, 1, productServices=[roof.pk], tags=[one.pk], formData={"notes": "kept", "source": "event"})
    body = {
        "formData": form(1, source="other"),
        "productServices": [roof.pk, cellar.pk],
        "tags": [two.pk],
        "existingError": False,
    }
    answer = cast.key.post("/lead", body)
    assert (answer.status, answer.body["message"], answer.data["_id"]) == (200, "Lead updated.", first["_id"])
    assert (answer.data["source"], answer.data["notes"]) == ("other", "kept")
    assert [found["name"] for found in answer.data["productServices"]] == ["Cellar", "Roof"]
    assert [found["name"] for found in answer.data["tags"]] == ["1", "2"]
    with cast.scope():
        event = Event.objects.get(kind="lead.updated")
        assert event.payload == {
            "changes": {
                "source": {"from": "event", "to": "other"},
                "tags": {"added": [two.pk]},
                "productServices": {"added": [roof.pk, cellar.pk]},
            }
        }


def test_required_values_and_defaults(cast: Cast) -> None:
    with cast.scope():
        CustomField.objects.filter(panel="lead", unique_field_id="source").update(required=True)
        lead_field("budget", "number", "number", required=True)
        lead_field("region", default_value="north")
    refused = cast.key.post("/lead", {"formData": form(1)})
    assert (refused.status, refused.body["message"]) == (400, "Validation error")
    assert refused.body["warning"] == "source: is required; budget: is required"
    made = make(cast, 1, formData={"source": "event", "budget": 5})
    assert made["formData"] == {
        "status": "new",
        "source": "event",
        "value": None,
        "notes": "",
        "budget": 5,
        "region": "north",
    }
    with cast.scope():
        add_field("city", required=True)
    refused = cast.key.post("/lead", {"formData": form(2, source="event", budget=1)})
    assert (refused.status, refused.body["warning"]) == (400, "city: is required")


def test_skip_invalid_leaves_values_out_and_says_so(cast: Cast) -> None:
    values = form(1, status="asleep", value="much", planet="Mars", source="event")
    answer = cast.key.post("/lead", {"formData": values, "skipInvalid": True})
    assert answer.status == 201
    assert answer.body["warning"].startswith("left out: status: ")
    assert answer.data["formData"] == {"status": "new", "source": "event", "value": None, "notes": ""}
    refused = cast.key.post("/lead", {"formData": form(2, email="no"), "skipInvalid": True})
    assert (refused.status, refused.body["message"]) == (400, "The value of a system field is not valid.")


def test_roles(db: None) -> None:
    writer = make_cast({"lead": {"POST": True}, "contact": {"POST": True}})
    assert writer.narrow_session.post("/lead", {"formData": form(1)}).status == 201
    refused = make_cast({"lead": {"GET": True}, "contact": {"POST": True}}).narrow_session.post(
        "/lead", {"formData": form(1)}
    )
    assert (refused.status, refused.body["warning"]) == (403, "your role lacks the permission lead.POST")


@pytest.mark.parametrize(
    "body",
    [
        [],
        {"formData": []},
        {"formData": {}, "unknown": 1},
        {"formData": form(1), "tags": "x"},
        {"formData": form(1), "productServices": ["x"]},
        {"formData": form(1), "contact": 5},
        {"formData": form(1), "existingError": "no"},
        {"formData": form(1), "automation": "maybe"},
    ],
)
def test_a_malformed_body_is_a_400(cast: Cast, body: Any) -> None:
    assert cast.key.post("/lead", body).status == 400
    with cast.scope():
        assert not Lead.objects.exists()


def test_automation_can_be_skipped(cast: Cast) -> None:
    make(cast, 1, automation="skip")
    with cast.scope():
        assert sorted(Event.objects.values_list("kind", "automation")) == [
            ("contact.created", False),
            ("lead.created", False),
        ]


def test_the_plan_limit_counts_live_leads_on_the_session_path_only(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.access import Entitlement

    allow(monkeypatch, Entitlement(limits={"lead": 1}))
    assert cast.session.post("/lead", {"formData": form(1)}).status == 201
    refused = cast.session.post("/lead", {"formData": form(2)})
    assert (refused.status, refused.body["message"]) == (403, "Your plan's limit is reached. Choose a larger plan.")
    assert cast.key.post("/lead", {"formData": form(2)}).status == 201
    with cast.scope():
        assert (Lead.objects.count(), Contact.objects.count()) == (2, 2)


def test_the_category_has_three_names(cast: Cast) -> None:
    with cast.scope():
        category = ContactCategoryFactory()
    for n, alias in enumerate(("category", "contactCategory", "contactcategories")):
        make(cast, n, **{alias: category.pk})
    with cast.scope():
        assert ContactCategory.objects.get().contacts.count() == 3
