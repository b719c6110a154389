"""A save changes what somebody touched, and nothing else: for every type of custom field, on every page and by API."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import Company
from core.ids import new_id
from crm.field_types import FIELD_TYPES
from crm.models import Contact, ContactTag, CustomField, Lead, LeadProduct, LeadTag, ProductService
from tests.kit.browser_form import untouched
from tests.kit.cast import Cast
from tests.kit.examples import thorough
from tests.kit.factories import ContactFactory, LeadFactory, TagFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of

PAIRS = [(field, value) for field in FIELD_TYPES for value in FIELD_TYPES[field].value_types]
OPTIONS = [
    {"label": label, "description": "", "value": value}
    for value, label in (("red", "Dark Red"), ("7", "7"), ("true", "Yes"), ("1.5", "One and a half"), ("a b", "a b"))
]
CHILDREN = [
    {
        "name": "part",
        "fieldType": "text",
        "valueType": "string",
        "required": False,
        "defaultValue": None,
        "options": [],
        "children": [],
    }
]
ZONES = ("UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Auckland")
PART = {"HX-Request": "true"}

letters = st.characters(exclude_characters="\0", exclude_categories=("Cs",)) | st.sampled_from(list(" \t\n\r,;\"'<>&"))
texts = st.text(letters, max_size=12) | st.sampled_from(
    ["One\nTwo", "a\r\nb", "\nfirst", " padded ", "red", "gone", "true", "7", "x" * 300, "2026-01-31", "{'z': True}"]
)
days = st.dates().map(lambda day: day.isoformat())
times = st.datetimes().map(lambda moment: moment.isoformat(timespec="milliseconds") + "Z")
dates = days | times | st.sampled_from(["2024-05-01T09:12:00.000Z", "2026-10-25T01:30:00.000Z", "0001-01-01"])
numbers = (
    st.integers(-(10**17), 10**17)
    | st.floats(-1e19, 1e19, allow_nan=False)
    | st.sampled_from([0, 0.0, 1e15, 0.1 + 0.2, 7, 1.5, 1e-7])
)
ids = st.sampled_from([new_id(), new_id()])
plain = st.none() | st.booleans() | numbers | texts
trees = st.recursive(plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3))
chosen = st.sampled_from(["red", "7", "true", "1.5", "a b", "gone", 7, 1.5, True, False, 1.0])
STORED: dict[str, st.SearchStrategy[Any]] = {
    "string": texts,
    "number": numbers,
    "boolean": st.booleans(),
    "date": dates,
    "member": ids,
    "file": ids,
    "array": st.lists(plain.filter(lambda item: item is not None), min_size=1, max_size=4, unique_by=repr),
    "object": st.dictionaries(texts, trees, min_size=1, max_size=3),
    "any": trees.filter(lambda value: value not in (None, "", [])),
}


@st.composite
def stored(draw: st.DrawFn) -> dict[str, Any]:
    """Draw values as a record may hold them: also options that are gone and lone values where lists belong."""
    found = {}
    for field_type, value_type in PAIRS:
        if draw(st.booleans()):
            continue
        values = STORED[value_type]
        if FIELD_TYPES[field_type].takes_options and value_type not in ("member", "file"):
            values = st.lists(chosen, min_size=1, max_size=4, unique_by=repr) | chosen if _many(field_type) else chosen
            values = values | STORED["any"] if value_type == "any" else values
        elif _many(field_type):
            values = st.lists(values, min_size=1, max_size=3, unique_by=repr) | values
        found[key(field_type, value_type)] = draw(values)
    return {name: value for name, value in found.items() if value not in (None, "", [])}


def _many(field_type: str) -> bool:
    return FIELD_TYPES[field_type].always_many or field_type == "checkbox"


def key(field_type: str, value_type: str) -> str:
    return f"{field_type}-{value_type}".replace("-", "_")


def make_fields(panel: str) -> None:
    """Create a field of each pair of types, some with a default that a record without a value must not get."""
    defaults = {"string": "red", "number": 5, "boolean": True, "date": "2020-02-02"}
    for order, (field_type, value_type) in enumerate(PAIRS):
        takes_options = FIELD_TYPES[field_type].takes_options and value_type not in ("member", "file", "boolean")
        takes_default = not FIELD_TYPES[field_type].always_many and field_type not in ("email", "phone", "url")
        CustomField.objects.create(
            panel=panel,
            name=key(field_type, value_type),
            unique_field_id=key(field_type, value_type),
            field_type=field_type,
            value_type=value_type,
            order=order,
            options=OPTIONS if takes_options or field_type in ("select", "radio") else [],
            children=CHILDREN if (field_type, value_type) == ("textarea", "object") else [],
            default_value=defaults.get(value_type) if takes_default else None,
        )


class World:
    """A company with a field of every pair of types for each kind of records."""

    panels: tuple[str, ...] = ("contact", "lead", "productService")
    path = {"contact": "contact", "lead": "lead", "productService": "product-service"}
    page = {"contact": "contacts", "lead": "leads", "productService": "products"}
    changed = {"contact": "name", "lead": "notes", "productService": "name"}

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        self.client = enter(cast.owner)
        for panel in self.panels:
            make_fields(panel)

    def record(self, panel: str, custom: dict[str, Any]) -> str:
        """Create a record that holds the values, as an earlier version or an import may have stored them."""
        if panel == "contact":
            made: Any = ContactFactory(custom=custom)
        elif panel == "lead":
            made = LeadFactory(custom=custom)
        else:
            made = ProductService.objects.create(name=new_id(), custom=custom)
        return str(made.pk)

    def held(self, panel: str, id: str) -> bytes:
        """Return the record's formData as GET answers it, without what the tests change."""
        values = dict(self.cast.session.get(f"/{self.path[panel]}/{id}").data["formData"])
        values.pop(self.changed[panel])
        return orjson.dumps(values, option=orjson.OPT_SORT_KEYS)

    def address(self, panel: str, id: str) -> str:
        return at(self.cast.owner, f"{self.page[panel]}/{id}")


