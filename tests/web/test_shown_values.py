"""Values of custom fields on pages, as people write them."""

from __future__ import annotations

import re
from typing import Any

from accounts.models import Company, CompanySettings
from core.text.formats import Formats
from core.web.field_values import FieldValues, number_text
from crm.models import Contact, CustomField, File
from tests.crm.contacts.helpers import add_field
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of

PART = {"HX-Request": "true"}


def child(name: str, field_type: str, value_type: str) -> dict[str, Any]:
    more = {"required": False, "defaultValue": None, "options": [], "children": []}
    return {"name": name, "fieldType": field_type, "valueType": value_type, **more}


def test_numbers_have_all_digits_and_commas_from_ten_thousand_on() -> None:
    assert number_text(1000000000000000.0) == "1,000,000,000,000,000"
    assert [number_text(value) for value in (1998, 1998.5, -12000.25, 1e20, 0.1 + 0.2, 1e-7, 0)] == [
        "1998",
        "1998.5",
        "-12,000.25",
        "100,000,000,000,000,000,000",
        "0.30000000000000004",
        "0.0000001",
        "0",
    ]


def test_objects_are_written_part_by_part() -> None:
    one = {
        "valueType": "object",
        "fieldType": "textarea",
        "options": [],
        "children": [child("Street", "text", "string"), child("Since", "date", "date")],
    }
    values = FieldValues(Formats(date_format="dd.mm.yyyy"))
    held = {"Street": "Ring 1 <b>", "Since": "2026-01-31"}
    assert values.lines(one, held) == ["Street: Ring 1 &lt;b&gt;", "Since: 31.01.2026"]
    assert values.line({**one, "valueType": "array"}, [held]) == "Street: Ring 1 &lt;b&gt;, Since: 31.01.2026"
    assert values.block({**one, "valueType": "any", "children": []}, {"z": True}) == "z: Yes"


def test_every_page_writes_them_alike(scope: Cast) -> None:
    Company.objects.filter(pk=scope.company.pk).update(timezone="Pacific/Auckland")
    CompanySettings.objects.update(date_format="dd.mm.yyyy")
    file = File.objects.create(name="Offer <1>.pdf", mime="application/pdf", size=1, created_by=scope.owner)
    heat = add_field("heat", "select", "string", options=["Hot", "Cold"])
    CustomField.objects.filter(pk=heat.pk).update(options=[{"label": "Very hot", "description": "", "value": "Hot"}])
    fields = {
        "seller": ("select", "member", scope.narrow.pk),
        "offer": ("file", "file", file.pk),
        "seen": ("datetime", "date", "2026-11-26T22:50:50.000Z"),
        "born": ("date", "date", "2026-01-31"),
        "sum": ("number", "number", 1000000000000000.0),
        "more": ("text", "any", {"plan": "Gold"}),
        "list": ("multi-select", "any", ["a", 2, True]),
    }
    for name, (field_type, value_type, _) in fields.items():
        add_field(name, field_type, value_type)
    custom = {"heat": "Hot"} | {name: value for name, (*_, value) in fields.items()}
    contact = ContactFactory(name="Ann Lee", custom=custom)
    second = ContactFactory(name="Bob Ray", custom={"heat": "Cold", "seller": "6" * 24})
    client = enter(scope.owner)
    said = [
        "Very hot",
        scope.narrow.name,
        "Offer <1>.pdf",
        "27.11.2026, 11:50",
        "31.01.2026",
        "1,000,000,000,000,000",
        "plan: Gold",
        "a, 2, Yes",
    ]
    columns = ",".join(custom)
    pages = [
        f"contacts/{contact.pk}",
        f"contacts?columns={columns}",
        f"contacts/merge?ids={contact.pk}&ids={second.pk}",
    ]
    for path in pages:
        page = client.get(at(scope.owner, path))
        text = text_of(page)
        assert [one for one in said if one not in text] == [], path
        ids = [id for id in (file.pk, scope.narrow.pk) if id in text]
        assert ids == [], path
        if path != pages[0]:
            assert "Former member" in text, path
        link = re.search(r'<a class="link" href="([^"]+)" download>Offer &lt;1&gt;.pdf</a>', html_of(page))
        assert link is not None, path

    cell = at(scope.owner, f"contacts/{contact.pk}/cell?field=seen")
    saved = client.post(
        cell, {"seen": "2026-11-27T12:00", "before": '{"seen": "2026-11-26T22:50:50.000Z"}'}, headers=PART
    )
    assert "27.11.2026, 12:00" in text_of(saved)
    assert Contact.objects.get(pk=contact.pk).custom["seen"] == "2026-11-26T23:00:00.000Z"


def test_a_page_looks_members_and_files_up_once(scope: Cast, django_assert_max_num_queries: Any) -> None:
    add_field("seller", "select", "member")
    add_field("buddy", "select", "member")
    client = enter(scope.owner)
    counts = []
    client.get(at(scope.owner, "contacts?columns=seller,buddy"))
    for number in (2, 2, 12):
        ContactFactory.create_batch(number, custom={"seller": scope.narrow.pk, "buddy": scope.owner.pk})
        with django_assert_max_num_queries(200) as captured:
            assert scope.narrow.name in text_of(client.get(at(scope.owner, "contacts?columns=seller,buddy")))
        counts.append(len(captured))
    assert counts[1] == counts[2]


def test_a_reader_sees_no_names_that_their_role_hides(scope: Cast) -> None:
    add_field("seller", "select", "member")
    contact = ContactFactory(custom={"seller": scope.owner.pk})
    scope.narrow.role.permission = {"contact": {"GET": True}, "custom-field": {"GET": True}}
    scope.narrow.role.save()
    page = text_of(enter(scope.narrow).get(at(scope.narrow, f"contacts/{contact.pk}")))
    assert ("A member" in page, scope.owner.pk in page) == (True, False)


def test_row_errors_name_options_by_their_labels(scope: Cast) -> None:
    field = add_field("colour", "select", "string")
    options = [{"label": "Dark Red", "value": "red"}, {"label": "Blue", "value": "blue"}]
    CustomField.objects.filter(pk=field.pk).update(options=options)
    refused = scope.session.post(
        "/contact", {"formData": {"email": "a@x.de", "countryCode": "+49", "number": "1701", "colour": "pink"}}
    )
    assert "Choose one of these: Dark Red (red), blue." in refused.body["warning"]
