"""The pages of contacts, as forms and links use them."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from billing.subscriptions.services import override_subscription
from core.events import deliver
from core.ids import new_id
from crm.contacts.pages import ContactDetail
from crm.models import BulkJob, CallLog, Contact, ContactTag, CustomField, LeadActivity, Meeting, MeetingAttendee
from tests.crm.contacts.helpers import add_field
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, TagFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

NEW = {"name": "Ann Lee", "email": "ann@example.org", "countryCode": "+44", "number": "7400123456"}
EVIL = '"><script>alert(1)</script>{{ 7|add:7 }}'


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


def names(response: Any) -> list[str]:
    return re.findall(r'aria-label="Select ([^"]+)"></label></td>', html_of(response))


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
    assert "No contacts match" in text_of(client.get(path + "?q=nobody"))
    assert names(client.get(path + "?f=nothing:in:x&f=email:drop:x&seen=x")) == ["Bob Ray", "Ann Lee"]
    again = client.get(path + "?f=createdAt:after:soon&f=email:contains:" + bob.email)
    assert (names(again), "Enter a day" in text_of(again)) == (["Bob Ray"], True)


@pytest.mark.parametrize("asked", ["sort=nothing", "cursor=x", "q=" + "x" * 600, "f=tags:in:nothing"])
def test_the_list_opens_without_what_it_cannot_use(scope: Cast, client: Any, asked: str) -> None:
    ContactFactory(name="Ann Lee")
    TagFactory()
    found = client.get(at(scope.owner, f"contacts?{asked}"))
    assert (found.status_code, names(found)) == (200, ["Ann Lee"])
    assert "Shown without" in text_of(found)


def test_filters_are_of_every_type_and_stand_in_groups(scope: Cast, client: Any) -> None:
    """All of (unsubscribed or Bob), added lately: any of a group, and the other way round."""
    add_field("employees", "number", "number")
    for name, size in (("Ann Lee", 5), ("Bob Ray", 50), ("Cid Fox", 500)):
        one = ContactFactory(name=name)
        assert scope.session.put(f"/contact/{one.pk}", {"formData": {"employees": size}}).status == 200
    path = at(scope.owner, "contacts?sort=name&")
    refused = client.get(path + "field=employees&operator=equals&value=abc&f=name:notContains:Cid")
    assert (refused.status_code, sorted(names(refused))) == (200, ["Ann Lee", "Bob Ray"])
    assert "Enter a number" in text_of(refused)
    assert 'aria-label="employees" value="abc" aria-invalid="true"' in html_of(refused)
    assert 'aria-label="employees" type="number"' in html_of(refused)
    assert len(names(client.get(path + "field=createdAt&operator=withinLast&amount=2&unit=days"))) == 3
    assert names(client.get(path + "field=createdAt&operator=before&value=2020-01-01")) == []
    assert names(client.get(path + "f=unsubscribed:equals:true")) == []
    either = "f=(1)name:equals:Ann Lee&f=(1)employees:greaterThan:100&f=name:notContains:Cid"
    assert names(client.get(path + either)) == ["Ann Lee"]
    found = client.get(path + either + "&match=any")  # (Ann and above 100) or not Cid
    assert (names(found), "Any of" in text_of(found)) == (["Ann Lee", "Bob Ray"], True)
    saved = client.post(path + either + "&match=any", {"do": "new_view", "name": "Mixed"})
    assert names(client.get(saved["Location"])) == ["Ann Lee", "Bob Ray"]
    assert "of the view" not in text_of(client.get(saved["Location"]))


def test_a_field_of_many_is_changed_and_it_is_undone(scope: Cast, client: Any) -> None:
    tag, city = TagFactory(name="Fair"), add_field("city")
    ids = [ContactFactory(name=name).pk for name in ("Ann Lee", "Bob Ray", "Cid Fox")]
    path, change = at(scope.owner, "contacts"), at(scope.owner, "contacts/change")
    assert 'formaction="' + change in html_of(client.get(path))
    offered = html_of(client.post(change, {"do": "choose", "ids": ids[:2]}))
    assert ('<option value="tags">Tags' in offered, f'<option value="{city.unique_field_id}">' in offered) == (
        True,
        True,
    )
    asked = client.post(change, {"do": "choose", "what": "tags", "ids": ids[:2]})
    assert ("Tags: 2 contacts" in text_of(asked), f'name="ids" value="{ids[0]}"' in html_of(asked)) == (
        True,
        True,
    )
    sent = {"what": "tags", "how": "append", "tags": [tag.pk]}
    done = client.post(change, {"do": "save", "ids": ids[:2], **sent})
    toast = toast_of(client, done)
    assert ("Changed 2 contacts" in toast, "Undo" in toast) == (True, True)
    assert ContactTag.objects.filter(tag=tag).count() == 2
    client.post(change + "?q=ann", {"do": "save", "all": "1", **sent, "how": "remove"})
    assert ContactTag.objects.get(tag=tag).contact.name == "Bob Ray"
    empty = client.post(change, {"do": "save", "ids": ids, "what": "city", "how": "set", "city": ""})
    assert (empty.status_code, "Enter a value" in text_of(empty)) == (422, True)
    client.post(change + "?q=", {"do": "save", "all": "1", "what": "city", "how": "set", "city": "Bonn"})
    CustomField.objects.filter(pk=city.pk).update(required=True)
    needed = client.post(change, {"do": "save", "ids": ids[:1], "what": "city", "how": "clear"})
    assert ("Enter a value." in text_of(needed), "required" in text_of(needed)) == (True, False), text_of(needed)
    CustomField.objects.filter(pk=city.pk).update(required=False)
    assert len(names(client.get(path + "?f=city:equals:Bonn"))) == 3
    client.post(change, {"do": "save", "ids": ids[:1], "what": "city", "how": "clear"})
    assert names(client.get(path + "?f=city:isEmpty:")) == ["Ann Lee"]
    assert client.post(change, {"do": "choose", "what": "email", "ids": ids}).status_code == 404
    viewer = enter(scope.narrow)
    for action in ("choose", "save"):
        refused = toast_of(viewer, viewer.post(at(scope.narrow, "contacts/change"), {"do": action, "ids": ids, **sent}))
        assert "change these records" in refused


def test_pages_follow_by_cursor(scope: Cast, client: Any) -> None:
    for number in range(60):
        ContactFactory(name=f"Person {number:02}")
    first = client.get(at(scope.owner, "contacts?sort=name"))
    assert names(first) == [f"Person {number:02}" for number in range(50)]
    assert "60 contacts" in text_of(first)
    link = re.search(r'<tr class="more" hx-get="([^"]+)"', html_of(first))[1].replace("&amp;", "&")
    second = client.get(at(scope.owner, "contacts") + link)
    assert names(second) == [f"Person {number:02}" for number in range(50, 60)]
    last = client.get(at(scope.owner, "contacts?sort=name&seen=950"))
    assert "Next page" in text_of(last)
    assert 'class="more" hx-get' not in html_of(last)


def test_an_empty_list_says_what_to_do(scope: Cast, client: Any) -> None:
    assert "No contacts yet" in text_of(client.get(at(scope.owner, "contacts")))
    viewer = enter(scope.narrow).get(at(scope.narrow, "contacts"))
    assert "No contacts yet" in text_of(viewer)
    assert "contacts/new" not in html_of(viewer)


def test_a_contact_is_made_and_refusals_stand_at_their_fields(scope: Cast, client: Any) -> None:
    path = at(scope.owner, "contacts/new")
    marked = r'<label for="f-(\w+)">[^<]*<span class="required">'
    asked = client.get(path)
    assert re.findall(marked, html_of(asked)) == ["email", "number"]
    assert "Required for each contact: an email address and a phone number." in text_of(asked)
    wrong = client.post(path, {**NEW, "email": "nonsense", "number": "12"})
    assert wrong.status_code == 422
    page = html_of(wrong)
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
    # What the API does not require is not marked either.
    for one in CustomField.objects.filter(panel="contact", unique_field_id__in=("countryCode", "number")):
        assert scope.session.put(f"/custom-field/{one.pk}", {"required": False}).status == 200
    asked = client.get(path)
    assert re.findall(marked, html_of(asked)) == ["email"]
    assert client.post(path, {"email": "bob@example.org"}).status_code == 303


def test_a_contact_is_shown_changed_and_deleted(scope: Cast, client: Any) -> None:
    made = client.post(at(scope.owner, "contacts/new"), NEW)
    path = made["Location"]
    assert "ann@example.org" in text_of(client.get(path))
    form = client.get(path + "?edit")
    assert 'value="7400123456"' in html_of(form)
    wrong = client.post(path + "?edit", {**NEW, "email": "nonsense"})
    assert (wrong.status_code, "nonsense" in html_of(wrong)) == (422, True)
    assert 'id="timeline"' not in html_of(form), "the edit form has the page to itself"
    shown = html_of(client.get(path))
    assert re.search(r'<section id="facts"[^>]* data-fresh>', shown), "an undo shows in the facts"
    saved = client.post(path + "?edit", {**NEW, "name": "Ann May"})
    assert "Contact saved" in toast_of(client, saved)
    contact = Contact.objects.get()
    assert (contact.name, contact.email) == ("Ann May", "ann@example.org")
    assert client.post(path + "?edit", {**NEW, "name": "Ann May"}).status_code == 303
    noted = client.post(path, {"do": "note", "notes": "Likes tea"})
    assert "Note added" in toast_of(client, noted)
    assert LeadActivity.objects.get(kind="note").notes == "Likes tea"
    assert "Likes tea" in text_of(client.get(path))
    deliver()
    told = client.get(path)
    assert "Name changed by" in text_of(told)
    assert re.search(r"<dt>Name</dt><dd><del>Ann Lee</del>.*?<ins>Ann May</ins>", html_of(told), re.DOTALL)
    deleted = client.post(path, {"do": "delete"})
    assert deleted["Location"] == at(scope.owner, "contacts")
    assert "Contact deleted" in toast_of(client, deleted)
    assert client.get(path).status_code == 404


def test_what_others_changed_meanwhile_is_never_overwritten(scope: Cast, client: Any, monkeypatch: Any) -> None:
    contact = ContactFactory(name="Ann Lee", email="ann@example.org")
    tag = TagFactory(name="Fair")
    path = at(scope.owner, f"contacts/{contact.pk}")

    def opened() -> dict[str, str]:
        page = html_of(client.get(path + "?edit"))
        return {"do": "save", "opened": unescape(re.search(r'name="opened" value="([^"]*)"', page)[1])}

    def other(**values: Any) -> None:
        assert scope.key.put(f"/contact/{contact.pk}", values).status == 200

    # Another field: both changes stay.
    form = opened()
    other(formData={"email": "other@example.org"}, tags=[tag.pk])
    assert client.post(path + "?edit", {**form, "name": "Ann May", "email": "ann@example.org"}).status_code == 303
    contact.refresh_from_db()
    assert (contact.name, contact.email, contact.tag_links.count()) == ("Ann May", "other@example.org", 1)
    # The same field: both values are shown, nothing is written, and what was typed is there.
    form = opened()
    other(formData={"name": "Ann Other"})
    sent = {**form, "name": "Ann Mine", "email": "mine@example.org", "tags": [tag.pk]}
    clash = client.post(path + "?edit", sent)
    page = html_of(clash)
    assert clash.status_code == 422
    assert all(words in text_of(clash) for words in ("also changed this record", "Take: Ann Other"))
    assert ('value="Ann Mine"' in page, 'value="mine@example.org"' in page) == (True, True)
    contact.refresh_from_db()
    assert contact.name == "Ann Other"
    again = {**sent, "opened": unescape(re.search(r'name="opened" value="([^"]*)"', page)[1])}
    assert client.post(path + "?edit", {**again, "choose-name": "theirs"}).status_code == 303
    contact.refresh_from_db()
    assert (contact.name, contact.email) == ("Ann Other", "mine@example.org")
    form = opened()
    other(formData={"name": "Ann Third"})
    sent = {**form, "name": "Ann Mine"}
    page = html_of(client.post(path + "?edit", sent))
    again = {**sent, "opened": unescape(re.search(r'name="opened" value="([^"]*)"', page)[1]), "choose-name": "mine"}
    assert client.post(path + "?edit", again).status_code == 303
    contact.refresh_from_db()
    assert contact.name == "Ann Mine"
    # Between reading and writing: the API refuses, and the page looks again.
    form, ask = opened(), ContactDetail.ask

    def slow(page: ContactDetail, method: str, *rest: Any) -> Any:
        if method == "PUT":
            monkeypatch.setattr(ContactDetail, "ask", ask)
            other(formData={"name": "Ann Fast"})
        return ask(page, method, *rest)

    monkeypatch.setattr(ContactDetail, "ask", slow)
    assert "Take: Ann Fast" in text_of(client.post(path + "?edit", {**form, "name": "Ann Slow"}))
    assert client.post(path + "?edit", {"do": "save", "opened": "{", "name": "Ann Plain"}).status_code == 303


def test_what_is_done_with_a_contact_is_written_into_its_timeline(scope: Cast, client: Any) -> None:
    contact = ContactFactory(name="Ann Lee", email="ann@example.org")
    path = at(scope.owner, f"contacts/{contact.pk}")
    assert 'name="outcome"' in html_of(client.get(path + "?compose=call"))
    called = {"do": "call", "direction": "inbound", "outcome": "busy", "minutes": "2.5", "notes": EVIL}
    assert "Call logged" in toast_of(client, client.post(path, called))
    assert 'value="ann@example.org"' in html_of(client.get(path + "?compose=meeting"))
    meeting = {"do": "meeting", "title": "Lunch", "startsAt": "soon", "durationMinutes": "30", "attendees": ""}
    wrong = client.post(path, meeting)
    assert (wrong.status_code, 'id="f-startsAt-error"' in html_of(wrong)) == (422, True)
    assert 'value="Lunch"' in html_of(wrong)
    asked = {"startsAt": "2090-01-02T09:30", "attendees": "ANN@example.org; bob@example.org"}
    assert "Meeting created" in toast_of(client, client.post(path, {**meeting, **asked}))
    assert set(MeetingAttendee.objects.values_list("email", "contact_id")) == {
        ("ann@example.org", contact.pk),
        ("bob@example.org", None),
    }
    assert client.post(path, {"do": "note", "notes": " "}).status_code == 422
    deliver()
    told = text_of(client.get(path))
    assert all(
        words in told for words in ("Call received: busy, 2 min", "Meeting scheduled: Lunch · 2 Jan 2090, 09:30")
    )
    at_once = {"contact": contact, "kind": "note", "happened_at": contact.created_at + timedelta(seconds=9)}
    LeadActivity.objects.bulk_create([LeadActivity(notes=EVIL, **at_once) for _ in range(35)])
    first = html_of(client.get(path))
    assert "<script>alert" not in first
    link = re.search(r'<li hx-get="([^"]+)"', first)[1].replace("&amp;", "&")
    assert "Contact created" in text_of(client.get(link))
    viewer = enter(scope.narrow)
    for body in (called, {"do": "note", "notes": "x"}, {**meeting, "startsAt": "2090-01-02T09:30"}):
        assert 'class="toast bad"' in toast_of(viewer, viewer.post(path, body))
    assert re.findall(r'name="do" value="(\w+)">Add', html_of(viewer.get(path))) == ["comment"]
    assert CallLog.objects.count() == Meeting.objects.count() == 1


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
    progress = html_of(client.get(watch, headers={"HX-Request": "true"}))
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
    page = html_of(client.get(at(scope.narrow, "contacts")))
    detail = html_of(client.get(at(scope.narrow, f"contacts/{contact.pk}")))
    for shown in (page, detail):
        assert "Ann Lee" in shown
        assert not re.findall(r'value="(delete|note|save)"|\?edit|contacts/new|type="checkbox"', shown)
    for body in ({"do": "delete", "ids": contact.pk}, {"do": "delete", "all": "1"}):
        assert 'class="toast bad"' in toast_of(client, client.post(at(scope.narrow, "contacts"), body))
    for action in ("delete", "note"):
        sent = client.post(at(scope.narrow, f"contacts/{contact.pk}"), {"do": action, "notes": "x"})
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
        page = html_of(client.get(at(scope.owner, path)))
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
    assert (refused.status_code, "You don't have access to this page" in text_of(refused)) == (403, True)
    assert "/contacts" not in html_of(client.get(at(cast.narrow)))


def test_the_country_code_of_a_new_contact_is_that_of_the_company(scope: Cast, client: Any) -> None:
    for country, code in (("DE", "+49"), ("", "")):
        scope.company.country = country
        scope.company.save(update_fields=["country"])
        for place in ("contacts/new", "leads/new"):
            assert f'name="countryCode" type="tel" value="{code}"' in re.sub(
                r"\s+", " ", html_of(client.get(at(scope.owner, place)))
            )
    CustomField.objects.filter(unique_field_id__in=("countryCode", "number")).update(required=False)
    typed = {"name": "Ann", "email": "ann@example.org", "countryCode": "+49"}
    assert client.post(at(scope.owner, "contacts/new"), {**typed, "number": ""}).status_code == 303
    assert Contact.objects.get(email="ann@example.org").contact_number in (None, "")
    other = {**typed, "email": "bob@example.org", "number": "+44 7400 123456"}
    assert client.post(at(scope.owner, "contacts/new"), other).status_code == 303
    assert Contact.objects.get(email="bob@example.org").contact_number == "+447400123456"


def test_a_page_beyond_the_plan_leads_to_the_plans(db: None) -> None:
    cast = make_cast({"campaign": {"GET": True}})
    override_subscription(company_id=cast.company.pk, modules=["contact", "plan"], limits={})
    for member, sees_plans in ((cast.owner, True), (cast.narrow, False)):
        refused = enter(member).get(at(member, "campaigns"))
        page = text_of(refused).partition("Your plan doesn't include this page")[2]
        assert (refused.status_code, "See the plans" in page) == (403, sees_plans)
        assert ("Ask an owner" in page) is not sees_plans