@pytest.mark.parametrize("panel", World.panels)
@settings(
    max_examples=thorough(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(custom=stored(), zone=st.sampled_from(ZONES))
def test_a_save_keeps_what_nobody_touched(scope: Cast, panel: str, custom: dict[str, Any], zone: str) -> None:
    with transaction.atomic():
        Company.objects.filter(pk=scope.company.pk).update(timezone=zone)
        world = World(scope)
        id = world.record(panel, custom)
        before = world.held(panel, id)
        shown = world.client.get(world.address(panel, id) + "?edit")
        sent = untouched(shown) | {world.changed[panel]: ["Somebody else"]}
        saved = world.client.post(world.address(panel, id) + "?edit", sent)
        assert saved.status_code == 303, text_of(saved)
        assert world.held(panel, id) == before
        assert world.cast.session.get(f"/{world.path[panel]}/{id}").data["formData"][world.changed[panel]] == (
            "Somebody else"
        )
        transaction.set_rollback(True)


@pytest.mark.parametrize("panel", ["contact", "lead"])
@settings(
    max_examples=thorough(15),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(custom=stored(), zone=st.sampled_from(ZONES))
def test_a_cell_keeps_what_nobody_touched(scope: Cast, panel: str, custom: dict[str, Any], zone: str) -> None:
    with transaction.atomic():
        Company.objects.filter(pk=scope.company.pk).update(timezone=zone)
        world = World(scope)
        id = world.record(panel, custom)
        before = world.held(panel, id)
        for name in [*custom, "text_string", "number_number"]:
            cell = f"{world.address(panel, id)}/cell?field={name}"
            shown = world.client.get(cell, headers=PART)
            if shown.status_code == 200:
                assert world.client.post(cell, untouched(shown, "cell-form"), headers=PART).status_code == 200
        assert world.held(panel, id) == before
        transaction.set_rollback(True)


@pytest.mark.parametrize("panel", World.panels)
@settings(
    max_examples=thorough(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(custom=stored())
def test_what_get_answered_can_be_put_back(scope: Cast, panel: str, custom: dict[str, Any]) -> None:
    with transaction.atomic():
        world = World(scope)
        id = world.record(panel, custom)
        before = world.held(panel, id)
        path = f"/{world.path[panel]}/{id}"
        values = scope.session.get(path).data["formData"] | {world.changed[panel]: "Somebody else"}
        answer = scope.session.put(path, {"formData": values})
        assert answer.status == 200, answer.body
        assert world.held(panel, id) == before
        transaction.set_rollback(True)


def test_choices_keep_what_their_options_lack(scope: Cast) -> None:
    """Options are the first records of a list; a lead keeps its former member, and records their further tags."""
    from core.web import pages

    client = enter(scope.owner)
    tags = TagFactory.create_batch(3)
    products = [ProductService.objects.create(name=f"Plan {number}") for number in range(3)]
    contact, lead = ContactFactory(), LeadFactory(team_member=scope.narrow)
    ContactTag.objects.create(contact=contact, tag=tags[2])
    LeadTag.objects.create(lead=lead, tag=tags[2])
    LeadProduct.objects.create(lead=lead, product_service=products[2])
    type(scope.narrow).objects.filter(pk=scope.narrow.pk).update(status="removed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "MAX_OPTIONS", 2)
        page = at(scope.owner, f"contacts/{contact.pk}?edit")
        client.post(page, untouched(client.get(page)) | {"name": ["Ann"]})
        for edit in ("facts", "assignment"):
            page = at(scope.owner, f"leads/{lead.pk}?edit={edit}")
            client.post(page, untouched(client.get(page)) | {"notes": ["Called"]})
    lead.refresh_from_db()
    assert Contact.objects.get(pk=contact.pk).name == "Ann"
    assert list(ContactTag.objects.filter(contact=contact).values_list("tag_id", flat=True)) == [tags[2].pk]
    assert (lead.notes, lead.team_member_id) == ("Called", scope.narrow.pk)
    assert list(LeadTag.objects.filter(lead=lead).values_list("tag_id", flat=True)) == [tags[2].pk]
    assert list(LeadProduct.objects.filter(lead=lead).values_list("product_service_id", flat=True)) == [products[2].pk]


def test_what_is_touched_is_saved(scope: Cast) -> None:
    """The other half: a value of each kind that somebody changed, or emptied, is another one."""
    Company.objects.filter(pk=scope.company.pk).update(timezone="Europe/Berlin")
    world = World(scope)
    custom = {
        "text_string": "One\nTwo",
        "text_any": 5,
        "number_number": 0,
        "date_date": "2024-05-01T09:12:34.567Z",
        "datetime_date": "2026-10-25T01:30:00.000Z",
        "select_string": "gone",
        "radio_boolean": False,
        "multi_select_string": ["gone", "red"],
        "checkbox_boolean": True,
    }
    id = world.record("contact", custom)
    page = world.address("contact", id) + "?edit"
    sent = untouched(world.client.get(page))
    assert sent["date_date"] == ["2024-05-01T11:12:34.567"]
    assert sent["datetime_date"] == ["2026-10-25T02:30"]  # the second one of that night
    sent |= {
        "text_string": ["One\r\nThree"],
        "text_any": ["6"],
        "number_number": [""],
        "date_date": ["2024-05-01T11:13:34.567"],
        "datetime_date": ["2026-10-25T02:45"],
        "select_string": ["red"],
        "radio_boolean": ["true"],
        "multi_select_string": ["red"],
    }
    del sent["checkbox_boolean"]
    assert world.client.post(page, sent).status_code == 303
    assert Contact.objects.get(pk=id).custom == {
        "text_string": "One\nThree",
        "text_any": 6,
        "date_date": "2024-05-01T09:13:34.567Z",
        "datetime_date": "2026-10-25T01:45:00.000Z",
        "select_string": "red",
        "radio_boolean": True,
        "multi_select_string": ["red"],
        "checkbox_boolean": False,
    }


def test_several_members_are_chosen(scope: Cast) -> None:
    world = World(scope)
    id = world.record("contact", {"multi_select_member": [scope.owner.pk]})
    page = world.address("contact", id) + "?edit"
    sent = untouched(world.client.get(page))
    assert sent["multi_select_member"] == [scope.owner.pk]
    both = [scope.owner.pk, scope.narrow.pk]
    assert world.client.post(page, sent | {"multi_select_member": both}).status_code == 303
    assert Contact.objects.get(pk=id).custom["multi_select_member"] == both


@pytest.mark.parametrize(
    ("typed", "said"),
    [("2026-03-29T02:30", "skip this time"), ("nonsense", "is not a date")],
)
def test_a_time_that_cannot_be_is_refused_at_its_field(scope: Cast, typed: str, said: str) -> None:
    Company.objects.filter(pk=scope.company.pk).update(timezone="Europe/Berlin")
    world = World(scope)
    id = world.record("contact", {"datetime_date": "2026-01-31T09:00:00.000Z"})
    page = world.address("contact", id) + "?edit"
    refused = world.client.post(page, untouched(world.client.get(page)) | {"datetime_date": [typed]})
    assert (refused.status_code, said in html_of(refused)) == (422, True)
    assert Contact.objects.get(pk=id).custom == {"datetime_date": "2026-01-31T09:00:00.000Z"}
    cell = f"{world.address('contact', id)}/cell?field=datetime_date"
    before = json.dumps({"datetime_date": "2026-01-31T09:00:00.000Z"})
    refused = world.client.post(cell, {"datetime_date": typed, "before": before}, headers=PART)
    assert (refused.status_code, said in html_of(refused)) == (422, True)


def test_a_field_that_was_not_there_is_not_emptied(scope: Cast) -> None:
    """A choice that the company added while the form was open is not in what the form sends."""
    world = World(scope)
    id = world.record("contact", {"multi_select_string": ["red"]})
    page = world.address("contact", id) + "?edit"
    sent = untouched(world.client.get(page)) | {"name": ["Ann"]}
    opened = json.loads(sent["opened"][0])
    opened.pop("multi_select_string")
    sent = {name: values for name, values in sent.items() if name != "multi_select_string"}
    assert world.client.post(page, sent | {"opened": [json.dumps(opened)]}).status_code == 303
    assert Contact.objects.get(pk=id).custom == {"multi_select_string": ["red"]}


def test_products_report_two_who_change_the_same(scope: Cast) -> None:
    world = World(scope)
    id = world.record("productService", {"text_string": "old"})
    page = world.address("productService", id)
    sent = untouched(world.client.get(page))
    assert scope.session.put(f"/product-service/{id}", {"formData": {"text_string": "theirs"}}).status == 200
    kept = world.client.post(page, sent | {"description": ["More"]})
    assert (kept.status_code, ProductService.objects.get(pk=id).custom["text_string"]) == (303, "theirs")
    clash = world.client.post(page, sent | {"text_string": ["mine"]})
    assert (clash.status_code, "Choose the values to keep" in html_of(clash)) == (422, True)
    assert Lead.objects.count() == 0
