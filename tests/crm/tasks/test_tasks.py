"""/task: tasks about a contact, a lead, an organization or nothing."""

from __future__ import annotations

from typing import Any

import pytest
import time_machine

from core.events import deliver
from core.models import Event
from crm.models import FollowUp
from tests.crm.leads.helpers import member
from tests.crm.tasks.helpers import DUE, MISSING, PATH, events, new, put
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory, OrganizationFactory


@pytest.fixture
def records(cast: Cast) -> dict[str, str]:
    """Return kind -> the id of a record."""
    with cast.scope():
        lead = LeadFactory(contact__name="Ann Lee")
        contact = ContactFactory(name="", email="bob@example.org")
        organization = OrganizationFactory(name="Acme")
        return {"lead": lead.pk, "contact": contact.pk, "organization": organization.pk}


def test_create_and_read(cast: Cast) -> None:
    made = new(cast, title="  Send\r\nit ", notes="soon", type="email", priority="high", remindMinutes=30)
    person = {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    assert made == {
        "_id": made["_id"],
        "title": "Send it",
        "notes": "soon",
        "type": "email",
        "priority": "high",
        "dueAt": "2090-03-09T13:30:00.000Z",
        "status": "open",
        "overdue": False,
        "doneAt": None,
        "record": None,
        "assignee": person,
        "recurrence": None,
        "remindMinutes": 30,
        "remindedAt": None,
        "createdBy": person,
        "updatedBy": person,
        "createdAt": made["createdAt"],
        "updatedAt": made["updatedAt"],
    }
    assert cast.key.get(f"{PATH}/{made['_id']}").data == made
    payload = {"title": "Send it", "dueAt": "2090-03-09T13:30:00.000Z", "assignee": cast.owner.pk}
    assert events(cast) == [("task.created", payload)]


@pytest.mark.parametrize(
    ("kind", "name"), [("lead", "Ann Lee"), ("contact", "bob@example.org"), ("organization", "Acme")]
)
def test_about_a_record(cast: Cast, records: dict[str, str], kind: str, name: str) -> None:
    made = new(cast, kind, records[kind])
    assert made["record"] == {"kind": kind, "id": records[kind], "name": name}
    other = new(cast)["_id"]
    assert [row["_id"] for row in cast.key.get(PATH, filters={kind: records[kind]}).data] == [made["_id"]]
    assert put(cast, made["_id"], record=None)["record"] is None
    assert put(cast, other, record={"kind": kind, "id": records[kind]})["record"]["name"] == name
    assert events(cast)[-1][1]["changes"] == {kind: {"from": None, "to": records[kind]}}
    assert cast.key.delete(f"/{kind}", {"ids": [records[kind]]}).status == 200
    assert [row["_id"] for row in cast.key.get(PATH).data] == [made["_id"]], "without that of the deleted record"
    assert cast.key.get(f"{PATH}/{other}").status == 404
    assert cast.key.put(f"{PATH}/{other}", {"title": "x"}).body["message"] == "Task not found."


def test_records_that_the_company_lacks(cast: Cast, outsiders: Cast, records: dict[str, str]) -> None:
    with outsiders.scope():
        foreign = {
            "lead": LeadFactory().pk,
            "contact": ContactFactory().pk,
            "organization": OrganizationFactory().pk,
        }
    made = new(cast)["_id"]
    for kind, id in foreign.items():
        for answer in (
            cast.key.post(PATH, {"title": "x", "dueAt": DUE, "record": {"kind": kind, "id": id}}),
            cast.key.put(f"{PATH}/{made}", {"record": {"kind": kind, "id": id}}),
            cast.key.put(PATH, {"ids": [made], "record": {"kind": kind, "id": id}}),
        ):
            assert (answer.status, answer.body["errors"][0]["field"]) == (400, "record")
            assert answer.body["message"] == f"{kind.capitalize()} not found."
    for record in ({"kind": "shade", "id": MISSING}, {"kind": "lead"}, {"kind": "lead", "id": "x"}, "lead", []):
        assert cast.key.post(PATH, {"title": "x", "dueAt": DUE, "record": record}).status == 400, record
    for body in ({"type": "shade"}, {"priority": 1}, {"recurrence": "hourly"}, {"title": " "}, {"dueAt": "soon"}):
        assert cast.key.post(PATH, {"title": "x", "dueAt": DUE, **body}).status == 400, body


def test_tasks_of_leads_are_follow_ups_too(cast: Cast, records: dict[str, str]) -> None:
    made = new(cast, "lead", records["lead"])
    new(cast, "contact", records["contact"])
    follow_ups = "/lead-activity/follow-up"
    assert [row["_id"] for row in cast.key.get(follow_ups).data] == [made["_id"]]
    assert cast.key.call("PATCH", f"{follow_ups}/{made['_id']}", {"status": "done"}).status == 200
    assert cast.key.get(f"{PATH}/{made['_id']}").data["status"] == "done"
    with cast.scope():
        told = list(
            Event.objects.filter(object_id=made["_id"]).order_by("object_sequence").values_list("kind", flat=True)
        )
    assert told == ["task.created", "follow-up.created", "task.completed", "follow-up.completed"]


def test_events_of_a_task_are_numbered(cast: Cast, records: dict[str, str]) -> None:
    for kind in ("", *records):
        made = new(cast, kind, records.get(kind, ""))
        put(cast, made["_id"], notes="more")
        put(cast, made["_id"], status="done")
        with cast.scope():
            numbers = list(
                Event.objects.filter(object_id=made["_id"]).order_by("id").values_list("object_sequence", flat=True)
            )
        assert sorted(numbers) == list(range(1, len(numbers) + 1)), kind


def test_the_default_assignee_is_the_owner_of_the_record(cast: Cast) -> None:
    with cast.scope():
        seller = member(name="Sella")
        lead, organization = LeadFactory(team_member=seller), OrganizationFactory(owner=seller)
    for kind, id in (("lead", lead.pk), ("organization", organization.pk)):
        assert new(cast, kind, id)["assignee"]["_id"] == seller.pk
        assert new(cast, kind, id, assignee=None)["assignee"] is None
        assert new(cast, kind, id, assignee=cast.narrow.pk)["assignee"]["_id"] == cast.narrow.pk


def test_overdue_today_and_mine(cast: Cast) -> None:
    assert cast.key.put("/settings", {"timezone": "Asia/Tokyo"}).status == 200
    with time_machine.travel("2090-03-09T10:00:00Z", tick=False):
        new(cast, title="Late", dueAt="2090-03-09T09:00:00Z")
        new(cast, title="Soon", dueAt="2090-03-09T14:00:00Z", assignee=cast.narrow.pk)
        new(cast, title="Tomorrow", dueAt="2090-03-09T15:30:00Z", assignee=None)
        new(cast, title="Done", dueAt="2090-03-09T14:00:00Z", status="done")

        def titles(**query: Any) -> list[str]:
            answer = cast.key.get(PATH, sortBy="dueAt", sortOrder="asc", **query)
            assert answer.status == 200, answer.body
            return [row["title"] for row in answer.data]

        assert titles(filters={"overdue": True}) == ["Late"]
        assert titles(filters={"today": True}) == ["Late", "Soon"]
        assert titles(filters={"today": False, "status": "open"}) == ["Tomorrow"]
        assert sorted(titles(mine="true")) == ["Done", "Late"]
        assert titles(filters={"priority": "high"}) == []
        assert titles(searchValue="tomorr") == ["Tomorrow"]
        assert cast.key.get(PATH, mine="perhaps").status == 400


def test_many_at_once(cast: Cast, records: dict[str, str]) -> None:
    first, second = new(cast, "lead", records["lead"])["_id"], new(cast)["_id"]
    new(cast, title="Other")
    answer = cast.key.put(PATH, {"ids": [first, second], "priority": "high", "assignee": None})
    assert (answer.status, answer.data) == (200, {"matchedCount": 2, "updatedCount": 2})
    again = cast.key.put(PATH, {"ids": [first, second], "priority": "high"})
    assert again.data == {"matchedCount": 2, "updatedCount": 0}
    answer = cast.key.put(f'{PATH}?filters={{"priority":"high"}}', {"selectAll": True, "status": "done"})
    assert answer.data == {"matchedCount": 2, "updatedCount": 2}
    with cast.scope():
        completed = Event.objects.filter(kind="task.completed")
        assert set(completed.values_list("object_id", flat=True)) == {first, second}
        assert Event.objects.filter(kind="follow-up.completed").count() == 1
    assert cast.key.delete(PATH, {"ids": [second]}).data == {"deletedCount": 1}
    assert cast.key.delete(PATH, {"ids": [second]}).body["message"] == "Task not found."
    assert cast.key.put(PATH, {"ids": [MISSING], "priority": "low"}).status == 404
    assert cast.key.put(PATH, {"ids": [first], "assignee": MISSING}).status == 404
    assert cast.key.delete(PATH, {"selectAll": True}).data == {"deletedCount": 2}
    assert cast.key.get(PATH).data == []


def test_another_companys_looks_missing(cast: Cast, outsiders: Cast) -> None:
    foreign = new(outsiders)["_id"]
    for method, path, body in (
        ("GET", f"{PATH}/{foreign}", None),
        ("PUT", f"{PATH}/{foreign}", {"title": "Mine"}),
        ("DELETE", f"{PATH}/{foreign}", None),
        ("PUT", PATH, {"ids": [foreign], "title": "Mine"}),
        ("DELETE", PATH, {"ids": [foreign]}),
    ):
        assert cast.key.call(method, path, body).status == 404, (method, path)
    assert cast.key.get(PATH).data == []
    with outsiders.scope():
        assert FollowUp.objects.get(pk=foreign).title == "Send the offer"


def test_the_permission_module_decides_on_the_session_path(db: None) -> None:
    every = dict.fromkeys(("GET", "POST", "PUT", "DELETE"), True)
    for made, statuses in ((make_cast({"lead-activity": every}), (200, 201, 200, 200)), (make_cast({}), (403,) * 4)):
        id = new(made)["_id"]
        calls = [
            ("GET", PATH, None),
            ("POST", PATH, {"title": "x", "dueAt": DUE}),
            ("PUT", f"{PATH}/{id}", {"status": "done"}),
            ("DELETE", f"{PATH}/{id}", None),
        ]
        assert tuple(made.narrow_session.call(*call).status for call in calls) == statuses


def test_the_timeline_of_the_record_tells_of_it(cast: Cast, records: dict[str, str]) -> None:
    for kind in ("contact", "organization"):
        made = new(cast, kind, records[kind])
        put(cast, made["_id"], status="done")
    deliver()
    for kind in ("contact", "organization"):
        titles = [entry["title"] for entry in cast.key.get(f"/{kind}/{records[kind]}/timeline").data]
        assert [title for title in titles if "ask" in title] == [
            "Task completed: Send the offer",
            "Task created: Send the offer",
        ]


def test_a_merge_moves_tasks(cast: Cast) -> None:
    with cast.scope():
        winner, loser = ContactFactory().pk, ContactFactory().pk
    made = new(cast, "contact", loser)["_id"]
    assert cast.key.post("/contact/merge", {"ids": [winner, loser], "winner": winner}).status == 200
    assert cast.key.get(f"{PATH}/{made}").data["record"]["id"] == winner


def test_erasure_deletes_the_tasks_of_the_contact(cast: Cast, records: dict[str, str]) -> None:
    made = new(cast, "contact", records["contact"])["_id"]
    answer = cast.key.post(f"/contact/{records['contact']}/erase", {"confirm": "bob@example.org"})
    assert answer.status < 300, answer.body
    with cast.scope():
        assert not FollowUp.objects.filter(pk=made).exists()
