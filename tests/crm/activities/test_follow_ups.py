"""/lead-activity/follow-up (contract 4.4)"""

from __future__ import annotations

from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Company, Member
from core.events import deliver
from core.models import Event
from crm.models import FollowUp, Lead
from tests.crm.activities.helpers import DUE, MISSING, PATH, events, mails, new, patch, work
from tests.crm.leads.helpers import member
from tests.kit.cast import SESSION, Caller, Cast, make_cast, session_headers
from tests.kit.factories import LeadFactory


@pytest.fixture
def lead(cast: Cast) -> Lead:
    with cast.scope():
        return LeadFactory(contact__name="Ann Lee", contact__email="ann@example.org")


def test_create_and_read(cast: Cast, lead: Lead) -> None:
    made = new(cast, lead, title="  Call\r\nback ", notes="about\nprices", remindMinutes=30)
    assert made == {
        "_id": made["_id"],
        "lead": {
            "_id": lead.pk,
            "status": "new",
            "contact": {
                "_id": lead.contact_id,
                "name": "Ann Lee",
                "email": "ann@example.org",
                "contactNumber": None,
                "isDeleted": False,
            },
        },
        "title": "Call back",
        "notes": "about\nprices",
        "dueAt": "2090-03-09T13:30:00.000Z",
        "status": "open",
        "overdue": False,
        "doneAt": None,
        "assignee": {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email},
        "remindMinutes": 30,
        "remindedAt": None,
        "createdBy": {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email},
        "updatedBy": {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email},
        "createdAt": made["createdAt"],
        "updatedAt": made["updatedAt"],
    }
    assert cast.key.get(f"{PATH}/{made['_id']}").data == made
    assert events(cast) == [
        (
            "follow-up.created",
            {"lead": lead.pk, "title": "Call back", "dueAt": "2090-03-09T13:30:00.000Z", "assignee": cast.owner.pk},
        )
    ]


def test_whose_it_is_when_nobody_is_named(cast: Cast, lead: Lead) -> None:
    with cast.scope():
        seller, gone = member(name="Sella"), member(Member.Status.REMOVED)
    for responsible, expected in ((None, cast.owner.pk), (seller, seller.pk), (gone, cast.owner.pk)):
        with cast.scope():
            Lead.objects.filter(pk=lead.pk).update(team_member=responsible)
        assert new(cast, lead)["assignee"]["_id"] == expected
    assert new(cast, lead, assignee=None)["assignee"] is None
    assert new(cast, lead, assignee=cast.narrow.pk)["assignee"]["_id"] == cast.narrow.pk


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2090-07-01T09:00", "2090-07-01T07:00:00.000Z"),
        ("2090-07-01T09:00:00Z", "2090-07-01T09:00:00.000Z"),
        ("2090-07-01 09:00:00.987+05:30", "2090-07-01T03:30:00.000Z"),
        ("2026-10-25T02:30", "2026-10-25T00:30:00.000Z"),  # comes twice: the first time
        ("2026-10-25T02:30+01:00", "2026-10-25T01:30:00.000Z"),
        ("2026-03-29T03:00", "2026-03-29T01:00:00.000Z"),
    ],
)
def test_a_time_without_offset_is_the_companys(cast: Cast, lead: Lead, written: str, moment: str) -> None:
    Company.objects.filter(pk=cast.company.pk).update(timezone="Europe/Berlin")
    assert new(cast, lead, dueAt=written)["dueAt"] == moment


