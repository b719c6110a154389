"""Saved views, columns and values changed at their place, in the lists of contacts and leads."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from core.web.filters import Choice
from crm.models import Contact, CustomField, Export, Lead, SavedView
from tests.crm.contacts.helpers import add_field
from tests.crm.pipelines.helpers import stage_of_status
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory, MemberFactory, RoleFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

EVIL = '"><script>alert(1)</script>{{ 7|add:7 }}'
PART = {"HX-Request": "true"}


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


def names(response: Any) -> list[str]:
    return re.findall(r'aria-label="Select ([^"]+)"></label></td>', html_of(response))


def heads(response: Any) -> list[str]:
    head = re.search(r"<thead>.*?</thead>", html_of(response), re.DOTALL)
    assert head is not None
    return [" ".join(re.sub(r"<[^>]+>", " ", one).split()) for one in re.findall(r"<th scope.*?</th>", head[0])]


def tabs(response: Any) -> list[tuple[str, bool]]:
    """Return (words, whether it is open) of the tabs of views."""
    nav = re.search(r'<nav class="tabs" aria-label="Saved views">(.*?)</nav>', html_of(response), re.DOTALL)
    found = re.findall(r'<a href="[^"]+"( aria-current="page")?>(.*?)</a>', nav[1] if nav else "", re.DOTALL)
    return [(unescape(re.sub(r"<[^>]+>", "", words)).strip(), bool(here)) for here, words in found]


def test_a_view_is_saved_opened_changed_shared_and_deleted(scope: Cast, client: Any) -> None:
    ContactFactory(name="Ann Lee", email="ann@example.org")
    ContactFactory(name="Bob Ray", email="bob@example.org")
    ContactFactory(name="Ann Ray", email="ann.ray@example.org")
    path = at(scope.owner, "contacts")
    assert "Save view" not in text_of(client.get(path))
    narrowed = path + "?q=ann&f=email:contains:ray&sort=-name"
    assert "Save view" in text_of(client.get(narrowed))
    saved = client.post(narrowed, {"do": "new_view", "name": "Rays"})
    view = SavedView.objects.get()
    assert (saved["Location"], "View saved" in toast_of(client, saved)) == (f"{path}?saved={view.pk}", True)
    opened = client.get(saved["Location"])
    assert (names(opened), tabs(opened)) == (["Ann Ray"], [("All", False), ("Mine", False), ("Rays", True)])
    assert ("Email contains ray" in text_of(opened), "Save as new" in text_of(opened)) == (True, False)

    # Every link says the rest of the state itself, also that there is none.
    without = re.search(r'<a href="([^"]+)" aria-label="Remove the filter Email"', html_of(opened))
    assert without is not None
    wider = client.get(path + unescape(without[1]))
    assert (names(wider), "Save to" in text_of(wider)) == (["Ann Ray", "Ann Lee"], True)
    everybody = client.get(f"{path}?saved={view.pk}&q=")
    assert (len(names(everybody)), "Save to" in text_of(everybody)) == (3, True)
    kept = client.post(f"{path}?saved={view.pk}&q=ann&sort=name", {"do": "save_view"})
    assert names(client.get(kept["Location"])) == ["Ann Lee", "Ann Ray"]

    here = saved["Location"]
    client.post(here, {"do": "rename_view", "name": "Anns"})
    assert tabs(client.get(here)) == [("All", False), ("Mine", False), ("Anns", True)]
    refused = toast_of(client, client.post(path + "?q=x", {"do": "new_view", "name": "ANNS"}))
    assert ('class="toast bad"' in refused, "is already in use" in refused) == (True, True)
    viewer = enter(scope.narrow)
    assert tabs(viewer.get(at(scope.narrow, "contacts"))) == [("All", True), ("Mine", False)]
    assert "was deleted or is no longer" in text_of(viewer.get(at(scope.narrow, f"contacts?saved={view.pk}")))
    assert "everyone" in toast_of(client, client.post(here, {"do": "share_view"}))
    seen = viewer.get(at(scope.narrow, f"contacts?saved={view.pk}"))
    assert (tabs(seen)[2], "Rename" in text_of(seen)) == (("Shared: Anns", True), False)
    for action in ("rename_view", "save_view", "unshare_view", "delete_view"):
        assert 'class="toast bad"' in toast_of(viewer, viewer.post(here, {"do": action, "name": "Mine"}))
    assert SavedView.objects.get().name == "Anns"
    mine = at(scope.narrow, "contacts?q=ann")  # who changes no contacts shares no views of them
    assert 'name="shared"' not in html_of(viewer.get(mine))
    refused = toast_of(viewer, viewer.post(mine, {"do": "new_view", "name": "Ours", "shared": "on"}))
    assert ("Your role does not allow this" in refused, "contact." in refused) == (True, False)
    own = viewer.post(path + "?q=ann", {"do": "new_view", "name": EVIL})
    assert tabs(viewer.get(own["Location"]))[0:3] == [("All", False), ("Mine", False), (EVIL, True)]
    assert "View deleted" in toast_of(client, client.post(here, {"do": "delete_view"}))
    assert tabs(client.get(path)) == [("All", True), ("Mine", False)]


def test_a_view_of_a_program_keeps_what_an_address_cannot_say(scope: Cast, client: Any) -> None:
    for name in ("Ann", "Bob", "Cid"):
        ContactFactory(name=name)
    either = [{"field": "name", "operator": "equals", "value": one} for one in ("Ann", "Bob")]
    query = {"advancedFilters": {"operator": "or", "conditions": either}, "sortBy": "name", "sortOrder": "asc"}
    body = {"name": "Two", "resource": "contact", "query": query}
    view = scope.session.post("/saved-view", body).data["_id"]
    path = at(scope.owner, f"contacts?saved={view}")
    shown = client.get(path)
    assert (names(shown), "Any of" in text_of(shown)) == (["Ann", "Bob"], True)
    assert names(client.get(path + "&q=bob")) == ["Bob"]
    client.post(path + "&q=bob", {"do": "save_view"})
    assert names(client.get(path)) == ["Bob"]
    assert "Deleted 1 contact" in toast_of(client, client.post(path, {"do": "delete", "all": "1"}))


def test_a_view_whose_field_is_gone_opens_with_a_notice(scope: Cast, client: Any) -> None:
    ContactFactory(name="Ann")
    add_field("city")
    path = at(scope.owner, "contacts")
    saved = client.post(path + "?f=city:contains:bonn&sort=city", {"do": "new_view", "name": "Bonn"})
    assert "No contacts match" in text_of(client.get(saved["Location"]))
    CustomField.objects.filter(unique_field_id="city").delete()
    opened = client.get(saved["Location"])
    assert (opened.status_code, names(opened)) == (200, ["Ann"])
    assert "no longer exist" in text_of(opened)
    action = re.search(r'action="([^"]+)">(?:(?!</form>).)*value="save_view"', html_of(opened), re.DOTALL)
    assert action is not None
    client.post(unescape(action[1]), {"do": "save_view"})
    assert "no longer exist" not in text_of(client.get(saved["Location"]))
    assert "no longer exist" not in text_of(client.get(path))

    # A column that is gone leaves the filters as they are.
    add_field("size")
    told = client.post(path + "?f=email:contains:nobody&columns=name,size", {"do": "new_view", "name": "Sizes"})
    CustomField.objects.filter(unique_field_id="size").delete()
    opened = client.get(told["Location"])
    assert "No contacts match" in text_of(opened)
    assert "A column of this view no longer exists" in text_of(opened)
    client.post(told["Location"], {"do": "save_view"})
    assert "is gone" not in text_of(client.get(told["Location"]))


def test_columns_are_chosen_by_the_reader_and_kept_in_views(scope: Cast, client: Any) -> None:
    add_field("city")
    made = scope.session.post("/contact", {"formData": {**person("Ann"), "city": "Bonn"}})
    assert made.status == 200, made.body
    path, chooser = at(scope.owner, "contacts"), at(scope.owner, "contacts/columns")
    assert heads(client.get(path))[:3] == ["Name", "Email", "city"]
    order = re.findall(r'name="order" value="([^"]+)"', html_of(client.get(chooser)))
    moved = client.post(chooser, {"do": "move", "order": order, "shown": ["city", "email"], "down": "city"})
    again = re.findall(r'name="order" value="([^"]+)"', html_of(moved))
    assert again[:4] == ["name", "email", "tags", "city"]
    client.post(chooser, {"do": "save", "order": again, "shown": ["email", "city", "category"]})
    shown = client.get(path)
    assert (heads(shown), "Bonn" in text_of(shown)) == (["Name", "Email", "city", "Category"], True)
    colleague = MemberFactory(status=Member.Status.ACCEPTED, role=RoleFactory(permission={"contact": {"GET": True}}))
    assert heads(enter(colleague).get(path)) == ["Name", "Email", "Tags", "Added"]

    # Those of a view are the view's.
    saved = client.post(path + "?q=ann", {"do": "new_view", "name": "Anns"})["Location"]
    chosen = client.post(f"{chooser}?{saved.partition('?')[2]}", {"do": "save", "order": order, "shown": ["tags"]})
    assert (heads(client.get(chosen["Location"])), names(client.get(chosen["Location"]))) == (["Name", "Tags"], ["Ann"])
    assert heads(client.get(saved)) == ["Name", "Email", "city", "Category"]
    client.post(chosen["Location"], {"do": "save_view"})
    assert (heads(client.get(saved)), heads(client.get(path))[-1]) == (["Name", "Tags"], "Category")
    client.post(chooser, {"do": "reset"})
    assert heads(client.get(path))[:3] == ["Name", "Email", "city"]
    assert heads(client.get(path + "?columns=nothing,tags")) == ["Name", "Tags"]


def person(name: str) -> dict[str, str]:
    return {"name": name, "email": f"{name.lower()}@example.org", "countryCode": "+44", "number": "7400123456"}


def test_values_are_changed_at_their_place(scope: Cast, client: Any) -> None:
    add_field("city")
    contact = scope.session.post("/contact", {"formData": {**person("Ann"), "city": "Bonn"}}).data["_id"]
    assert f'href="contacts/{contact}/cell?field=city"' in html_of(client.get(at(scope.owner, "contacts")))
    path = at(scope.owner, f"contacts/{contact}/cell?field=city")
    form = html_of(client.get(path, headers=PART))
    assert ("<td" in form, 'value="Bonn"' in form, "<nav" in form) == (True, True, False)
    before = json.dumps({"city": "Bonn"})
    saved = client.post(path, {"city": EVIL, "before": before}, headers=PART)
    page = html_of(saved)
    assert (saved.status_code, "Undo" in page, "<script>" in page, "cell?field=city" in page) == (
        200,
        True,
        False,
        True,
    )

    # Somebody was faster: both values are shown, and the second save is meant.
    late = client.post(path, {"city": "Kiel", "before": before}, headers=PART)
    assert (late.status_code, "Someone else changed this" in text_of(late)) == (422, True)
    assert 'value="Kiel"' in html_of(late)
    now = unescape(re.search(r'name="before" value="([^"]*)"', html_of(late))[1])
    assert client.post(path, {"city": "Kiel", "before": now}, headers=PART).status_code == 200
    assert Contact.objects.get().custom["city"] == "Kiel"

    email = path.replace("city", "email")
    wrong = client.post(email, {"email": "nonsense", "before": json.dumps({"email": "ann@example.org"})}, headers=PART)
    assert (wrong.status_code, 'id="f-email-error"' in html_of(wrong)) == (422, True)
    phone = html_of(client.get(path.replace("city", "contactNumber")))
    assert ('name="countryCode"' in phone, 'name="number"' in phone, "<nav" in phone) == (True, True, True)
    plain = client.post(email, {"email": "ann@example.com"})
    assert (plain["Location"], "Saved" in toast_of(client, plain)) == (at(scope.owner, "contacts"), True)
    assert client.get(path.replace("city", "tags")).status_code == 404
    Contact.objects.update(is_deleted=True)
    gone = client.get(path, headers=PART)
    assert (gone.status_code, "This record was deleted" in text_of(gone)) == (422, True)
    assert client.get(path).status_code == 404


def test_leads_have_views_columns_export_and_their_status_is_changed_at_its_place(scope: Cast, client: Any) -> None:
    lead = LeadFactory(contact=ContactFactory(name="Ann Lee"), value=10)
    LeadFactory(contact=ContactFactory(name="Bob Ray"), value=20)
    path = at(scope.owner, "leads")
    saved = client.post(path + "?view=board&f=value:lessThan:15", {"do": "new_view", "name": "Small"})
    board = client.get(saved["Location"])
    assert ('class="board"' in html_of(board), "Bob Ray" in text_of(board)) == (True, False)
    client.post(saved["Location"], {"do": "rename_view", "name": "Tiny"})
    assert tabs(client.get(saved["Location"])) == [("All", False), ("Mine", False), ("Tiny", True)]
    chooser = client.get(at(scope.owner, "leads/columns?columns=contact,value"))
    assert re.findall(r'name="order" value="([^"]+)"', html_of(chooser))[:2] == ["contact", "value"]
    table = re.search(r'<a href="([^"]+)">Table</a>', html_of(board))
    assert table is not None
    shown = client.get(unescape(table[1]))
    assert (names(shown), "Save to" in text_of(shown)) == (["Ann Lee"], True)
    chosen = client.get(path + "?columns=contact.email,status")
    assert (heads(chosen), lead.contact.email in text_of(chosen)) == (["Contact", "Email", "Status"], True)
    assert heads(client.get(path))[:3] == ["Contact", "Stage", "Value"]
    cell = at(scope.owner, f"leads/{lead.pk}/cell?field=status")
    assert '<option value="won">Won</option>' in html_of(client.get(cell, headers=PART))
    moved = client.post(cell, {"status": "won", "before": json.dumps({"status": "new"})}, headers=PART)
    assert (moved.status_code, "Won" in text_of(moved), Lead.objects.get(pk=lead.pk).status) == (200, True, "won")
    assert client.post(cell, {"status": "nothing"}, headers=PART).status_code == 422
    stage = stage_of_status("lost").pk
    cell = at(scope.owner, f"leads/{lead.pk}/cell?field=stage")
    assert f'<option value="{stage}">Lost</option>' in html_of(client.get(cell, headers=PART))
    moved = client.post(
        cell, {"stage": stage, "before": json.dumps({"stage": stage_of_status("won").pk})}, headers=PART
    )
    lead.refresh_from_db()
    assert (moved.status_code, "Lost" in text_of(moved), lead.status) == (200, True, "lost")
    exported = client.post(path + "?f=status:in:won", {"do": "export", "format": "csv"})
    made = Export.objects.get()
    assert (exported["Location"], made.resource) == (at(scope.owner, f"exports/{made.pk}"), "lead")
    assert made.query["advancedFilters"]["conditions"][0]["field"] == "status"


def test_segments_of_leads_open_in_leads(scope: Cast, client: Any) -> None:
    LeadFactory(contact=ContactFactory(name="Ann Lee"), status="won")
    LeadFactory(contact=ContactFactory(name="Bob Ray"))
    body = {"name": "Won ones", "panel": "lead", "filters": {"status": "won"}}
    segment = scope.session.post("/segment", body).data["_id"]
    link = at(scope.owner, f"leads?f=segment:in:{segment}")
    assert f'href="{link}"' in html_of(client.get(at(scope.owner, f"segments/{segment}")))
    opened = client.get(link)
    assert (names(opened), "Segment is Won ones" in text_of(opened)) == (["Ann Lee"], True)


def test_who_only_reads_changes_nothing_and_pages_ask_little(scope: Cast, client: Any) -> None:
    contact = ContactFactory(name="Ann")
    viewer = enter(scope.narrow)
    assert 'class="pen"' not in html_of(viewer.get(at(scope.narrow, "contacts")))
    cell = at(scope.narrow, f"contacts/{contact.pk}/cell?field=name")
    assert 'name="name"' not in html_of(viewer.get(cell))
    assert viewer.post(cell, {"name": "Changed"}, headers=PART).status_code == 422
    assert Contact.objects.get().name == "Ann"
    add_field("city")
    for number in range(5):
        query = {"filters": {"city": "Bonn"}, "sortBy": "city"}
        scope.session.post("/saved-view", {"name": f"View {number}", "resource": "contact", "query": query})
    path = at(scope.owner, f"contacts?saved={SavedView.objects.first().pk}")
    client.get(path)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path).status_code == 200
    assert len([one for one in queries if not re.match("SAVEPOINT|RELEASE|SET |SELECT set_config", one["sql"])]) <= 17


def test_operators_without_a_value_are_a_pair() -> None:
    choice = Choice("email", "Email")
    assert [choice.words(operator) for operator in ("isEmpty", "isNotEmpty")] == ["is empty", "is not empty"]
