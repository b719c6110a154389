"""Own forms: built by the API, filled in by visitors, made into leads."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine
from django.test import Client

from accounts.models import Company
from core.events.models import Event
from crm.models import Contact, Lead
from outreach.models import FormLead
from outreach.site.forms.styles import ink_on
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.outreach.helpers import work

ANSWERS = {"name": "Ann Ash", "email": "ann@example.org", "phone": "0151 12345678", "agree": "yes", "size": "L"}


def _open(form: dict[str, Any], query: str = "") -> tuple[str, dict[str, str]]:
    path = urlsplit(form["url"]).path
    shown = Client().get(path + query)
    assert shown.status_code == 200
    hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', shown.content.decode())
    return path, dict(hidden)


def _send(form: dict[str, Any], given: dict[str, Any], query: str = "", **headers: Any) -> Any:
    path, hidden = _open(form, query)
    return Client().post(path, {**hidden, **given}, **headers)


@pytest.mark.usefixtures("quick")
def test_what_a_visitor_sends_becomes_a_lead(cast: Cast, outsiders: Cast, form: dict[str, Any]) -> None:
    path, hidden = _open(form, "?utm_source=paper&size=S")
    given = {**hidden, **ANSWERS, "beans": ["Arabica", "Robusta"], "team": "4,5"}
    for _ in range(2):  # sent twice, as by a double click
        sent = Client().post(path, given)
        assert (sent.status_code, sent["Location"]) == (303, f"{path}?sent=1")
    assert "Thank you" in Client().get(sent["Location"]).content.decode()
    work("form-leads")
    [row] = cast.key.get("/form/lead", formId=form["_id"]).data
    assert (row["status"], row["error"], row["origin"]["utm_source"]) == ("imported", "", "paper")
    assert (row["answers"]["team"], row["answers"]["from"]) == ("4.5", "fair")
    assert [(one["key"], one["text"]) for one in row["consents"]] == [("agree", "Write to me.")]
    lead = cast.key.get(f"/lead/{row['lead']['_id']}").data
    assert (lead["contact"]["email"], lead["contact"]["contactNumber"]) == ("ann@example.org", "+4915112345678")
    assert (lead["notes"], [tag["name"] for tag in lead["tags"]]) == ("Arabica; Robusta", ["Fair"])
    with cast.scope():
        assert Contact.objects.get().custom == {"size": "L"}
        told = Event.objects.get(kind="form.submitted")
        assert (told.object_id, told.payload["lead"]) == (row["_id"], row["lead"]["_id"])
    for place in (f"/form/{form['_id']}", f"/form/lead/{row['_id']}"):
        assert outsiders.key.get(place).status == 400
    assert outsiders.key.get("/form/lead").data == outsiders.key.get("/form").data == []
    assert outsiders.key.put(f"/form/{form['_id']}", {"name": "Theirs"}).body["message"] == "Form not found."


@pytest.mark.usefixtures("quick")
def test_a_known_contact_keeps_what_it_has_or_takes_all(cast: Cast, form: dict[str, Any]) -> None:
    with cast.scope():
        known = ContactFactory(email="ann@example.org", name="Ann", custom={"size": "S"})
    _send(form, ANSWERS)
    work("form-leads")
    with cast.scope():
        known.refresh_from_db()
        assert (known.name, known.custom["size"], Lead.objects.filter(contact=known).count()) == ("Ann", "S", 1)
    assert cast.key.put(f"/form/{form['_id']}", {"duplicates": "update"}).status == 200
    _send(form, ANSWERS)
    work("form-leads")
    with cast.scope():
        known.refresh_from_db()
        assert (known.name, known.custom["size"], Lead.objects.filter(contact=known).count()) == ("Ann Ash", "L", 1)


@pytest.mark.usefixtures("limits")
def test_programs_are_kept_out_and_people_are_told(cast: Cast, form: dict[str, Any]) -> None:
    path, hidden = _open(form)
    trapped = Client().post(path, {**hidden, **ANSWERS, "website_address": "https://spam.example"})
    assert trapped.status_code == 303
    fast = Client().post(path, {**hidden, **ANSWERS})
    assert (fast.status_code, "Check your answers" in fast.content.decode()) == (422, True)
    evil = '"><script>alert(1)</script>'
    wrong = Client().post(path, {**hidden, "name": evil, "email": "x", "size": "XL", "page": "forged"})
    assert wrong.status_code == 422
    assert evil not in wrong.content.decode()
    strange = Client().post(path, {**hidden, **ANSWERS}, HTTP_ORIGIN="https://evil.example")
    assert strange.status_code == 403
    for _ in range(2):
        assert Client().post(path, {**hidden, **ANSWERS}).status_code == 422
    assert Client().post(path, {**hidden, **ANSWERS}).status_code == 429
    for gone in ("/f/" + "x" * 32, "/f/..%2f", path + "0"):
        assert Client().get(gone).status_code == 404
    cast.key.post(f"/form/{form['_id']}/pause")
    assert Client().get(path).status_code == 404
    with cast.scope():
        assert FormLead.objects.count() == 0


def test_an_app_that_is_none_is_refused_whatever_the_source(cast: Cast) -> None:
    draft = cast.key.post("/form", {"name": "Draft"}).data["_id"]
    for answer in (
        cast.key.post("/form", {"name": "Ad", "app": "0" * 24}),
        cast.key.put(f"/form/{draft}", {"app": "0" * 24}),
        cast.key.post("/form", {"name": "Ad", "source": "social-a", "app": "0" * 24}),
    ):
        assert (answer.status, answer.body.get("warning")) == (400, "app: there is no such social app in this company")
    assert cast.key.put(f"/form/{draft}", {"app": None}).status == 200


def test_scripts_of_allowed_sites_read_and_send(cast: Cast, form: dict[str, Any]) -> None:
    site, place = "https://shop.example", f"/api/public/form/{urlsplit(form['url']).path[3:]}"
    body: dict[str, Any] = {"data": {"answers": {**ANSWERS, "email": "none"}}, "content_type": "application/json"}
    assert Client().options(place, headers={"Origin": site}).status_code == 403
    stranger = Client().get(place, headers={"Origin": site})
    assert (stranger.status_code, stranger["Vary"], "Access-Control-Allow-Origin" in stranger) == (
        200,
        "Origin, Accept-Encoding",
        False,
    )
    assert cast.key.put(f"/form/{form['_id']}", {"allowedOrigins": [site]}).status == 200
    preflight = Client().options(place, headers={"Origin": site})
    told = (preflight["Access-Control-Allow-Methods"], preflight["Access-Control-Allow-Headers"])
    assert (preflight.status_code, *told) == (204, "GET, POST", "Content-Type")
    wrong = Client().post(place, headers={"Origin": site}, **body)
    body["data"]["answers"] = ANSWERS
    sent = Client().post(place, headers={"Origin": site}, **body)
    assert (wrong.status_code, sent.status_code) == (400, 201)
    for answer in (preflight, wrong, sent, Client().get(place, headers={"Origin": site})):
        assert (answer["Access-Control-Allow-Origin"], answer["Vary"].split(", ")[0]) == (site, "Origin")
    for path, origin in ((place, "https://evil.example"), (place, "null"), (place + "x", site)):
        assert Client().options(path, headers={"Origin": origin}).status_code == 403


def test_programs_send_by_the_api(cast: Cast, form: dict[str, Any]) -> None:
    place = f"/api/public/form/{urlsplit(form['url']).path[3:]}"
    client = Client()

    def send(**body: Any) -> Any:
        return client.post(place, body, content_type="application/json")

    shown = client.get(place).json()["data"]
    assert [one["key"] for one in shown["fields"]] == ["name", "email", "phone", "beans", "size", "team", "agree"]
    for _ in range(2):  # counted once
        sent = send(answers={**ANSWERS, "beans": ["Robusta"]}, page=shown["page"])
        assert sent.status_code == 201, sent.content
    refused = send(answers={**ANSWERS, "email": 5, "size": ["S"]})
    assert (refused.status_code, "answers.email" in refused.json()["warning"]) == (400, True)
    assert "answers.other" in send(answers={**ANSWERS, "other": 1}).json()["warning"]
    foreign = client.post(place, {"answers": ANSWERS}, content_type="application/json", HTTP_ORIGIN="https://x.example")
    assert foreign.status_code == 403
    work("form-leads")
    with cast.scope():
        assert Lead.objects.get().notes == "Robusta"
    other = {**ANSWERS, "email": "bo@example.org", "phone": "+4915198765432"}
    assert send(answers=other, page=shown["page"]).status_code == 201  # somebody else's
    work("form-leads")
    with cast.scope():
        assert Lead.objects.count() == 2


def test_forms_refuse_what_they_cannot_be(cast: Cast, form: dict[str, Any]) -> None:
    def refused(body: dict[str, Any]) -> tuple[int, str, str]:
        answer = cast.key.put(f"/form/{form['_id']}", body)
        return answer.status, answer.body["message"], answer.body["warning"]

    assert cast.key.post("/form", {"name": "fair"}).body["message"] == "A form with this name already exists."
    for mapping in ({"name": "nothing"}, {"other": "name"}, {"name": "email", "email": "email"}, {"agree": "name"}):
        assert refused({"mapping": mapping})[:2] == (400, "The columns or fields are not matched correctly.")
    assert refused({"mapping": {"name": "name"}})[:2] == (
        400,
        "The columns or fields are not matched correctly.",
    )  # nobody could be told apart
    assert (
        refused({"mapping": {"email": "email"}})[1] == "The columns or fields are not matched correctly."
    )  # numbers must be filled, too
    assert refused({"fields": []})[1] == "Add at least one field to the form."
    assert "fields.0.key" in refused({"fields": [{"key": "a b", "label": "x"}]})[2]
    assert "fields.0.options" in refused({"fields": [{"key": "a", "label": "x", "type": "select"}]})[2]
    assert "redirectUrl" in refused({"redirectUrl": "https://evil.example/x"})[2]
    assert "allowedOrigins" in refused({"allowedOrigins": ["https://a.example; script-src *"]})[2]
    assert "colour" in refused({"colour": "red"})[2]
    assert refused({"tags": ["0" * 24]})[1] == "Tag not found."
    assert cast.key.delete("/form", {"ids": []}).body["message"] == "Select at least one form."
    allowed = {"allowedOrigins": ["https://Shop.example/"], "redirectUrl": "https://shop.example/thanks?x=1"}
    assert cast.key.put(f"/form/{form['_id']}", allowed).data["allowedOrigins"] == ["https://shop.example"]
    page = Client().get(urlsplit(form["url"]).path)
    assert "frame-ancestors 'self' https://shop.example" in page["Content-Security-Policy"]
    assert cast.narrow_session.get("/form").status == 403


def test_ink_can_be_read_on_every_colour() -> None:
    assert [ink_on(colour) for colour in ("#ffffff", "#000000", "#2f5bea", "#ffee00")] == [
        "#000000",
        "#ffffff",
        "#ffffff",
        "#000000",
    ]


def test_a_quick_second_try_is_taken(cast: Cast, form: dict[str, Any]) -> None:
    with time_machine.travel("2027-03-01T06:00:00Z", tick=False) as clock:
        path, hidden = _open(form)
        clock.shift(3)
        wrong = Client().post(path, {**hidden, **ANSWERS, "email": "x"})
        assert wrong.status_code == 422
        shown = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', wrong.content.decode()))
        assert Client().post(path, {**shown, **ANSWERS}).status_code == 303
    with cast.scope():
        assert FormLead.objects.count() == 1


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("duplicates", ["create", "update"])
def test_the_number_of_somebody_else_gives_them_no_lead(cast: Cast, form: dict[str, Any], duplicates: str) -> None:
    """The visitor becomes a contact without the number, which stays in the answers and in the notes of the lead."""
    cast.key.put(f"/form/{form['_id']}", {"duplicates": duplicates})
    rita = {"name": "Rita Sohn", "email": "rita@example.org", "countryCode": "+49", "number": "15112345678"}
    holder = cast.key.post("/contact", {"formData": rita}).data["_id"]
    sent = _send(form, {**ANSWERS, "beans": ["Arabica"]})
    assert (sent.status_code, "rita" in sent.content.decode().lower()) == (303, False)
    work("form-leads")
    [row] = cast.key.get("/form/lead", formId=form["_id"]).data
    problem = f"number: +4915112345678 belongs to the contact {holder} already; its address is not that of Ann Ash"
    assert (row["status"], row["error"]) == ("imported", f"{problem} (ann@example.org)")
    assert row["answers"]["phone"] == "+4915112345678"
    lead = cast.key.get(f"/lead/{row['lead']['_id']}").data
    assert (lead["contact"]["name"], lead["contact"]["email"]) == ("Ann Ash", "ann@example.org")
    assert lead["notes"] == "Arabica\nNumber given: +4915112345678. Another contact has it."
    with cast.scope():
        assert Contact.objects.get(pk=lead["contact"]["_id"]).contact_number is None
        kept = Contact.objects.get(pk=holder)
        assert (kept.name, kept.email, kept.contact_number) == ("Rita Sohn", "rita@example.org", "+4915112345678")


@pytest.mark.usefixtures("quick")
def test_a_known_visitor_with_the_number_of_somebody_else(cast: Cast, form: dict[str, Any]) -> None:
    """The lead goes to the contact with the visitor's address, who keeps the number that it has."""
    rita = {"name": "Rita", "email": "rita@example.org", "countryCode": "+49", "number": "15112345678"}
    ann = {"name": "Ann", "email": "ANN@example.org", "countryCode": "+49", "number": "15187654321"}
    cast.key.post("/contact", {"formData": rita})
    known = cast.key.post("/contact", {"formData": ann}).data["_id"]
    _send(form, ANSWERS)
    work("form-leads")
    [row] = cast.key.get("/form/lead", formId=form["_id"]).data
    lead = cast.key.get(f"/lead/{row['lead']['_id']}").data
    assert (lead["contact"]["_id"], lead["contact"]["contactNumber"]) == (known, "+4915187654321")


@pytest.mark.usefixtures("quick")
def test_numbers_without_dial_prefix_are_those_of_the_companys_country(cast: Cast, form: dict[str, Any]) -> None:
    cast.key.put(f"/form/{form['_id']}", {"countryCode": ""})
    refused = _send(form, {**ANSWERS, "phone": "0664 1234567"})
    assert (refused.status_code, "Enter a value such as" in refused.content.decode()) == (422, True)
    with cast.scope():
        Company.objects.filter(pk=cast.company.pk).update(country="AT")
    assert _send(form, {**ANSWERS, "phone": "0664 1234567"}).status_code == 303
    work("form-leads")
    with cast.scope():
        assert Contact.objects.get().contact_number == "+436641234567"