def test_what_is_refused(cast: Cast, outsiders: Cast, lead: Lead) -> None:
    Company.objects.filter(pk=cast.company.pk).update(timezone="Europe/Berlin")
    with cast.scope():
        blocked, deleted = member(Member.Status.BLOCKED), LeadFactory(is_deleted=True)
    with outsiders.scope():
        foreign = LeadFactory()
    made = new(cast, lead)
    good = {"lead": lead.pk, "title": "x", "dueAt": DUE}
    refusals: list[tuple[dict[str, Any], int, str]] = [
        ({"lead": MISSING}, 400, "Lead not found."),
        ({"lead": foreign.pk}, 400, "Lead not found."),
        ({"lead": deleted.pk}, 400, "Lead not found."),
        ({"lead": "x"}, 400, "Invalid format for field lead: x"),
        ({"assignee": MISSING}, 404, "Member not found."),
        ({"assignee": outsiders.owner.pk}, 404, "Member not found."),
        ({"assignee": blocked.pk}, 400, "This member has not accepted the invite, or is blocked."),
        ({"title": "\u0007"}, 400, "Some values are missing or wrong."),
        ({"title": ""}, 400, "Validation error: title: This field may not be blank."),
        ({"title": 5}, 400, "Invalid format for field title: 5"),
        ({"title": "x" * 301}, 400, "Validation error: title: enter at most 300 characters"),
        ({"dueAt": "tomorrow"}, 400, "Invalid format for field dueAt: tomorrow"),
        ({"dueAt": "2090-03-09"}, 400, "Invalid format for field dueAt: 2090-03-09"),
        ({"dueAt": "0001-01-01T00:00:00+14:00"}, 400, "Invalid format for field dueAt: 0001-01-01T00:00:00+14:00"),
        ({"dueAt": "9999-12-31T23:59:59-12:00"}, 400, "Invalid format for field dueAt: 9999-12-31T23:59:59-12:00"),
        (
            {"dueAt": "2026-03-29T02:30"},
            400,
            "Invalid format for field dueAt: 2026-03-29T02:30",
        ),  # skipped by the clocks
        ({"dueAt": 5}, 400, "Invalid format for field dueAt: 5"),
        ({"dueAt": None}, 400, "Validation error: dueAt: This field may not be null."),
        (
            {"remindMinutes": -1},
            400,
            "Validation error: remindMinutes: enter a number of at least 0",
        ),
        (
            {"remindMinutes": 40_321},
            400,
            "Validation error: remindMinutes: enter a number of at most 40320",
        ),
        ({"remindMinutes": "5"}, 400, "Invalid format for field remindMinutes: 5"),
        ({"status": "lost"}, 400, "Validation error: status: needs to be one of open, done, cancelled"),
        ({"automation": "maybe"}, 400, "Validation error: automation: needs to be one of run, skip, queue"),
    ]
    for body, status, message in refusals:
        answer = cast.key.post(PATH, {**good, **body})
        assert (answer.status, answer.body["message"].lower()) == (status, message.lower()), (body, answer.body)
        if "lead" not in body:
            changed = patch(cast, made["_id"], notes="changed", **body)
            assert (changed.status, changed.body["message"]) == (status, answer.body["message"]), (body, changed.body)
    for body in (
        {**good, "shade": 1},
        {"title": "x", "dueAt": DUE},
        {"lead": lead.pk, "dueAt": DUE},
        {"lead": lead.pk, "title": "x"},
        [],
    ):
        assert cast.key.post(PATH, body).status == 400
    moved = patch(cast, made["_id"], lead="0" * 24)
    assert (moved.status, moved.body["errors"][0]["field"]) == (400, "lead")
    assert cast.key.get(PATH).data == [made], "nothing of a refused change is kept"


