"""Bodies that repeat parts of an answer: values at the top and in formData, nested records, changes of many."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db.models import Model
from django.utils import timezone

from core.api.output import Output
from crm.contacts.serializers import ContactOut
from crm.leads.serializers import LeadOut
from crm.models import Import
from crm.products.serializers import ProductOut
from outreach.models import AiApp, Form
from tests.contracts.test_written_back import other
from tests.crm.imports.helpers import csv_of, make, people
from tests.guards.routes import operations
from tests.kit.cast import Cast

pytestmark = pytest.mark.django_db

LINK = "https://meet.example.org/{random}"
PERSON = {"name": "Ann", "email": "ann@example.com", "countryCode": "+49", "number": "15112345678"}


@pytest.mark.parametrize(
    ("path", "form", "output"),
    [("/contact", PERSON, ContactOut), ("/lead", PERSON, LeadOut), ("/product-service", {"name": "Tea"}, ProductOut)],
)
def test_a_change_of_many_takes_no_value_that_cannot_be_written(
    cast: Cast, path: str, form: dict[str, Any], output: type[Output]
) -> None:
    made = cast.key.post(path, {"formData": form}).data
    operation = next(one for one in operations("api/key/") if f"{one}" == f"PUT api/key/protected{path}")
    names = [name for name in output._declared_fields if name not in operation.endpoint.input().fields]
    assert {"createdAt", "isDeleted"} <= {*names}
    for caller in (cast.key, cast.session):
        for name in names:
            answer = caller.put(path, {"ids": [made["_id"]], name: other(made[name])})
            assert (answer.status, [one["field"] for one in answer.body["errors"]]) == (400, [name])
    assert cast.key.get(f"{path}/{made['_id']}").data == made


@pytest.fixture
def contact(cast: Cast) -> dict[str, Any]:
    return dict(cast.key.post("/contact", {"formData": PERSON}).data)


def test_system_values_are_taken_at_the_top_and_references_in_form_data(cast: Cast, contact: dict[str, Any]) -> None:
    tag, category = (cast.key.post(path, {"name": "Hot"}).data["_id"] for path in ("/tag", "/contact-category"))
    address = f"/contact/{contact['_id']}"
    changed = cast.key.put(address, {"name": "Bea", "formData": {"tags": [tag], "category": category}})
    assert (changed.status, changed.data["name"]) == (200, "Bea")
    assert ([one["_id"] for one in changed.data["tags"]], changed.data["category"]["_id"]) == ([tag], category)
    lead = cast.key.post("/lead", {"contact": contact, "value": 3, "status": "won", "notes": "n"}).data
    assert (lead["value"], lead["status"], lead["notes"], lead["contact"]["_id"]) == (3, "won", "n", contact["_id"])
    team = cast.key.post("/team", {"name": "Sales"}).data
    form = {"team": team["_id"], "teamMember": {"_id": cast.owner.pk}, "tags": [tag], "productServices": [], "value": 4}
    answer = cast.key.put(f"/lead/{lead['_id']}", {"formData": form})
    assert (answer.status, answer.data["value"], answer.data["team"]["_id"]) == (200, 4, team["_id"])
    assert (answer.data["teamMember"]["_id"], len(answer.data["tags"])) == (cast.owner.pk, 1)
    assert cast.key.put("/lead", {"ids": [lead["_id"]], "status": "lost"}).data["updatedCount"] == 1
    assert cast.key.put("/lead", {"ids": [lead["_id"]], "formData": {"tags": []}}).data["updatedCount"] == 1
    product = cast.key.post("/product-service", {"name": "Tea", "price": 2})
    assert (product.status, product.data["name"], product.data["price"]) == (201, "Tea", 2)


def test_the_changed_one_of_two_values_counts(cast: Cast, contact: dict[str, Any]) -> None:
    address = f"/contact/{contact['_id']}"
    assert cast.key.put(address, {**contact, "name": "Top"}).data["name"] == "Top"
    form = {**contact["formData"], "name": "Form"}
    assert cast.key.put(address, {"name": "Top", "formData": form}).data["name"] == "Form"
    refused = cast.key.put(address, {"name": "One", "formData": {"name": "Two"}})
    assert (refused.status, "name: differs from formData.name" in refused.body["warning"]) == (400, True)
    refused = cast.key.post("/contact", {"name": "One", "formData": {"name": "Two"}})
    assert (refused.status, "name: differs from formData.name" in refused.body["warning"]) == (400, True)


def test_what_is_nested_in_a_reference_is_refused(cast: Cast, contact: dict[str, Any]) -> None:
    lead = cast.key.post("/lead", {"contact": contact["_id"]}).data
    body = {**lead, "contact": {**lead["contact"], "name": "Other"}, "notes": "new"}
    for one in (body, {"contact": body["contact"]}):
        answer = cast.key.put(f"/lead/{lead['_id']}", one)
        assert (answer.status, [error["field"] for error in answer.body["errors"]]) == (400, ["contact.name"])
    assert cast.key.get(f"/lead/{lead['_id']}").data == lead
    team = cast.key.post("/team", {"name": "Sales", "members": [cast.owner.pk]}).data
    body = {**team, "members": [{**team["members"][0], "isAvailable": False}]}
    answer = cast.key.put(f"/team/{team['_id']}", body)
    assert [error["field"] for error in answer.body["errors"]] == ["members.0.isAvailable"]


def test_an_attendee_is_added_to_those_that_get_gave(cast: Cast, contact: dict[str, Any]) -> None:
    asked = [{"contact": contact["_id"]}, {"email": "x@example.com"}]
    meeting = {"title": "Demo", "startsAt": "2090-03-09T14:00:00Z", "durationMinutes": 60, "attendees": asked}
    made = cast.key.post("/meeting", meeting).data
    body = {**made, "attendees": [*made["attendees"], {"email": "y@example.com"}]}
    answer = cast.key.put(f"/meeting/{made['_id']}", body)
    assert answer.status == 200, answer.body
    assert [one["email"] for one in answer.data["attendees"]] == ["ann@example.com", "x@example.com", "y@example.com"]


def test_a_link_that_is_made_anew_in_each_answer_is_not_told(cast: Cast) -> None:
    file = make(cast, csv_of(people(3)))["file"]
    place = f"/file/{file['_id']}"
    before = cast.session.get(place).data
    with time_machine.travel(timezone.now() + timedelta(minutes=5)):
        assert cast.session.get(place).data["url"] != before["url"]
        answer = cast.session.put(place, {**before, "name": "other.csv"})
    assert (answer.status, answer.body.get("warning"), answer.data["name"]) == (200, None, "other.csv")


@pytest.mark.parametrize("host", ["https://evil.example/x", "https://evil.example{path}", "{link}x", None])
def test_another_link_is_refused(cast: Cast, host: str | None) -> None:
    file = make(cast, csv_of(people(3)))["file"]
    place = f"/file/{file['_id']}"
    before = cast.session.get(place).data
    link = before["url"]
    other_link = host and host.format(link=link, path=link.partition("://")[2].partition("/")[1])
    for caller in (cast.session, cast.key):
        answer = caller.put(place, {"url": other_link})
        assert (answer.status, answer.body["name"]) == (400, "ValidationError_400"), answer.body
        assert [error["field"] for error in answer.body["errors"]] == ["url"]


def test_a_record_that_is_not_there_is_told_as_ever(cast: Cast, contact: dict[str, Any]) -> None:
    assert cast.key.delete("/contact", {"ids": [contact["_id"]]}).status == 200
    answer = cast.key.put(f"/contact/{contact['_id']}", contact)
    assert (answer.status, answer.body["message"]) == (400, "Contact not found.")


def test_true_is_not_one(cast: Cast, contact: dict[str, Any]) -> None:
    field = cast.key.post("/custom-field", {"name": "Size", "fieldType": "number"}).data["_id"]
    address = f"/contact/{contact['_id']}"
    stored = cast.key.put(address, {"formData": {field: 1}}).data
    refused = cast.key.put(address, {**stored, "formData": {**stored["formData"], field: True}})
    assert (refused.status, "number" in refused.body["warning"]) == (400, True)


def test_a_meeting_keeps_the_end_that_is_sent_with_a_new_start(cast: Cast) -> None:
    times = {"startsAt": "2090-03-09T10:00:00Z", "endsAt": "2090-03-09T11:00:00Z"}
    made = cast.key.post("/meeting", {"title": "Demo", **times}).data
    body = {"_id": made["_id"], "startsAt": "2090-03-09T10:30:00.000Z", "endsAt": made["endsAt"]}
    moved = cast.key.put(f"/meeting/{made['_id']}", body)
    assert (moved.status, moved.data["startsAt"], moved.data["endsAt"]) == (200, body["startsAt"], made["endsAt"])


@pytest.mark.parametrize(
    ("path", "values", "change"),
    [
        ("/form", {"name": "Visitors"}, {"name": "Guests"}),
        ("/campaign", {"name": "Spring"}, {"name": "Autumn"}),
        ("/contact", {"formData": PERSON}, {"name": "Bea"}),
    ],
)
def test_an_outdated_answer_does_not_undo_the_change_of_another(
    cast: Cast, path: str, values: dict[str, Any], change: dict[str, Any]
) -> None:
    made = cast.key.post(path, values)
    assert made.status in (200, 201), made.body
    place = f"{path}/{made.data['_id']}"
    before = cast.key.get(place).data
    assert cast.session.put(place, change).status == 200
    now = cast.key.get(place).data
    answer = cast.key.put(place, before)
    assert answer.status == 400, answer.body
    assert "updatedAt" in [error["field"] for error in answer.body["errors"]]
    assert cast.key.get(place).data == now


def advance(cast: Cast, model: type[Model], id: str, **values: Any) -> None:
    """Change values of a record as background work does."""
    with cast.scope():
        assert model._default_manager.filter(pk=id).update(updated_at=timezone.now(), **values) == 1


@pytest.mark.parametrize("stale", ["session", "key"])
def test_background_work_in_between_does_not_let_a_change_of_another_be_undone(cast: Cast, stale: str) -> None:
    first, second = (cast.session, cast.key) if stale == "session" else (cast.key, cast.session)
    form = first.post("/form", {"name": "Visitors"}).data
    app = first.post("/apps/ai-a", {"name": "Model", "apiKey": "key"}).data
    for path, model, change, work, own in (
        (f"/form/{form['_id']}", Form, {"text": "Theirs"}, {"last_lead_at": timezone.now()}, {"title": "Mine"}),
        (f"/apps/ai-a/{app['_id']}", AiApp, {"name": "Theirs"}, {"last_error": "down"}, {"isActive": False}),
    ):
        before = first.get(path).data
        assert second.put(path, change).status == 200
        advance(cast, model, before["_id"], **work)
        now = first.get(path).data
        answer = first.put(path, before | own)
        assert (answer.status, answer.body["name"]) == (400, "ValidationError_400"), answer.body
        assert [error["field"] for error in answer.body["errors"]] == ["updatedAt"]
        assert first.get(path).data == now
        # Without updatedAt the caller overwrites on purpose.
        del before["updatedAt"]
        overwritten = first.put(path, before | own)
        assert overwritten.status == 200, overwritten.body
        for name, value in own.items():
            assert overwritten.data[name] == value
        for name in change:
            assert overwritten.data[name] == before[name]


def test_running_work_is_stopped_by_an_outdated_answer(cast: Cast) -> None:
    job = make(cast, csv_of(people(3)))
    place = f"/contact/import/{job['_id']}"
    before = cast.key.get(place).data
    advance(cast, Import, job["_id"], processed=1)
    refused = cast.key.put(place, before | {"category": cast.key.post("/contact-category", {"name": "A"}).data["_id"]})
    assert [error["field"] for error in refused.body["errors"]] == ["updatedAt"]
    stopped = cast.key.put(place, before | {"status": "cancelled"})
    assert (stopped.status, stopped.data["status"]) == (200, "cancelled"), stopped.body
    assert "updatedAt" in stopped.body["warning"]


@pytest.mark.parametrize(
    ("path", "key", "values", "mine"),
    [
        ("/ai-usage/caps", "monthlyTokenCap", (5, 6), {"runTokenCap": 7}),
        ("/genie/settings", "windowDays", ([1], [2]), {"approvalDays": 3}),
        ("/my-calendar/hours", "away", ([{"from": "2090-01-01", "to": "2090-01-02"}], []), {"timezone": "Europe/Rome"}),
        ("/videocall/settings", "linkTemplate", (LINK, ""), {"provider": "link-template"}),
        ("/subscription/billing-details", "name", ("A", "B"), {"address": "Main Street 1"}),
    ],
)
def test_settings_are_not_undone_by_an_outdated_answer(
    cast: Cast, path: str, key: str, values: tuple[Any, Any], mine: dict[str, Any]
) -> None:
    for first, second, value in ((cast.session, cast.key, values[0]), (cast.key, cast.session, values[1])):
        answer = first.get(path)
        assert "updatedAt" in answer.data
        assert second.put(path, {key: value}).status == 200
        now = first.get(path).data
        refused = first.put(path, answer.data | mine)
        assert refused.status == 400, refused.body
        assert "updatedAt" in [error["field"] for error in refused.body["errors"]]
        assert first.call("PUT", path, mine, HTTP_IF_MATCH=answer.headers["ETag"]).status == 412
        assert first.get(path).data == now


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/role", {"permission": {}}),
        ("/apps/ai-a", {"apiKey": "key"}),
        ("/apps/ai-offline", {}),
    ],
)
def test_an_outdated_answer_does_not_take_the_default_back(cast: Cast, path: str, body: dict[str, Any]) -> None:
    first, second = (cast.key.post(path, {"name": name, **body}) for name in ("First", "Second"))
    assert (first.status, second.status) == (201, 201), first.body
    place = f"{path}/{first.data['_id']}"
    cast.key.put(place, {"isDefault": True})
    before = cast.key.get(place).data
    assert before["isDefault"] is True
    assert cast.session.put(f"{path}/{second.data['_id']}", {"isDefault": True}).status == 200
    refused = cast.key.put(place, before | {"name": "Third"})
    assert (refused.status, "updatedAt" in [error["field"] for error in refused.body["errors"]]) == (400, True)
    assert cast.key.get(f"{path}/{second.data['_id']}").data["isDefault"] is True


def test_outdated_settings_do_not_take_the_time_zone_back(cast: Cast) -> None:
    before = cast.key.get("/settings").data
    assert cast.session.put("/company", {"timezone": "Asia/Tokyo"}).status == 200
    refused = cast.key.put("/settings", before | {"appName": "Mine"})
    assert [error["field"] for error in refused.body["errors"]] == ["updatedAt"]
    assert cast.key.get("/settings").data["timezone"] == "Asia/Tokyo"


@pytest.mark.parametrize(
    "form", ["{0}+00:00", "{0}000+00:00", "{0}000Z", "{1}+02:00"], ids=["offset", "microseconds", "micro-Z", "zone"]
)
def test_times_may_come_back_in_another_form(cast: Cast, form: str) -> None:
    tag = cast.key.post("/tag", {"name": "Fair"}).data
    moment = datetime.fromisoformat(tag["updatedAt"])
    here, elsewhere = (
        f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}" for at in (moment, moment + timedelta(hours=2))
    )
    times = {name: form.format(here, elsewhere) for name in ("updatedAt", "createdAt")}
    assert cast.key.put(f"/tag/{tag['_id']}", tag | times | {"name": "Show"}).status == 200
    later = (
        form.format(here, elsewhere).replace(".", "1.", 1) if moment.second < 10 else "2020-01-01T00:00:00.000+00:00"
    )
    assert cast.key.put(f"/tag/{tag['_id']}", tag | {"updatedAt": later, "name": "Other"}).status == 400


def test_errors_name_the_fields_of_the_body(cast: Cast) -> None:
    id = "6" * 24
    for method, path, body, field in (
        ("PUT", "/subscription/billing-details", {"vatId": "zz"}, "country"),
        ("PUT", "/custom-field/modify", {"fields": [{"_id": id, "name": "A"}]}, "fields.0._id"),
    ):
        answer = cast.session.call(method, path, body)
        assert [error["field"] for error in answer.body["errors"]] == [field], answer.body
