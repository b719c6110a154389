"""The pages of contacts, as forms and links use them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.ids import new_id
from crm.models import BulkJob, Contact, LeadActivity
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, TagFactory
from tests.web.helpers import at, enter, text_of, toast_of

NEW = {"name": "Ann Lee", "email": "ann@example.org", "countryCode": "+44", "number": "7400123456"}
EVIL = '"><script>alert(1)</script>{{ 7|add:7 }}'


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


def names(response: Any) -> list[str]:
    return re.findall(r'aria-label="Select ([^"]+)"></label></td>', response.content.decode())


def test_the_list_searches_filters_and_sorts(scope: Cast, client: Any) -> None:
    tag = TagFactory(name="Fair")
    ann, bob = ContactFactory(name="Ann Lee"), ContactFactory(name="Bob Ray")
    assert scope.session.put(f"/contact/{ann.pk}", {"tags": [tag.pk]}).status == 200
    path = at(scope.owner, "contacts")
    assert names(client.get(path + "?sort=name")) == ["Ann Lee", "Bob Ray"]
    assert names(client.get(path + "?sort=-name")) == ["Bob Ray", "Ann Lee"]
    assert names(client.get(path + "?q=ray")) == ["Bob Ray"]
    found = client.get(f"{path}?f=tags:in:{tag.pk}")
    assert names(found) == ["Ann Lee"]
    assert re.search(r"Tag is Fair", text_of(found))
    added = client.get(path, {"q": "", "field": "email", "operator": "contains", "value": bob.email})
    assert names(added) == ["Bob Ray"]
    assert "No contact matches" in text_of(client.get(path + "?q=nobody"))
    assert names(client.get(path + "?f=nothing:in:x&f=email:drop:x&seen=x")) == ["Bob Ray", "Ann Lee"]
    assert client.get(path + "?sort=nothing").status_code == 400


def test_pages_follow_by_cursor(scope: Cast, client: Any) -> None:
    for number in range(60):
        ContactFactory(name=f"Person {number:02}")
    first = client.get(at(scope.owner, "contacts?sort=name"))
    assert names(first) == [f"Person {number:02}" for number in range(50)]
    assert "60 contacts" in text_of(first)
    link = re.search(r'<tr class="more" hx-get="([^"]+)"', first.content.decode())[1].replace("&amp;", "&")
    second = client.get(at(scope.owner, "contacts") + link)
    assert names(second) == [f"Person {number:02}" for number in range(50, 60)]
    last = client.get(at(scope.owner, "contacts?sort=name&seen=950"))
    assert "Go on with the next ones" in text_of(last)
    assert 'class="more" hx-get' not in last.content.decode()


def test_an_empty_list_says_what_to_do(scope: Cast, client: Any) -> None:
    assert "No contacts yet" in text_of(client.get(at(scope.owner, "contacts")))
    viewer = enter(scope.narrow).get(at(scope.narrow, "contacts"))
    assert "No contacts yet" in text_of(viewer)
    assert "contacts/new" not in viewer.content.decode()


def test_a_contact_is_made_and_refusals_stand_at_their_fields(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "contacts/new")
    wrong = client.post(path, {**NEW, "email": "nonsense", "number": "12"})
    assert wrong.status_code == 422
    page = wrong.content.decode()
    assert re.search(r'id="f-email"[^>]*aria-invalid="true"[^>]*aria-describedby="f-email-error"', page)
    assert 'value="nonsense"' in page
    assert 'value="Ann Lee"' in page
    assert 'class="summary" role="alert"' in page
    made = client.post(path, NEW)
    contact = Contact.objects.get()
    assert made["Location"] == at(scope.owner, f"contacts/{contact.pk}")
    assert "Contact created" in toast_of(client, made)
    again = client.post(path, NEW)
    assert (again.status_code, Contact.objects.count()) == (422, 1)


def test_a_contact_is_shown_changed_and_deleted(scope: Cast, client: Any) -> None:
    made = client.post(at(scope.owner, "contacts/new"), NEW)
    path = made["Location"]
    assert "ann@example.org" in text_of(client.get(path))
    form = client.get(path + "?edit")
    assert 'value="7400123456"' in form.content.decode()
    wrong = client.post(path + "?edit", {**NEW, "email": "nonsense"})
    assert (wrong.status_code, "nonsense" in wrong.content.decode()) == (422, True)
    saved = client.post(path + "?edit", {**NEW, "name": "Ann May"})
    assert "Contact saved" in toast_of(client, saved)
    contact = Contact.objects.get()
    assert (contact.name, contact.email) == ("Ann May", "ann@example.org")
    assert client.post(path + "?edit", {**NEW, "name": "Ann May"}).status_code == 303
    noted = client.post(path, {"do": "note", "notes": "Likes tea"})
    assert "Note added" in toast_of(client, noted)
    assert LeadActivity.objects.get(kind="note").notes == "Likes tea"
    assert "Likes tea" in text_of(client.get(path))
    deleted = client.post(path, {"do": "delete"})
    assert deleted["Location"] == at(scope.owner, "contacts")
    assert "Contact deleted" in toast_of(client, deleted)
    assert client.get(path).status_code == 404


def test_many_are_deleted_and_it_is_undone(scope: Cast, client: Any) -> None:
    kept, one, two = (ContactFactory(name=name) for name in ("Kept", "One", "Two"))
    path = at(scope.owner, "contacts")
    toast = toast_of(client, client.post(path, {"do": "delete", "ids": [one.pk, two.pk]}))
    assert "Deleted 2 contacts" in toast
    undo = re.search(r'action="([^"]+)"', toast)[1]
    assert names(client.get(path)) == ["Kept"]
    undone = client.post(undo, {"do": "undo"}, headers={"referer": f"http://testserver{path}?q=x"})
    assert undone["Location"] == path + "?q=x"
    watch = re.search(r'hx-get="([^"]+)"', toast_of(client, undone))[1]
    assert BulkJob.objects.filter(action="undo", status="queued").count() == 1
    progress = client.get(watch, headers={"HX-Request": "true"}).content.decode()
    assert 'hx-trigger="load delay:1s"' in progress
    assert "<nav" not in progress
    everything = client.post(path + "?q=kep", {"do": "delete", "all": "1"})
    assert "Deleted 1 contact" in toast_of(client, everything)
    kept.refresh_from_db()
    assert kept.is_deleted
    nothing = client.post(path, {"do": "delete"})
    assert 'class="toast bad"' in toast_of(client, nothing)


def test_nobody_does_what_their_role_may_not(scope: Cast) -> None:
    contact = ContactFactory(name="Ann Lee")
    client = enter(scope.narrow)
    page = client.get(at(scope.narrow, "contacts")).content.decode()
    detail = client.get(at(scope.narrow, f"contacts/{contact.pk}")).content.decode()
    for shown in (page, detail):
        assert "Ann Lee" in shown
        assert not re.findall(r'value="(delete|note|save)"|\?edit|contacts/new|type="checkbox"', shown)
    for body in ({"do": "delete", "ids": contact.pk}, {"do": "delete", "all": "1"}):
        assert 'class="toast bad"' in toast_of(client, client.post(at(scope.narrow, "contacts"), body))
    for deed in ("delete", "note"):
        sent = client.post(at(scope.narrow, f"contacts/{contact.pk}"), {"do": deed, "notes": "x"})
        assert 'class="toast bad"' in toast_of(client, sent)
    assert client.post(at(scope.narrow, f"contacts/{contact.pk}"), {"name": "Changed"}).status_code == 422
    assert client.post(at(scope.narrow, "contacts/new"), NEW).status_code == 422
    contact.refresh_from_db()
    assert (contact.name, contact.is_deleted, Contact.objects.count()) == ("Ann Lee", False, 1)


def test_hostile_text_stays_text(scope: Cast, client: Any) -> None:
    TagFactory(name=EVIL[:60])
    contact = ContactFactory(name=EVIL)
    client.post(at(scope.owner, f"contacts/{contact.pk}"), {"do": "note", "notes": EVIL})
    for path in ("contacts", f"contacts/{contact.pk}", f"contacts/{contact.pk}?edit", f"contacts?q={EVIL}", ""):
        page = client.get(at(scope.owner, path)).content.decode()
        assert "<script>alert" not in page, path
        assert "14" not in re.findall(r"&lt;/script&gt;([^ <]*)", page)


def test_lists_ask_little(scope: Cast, client: Any) -> None:
    for _ in range(20):
        ContactFactory()
    client.get(at(scope.owner, "contacts"))
    with CaptureQueriesContext(connection) as queries:
        page = client.get(at(scope.owner, "contacts"))
    assert page.status_code == 200
    assert len(queries) <= 12, [query["sql"][:90] for query in queries]


def test_ids_that_are_none_are_not_found(scope: Cast, client: Any) -> None:
    for id in (new_id(), "x", "new2", "é", "import", "summary"):
        assert client.get(at(scope.owner, f"contacts/{id}")).status_code == 404
    assert client.post(at(scope.owner, "contacts"), {"do": "__class__"}).status_code == 400


def test_a_role_that_reads_no_contacts_is_told(db: None) -> None:
    cast = make_cast({"lead": {"GET": True}})
    client = enter(cast.narrow)
    refused = client.get(at(cast.narrow, "contacts"))
    assert (refused.status_code, "Your role does not open this page" in text_of(refused)) == (403, True)
    assert "/contacts" not in client.get(at(cast.narrow)).content.decode()