def test_changes_and_their_events(cast: Cast, lead: Lead) -> None:
    with time_machine.travel("2090-01-01T00:00:00Z", tick=False):
        made = new(cast, lead, dueAt="2090-01-01T08:00Z")
        assert patch(cast, made["_id"], title="Call back", dueAt="2090-01-01T09:00+01:00").data == made
    with time_machine.travel("2090-01-02T00:00:00Z", tick=False):
        moved = patch(cast, made["_id"], notes="later", assignee=cast.narrow.pk, automation="skip")
        assert (moved.status, moved.data["notes"], moved.data["assignee"]["_id"]) == (200, "later", cast.narrow.pk)
        assert moved.data["overdue"] is True
        done = patch(cast, made["_id"], status="done", dueAt="2090-02-01T00:00Z").data
        assert (done["status"], done["doneAt"], done["overdue"]) == ("done", "2090-01-02T00:00:00.000Z", False)
        reopened = patch(cast, made["_id"], status="open").data
        assert (reopened["status"], reopened["doneAt"], reopened["overdue"]) == ("open", None, False)
        assert patch(cast, made["_id"], status="cancelled").data["status"] == "cancelled"
    about = {"lead": lead.pk, "title": "Call back"}
    assert events(cast)[1:] == [
        (
            "follow-up.updated",
            {
                **about,
                "from": "open",
                "to": "open",
                "changes": {
                    "notes": {"from": "", "to": "later"},
                    "assignee": {"from": cast.owner.pk, "to": cast.narrow.pk},
                },
            },
        ),
        (
            "follow-up.completed",
            {
                **about,
                "from": "open",
                "to": "done",
                "changes": {
                    "status": {"from": "open", "to": "done"},
                    "dueAt": {"from": "2090-01-01T08:00:00.000Z", "to": "2090-02-01T00:00:00.000Z"},
                },
            },
        ),
        (
            "follow-up.updated",
            {**about, "from": "done", "to": "open", "changes": {"status": {"from": "done", "to": "open"}}},
        ),
        (
            "follow-up.updated",
            {**about, "from": "open", "to": "cancelled", "changes": {"status": {"from": "open", "to": "cancelled"}}},
        ),
    ]
    with cast.scope():
        assert list(
            Event.objects.filter(kind__startswith="follow-up").order_by("id").values_list("automation", flat=True)
        ) == [*(True, False, True, True, True)]


def test_list_search_filter_sort_page(cast: Cast, lead: Lead) -> None:
    with cast.scope():
        other = LeadFactory(contact__name="Bob Ray")
    late = new(cast, lead, title="Late", dueAt="2020-01-01T00:00Z")["_id"]
    done = new(cast, other, title="Done", dueAt="2020-01-02T00:00Z", status="done", assignee=None)["_id"]
    ahead = new(cast, lead, title="Ahead", notes="a quiet one", assignee=cast.narrow.pk)["_id"]

    def titles(**query: Any) -> list[str]:
        answer = cast.key.get(PATH, **query)
        assert answer.status == 200, answer.body
        return [one["title"] for one in answer.data]

    assert titles() == ["Ahead", "Done", "Late"]
    assert titles(sortBy="dueAt", sortOrder="asc") == ["Late", "Done", "Ahead"]
    assert titles(sortBy="status,title", sortOrder="asc,desc") == ["Done", "Late", "Ahead"]
    assert titles(sortBy="title", sortOrder="asc") == ["Ahead", "Done", "Late"]
    assert titles(filters={"overdue": True}) == ["Late"]
    assert titles(filters={"overdue": False}) == ["Ahead", "Done"]
    assert titles(filters={"status": "done"}) == ["Done"]
    assert titles(filters={"lead": lead.pk}) == ["Ahead", "Late"]
    assert titles(filters={"assignee": [cast.narrow.pk, None]}) == ["Ahead", "Done"]
    assert titles(advancedFilters={"field": "dueAt", "operator": "before", "value": "2020-01-02"}) == ["Late"]
    assert titles(searchValue="QUIET") == ["Ahead"]
    assert titles(searchBy="lead.contact.name", searchValue="bob") == ["Done"]
    assert titles(ids=f"{late},{done}", nids=done) == ["Late"]
    page = cast.key.get(PATH, cursorPagination="true", n="2", sortBy="dueAt", sortOrder="asc")
    assert ([one["_id"] for one in page.data], page.body["totalCount"]) == ([late, done], 3)
    assert [one["_id"] for one in cast.key.get(PATH, cursor=page.body["nextCursor"], n="2").data] == [ahead]
    for query in (
        {"sortBy": "overdue"},
        {"filters": {"overdue": "yes"}},
        {"filters": {"shade": 1}},
        {"searchBy": "status", "searchValue": "x"},
    ):
        assert cast.key.get(PATH, **query).status == 400, query


def test_a_list_takes_as_many_queries_for_twenty_as_for_one(cast: Cast, lead: Lead) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            assert cast.key.get(PATH, p="1", n="50").status == 200
        return len(found)

    new(cast, lead)
    queries()
    few = queries()
    with cast.scope():
        for n in range(19):
            FollowUp.objects.create(lead=LeadFactory(), title=f"{n}", due_at=timezone.now(), assignee=cast.owner)
    assert queries() == few


def test_follow_ups_of_deleted_leads_are_gone(cast: Cast, lead: Lead) -> None:
    made = new(cast, lead)["_id"]
    assert cast.key.delete("/lead", {"ids": [lead.pk]}).status == 200
    assert cast.key.get(PATH).data == []
    assert cast.key.get(f"{PATH}/{made}").status == 404
    assert patch(cast, made, status="done").status == 404


def test_another_companys_looks_missing(cast: Cast, outsiders: Cast) -> None:
    with outsiders.scope():
        foreign = new(outsiders, LeadFactory())["_id"]
    for method, body in (("GET", None), ("PATCH", {"title": "Mine"})):
        answer = cast.key.call(method, f"{PATH}/{foreign}", body)
        assert (answer.status, answer.body["message"]) == (404, "Activity not found.")
        assert answer.body == cast.key.call(method, f"{PATH}/{MISSING}", body).body
        malformed = cast.key.call(method, f"{PATH}/xyz", body)
        assert (malformed.status, malformed.body["message"]) == (400, "Invalid format for field _id: xyz")
    assert cast.key.get(PATH).data == []


def test_the_permission_module_decides_on_the_session_path(db: None) -> None:
    allowed, refused = make_cast({"lead-activity": dict.fromkeys(("GET", "POST", "PUT"), True)}), make_cast({})
    for made, statuses in ((allowed, (200, 201, 200, 200)), (refused, (403,) * 4)):
        with made.scope():
            lead = LeadFactory()
        id = new(made, lead)["_id"]
        calls = [
            *(("GET", PATH, None), ("POST", PATH, {"lead": lead.pk, "title": "x", "dueAt": DUE})),
            *(("GET", f"{PATH}/{id}", None), ("PATCH", f"{PATH}/{id}", {"status": "done"})),
        ]
        assert tuple(made.narrow_session.call(*call).status for call in calls) == statuses


# Reminders


def test_delete(cast: Cast, outsiders: Cast, lead: Lead) -> None:
    made, other = new(cast, lead, remindMinutes=30), new(cast, lead, title="Stays")
    deliver()
    path = f"{PATH}/{made['_id']}"
    assert outsiders.key.delete(path).status == 404
    assert cast.narrow_session.delete(path).status == 403
    answer = cast.key.delete(path, {"automation": "skip"})
    assert (answer.status, answer.body["message"], answer.data) == (200, "Task deleted.", None)
    for gone in (cast.key.delete(path), cast.key.get(path), patch(cast, made["_id"], title="x")):
        assert (gone.status, gone.body["message"]) == (404, "Activity not found.")
    assert [row["_id"] for row in cast.key.get(PATH).data] == [other["_id"]]
    kind, payload = events(cast)[-1]
    assert (kind, payload) == ("follow-up.deleted", {"lead": lead.pk, "title": "Call back", "status": "open"})
    with cast.scope():
        assert Event.objects.get(kind=kind).automation is False
    deliver()
    told = cast.key.get("/lead-activity", filters={"lead": lead.pk, "kind": "follow_up"}).data
    assert [row["details"]["event"] for row in told] == ["deleted", "created", "created"]


def test_deleting_takes_the_right_to(cast: Cast, lead: Lead) -> None:
    made = new(cast, lead)
    for method, status in (("PUT", 403), ("DELETE", 200)):
        with cast.scope():
            one = member(name=method)
            one.role.permission = {"lead-activity": {method: True}}
            one.role.save()
        session = Caller(SESSION, session_headers(one))
        assert session.delete(f"{PATH}/{made['_id']}").status == status


def test_nobody_is_reminded_of_a_deleted_follow_up(cast: Cast, lead: Lead) -> None:
    made = new(cast, lead, remindMinutes=30)
    cast.key.delete(f"{PATH}/{made['_id']}")
    with time_machine.travel("2090-03-09T13:20:00Z", tick=False):
        work()
    assert mails() == []
