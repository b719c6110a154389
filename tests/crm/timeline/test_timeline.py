"""GET /contact/:id/timeline"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.events import deliver, emit
from core.ids import new_id
from core.tenancy import use_owner_role
from crm.models import Contact, LeadActivity
from crm.timeline.changes import MAX_TEXT
from tests.crm.contacts.helpers import add_field, form
from tests.crm.imports.helpers import csv_of, run
from tests.crm.leads.helpers import make
from tests.kit.cast import SESSION, Answer, Caller, Cast, session_headers
from tests.kit.factories import ContactFactory, LeadFactory, MemberFactory, RoleFactory, TagFactory

MEETING = {"title": "Lunch", "startsAt": "2090-03-09T14:00Z", "durationMinutes": 30}
FOLLOW_UP = {"title": "Call back", "dueAt": "2090-03-09T14:30:00+01:00"}


def timeline(caller: Caller, contact: str, **query: str) -> Answer:
    answer = caller.get(f"/contact/{contact}/timeline", **query)
    assert answer.status == 200, answer.body
    return answer


def titles(caller: Caller, contact: str, **query: str) -> list[str]:
    return [row["title"] for row in timeline(caller, contact, **query).data]


@pytest.fixture
def contact(cast: Cast) -> str:
    """A contact to which one of everything has happened."""
    with cast.scope():
        add_field("city")
    lead = make(cast, 1)
    contact = str(lead["contact"]["_id"])
    cast.key.put(f"/contact/{contact}", {"formData": {"name": "Bea", "city": "Ulm", "number": "1709999999"}})
    cast.key.put(f"/lead/{lead['_id']}", {"formData": {"status": "won"}})
    cast.key.put(f"/lead/{lead['_id']}", {"formData": {"value": 12}})
    call = {"contact": contact, "direction": "inbound", "outcome": "no_answer", "duration": 95}
    assert cast.key.post("/calllog", call).status == 201
    assert cast.key.post("/meeting", {**MEETING, "contact": contact}).status == 201
    assert cast.key.post("/lead-activity", {"contact": contact, "notes": "prefers mail"}).status == 201
    assert cast.key.post("/lead-activity", {"lead": lead["_id"], "notes": "is urgent"}).status == 201
    assert cast.key.post("/lead-activity/follow-up", {**FOLLOW_UP, "lead": lead["_id"]}).status == 201
    with cast.scope():
        mail = new_id()
        emit("mail.sent", [mail], payloads={mail: {"contact": contact, "subject": "Hello"}})
    cast.key.delete("/contact", {"ids": [contact]})
    cast.key.post("/contact/restore", {"ids": [contact]})
    deliver()
    return contact


CHANGED = "city, Name and Phone number changed"
HISTORY = {
    CHANGED: "changed",
    "Contact restored": "restored",
    "Contact deleted": "deleted",
    "Email sent: Hello": "mail",
    "Task created: Call back": "follow_up",
    "Note": "note",
    "Meeting scheduled: Lunch": "meeting",
    "Call received: no answer, 1 min": "call",
    "Lead: Value changed": "changed",
    "Lead moved from New to Won": "status",
    "Lead created": "created",
    "Contact created": "created",
}


def test_everything_is_there_newest_first(cast: Cast, contact: str) -> None:
    answer = timeline(cast.key, contact)
    rows = answer.data
    assert [row["at"] for row in rows] == sorted((row["at"] for row in rows), reverse=True)
    assert (answer.body["totalCount"], answer.body["nextCursor"]) == (len(rows), None)
    found = {row["title"]: row for row in rows}
    assert {title: row["kind"] for title, row in found.items()} == HISTORY
    assert len(rows) == len(HISTORY) + 1, "two notes"
    changed = found[CHANGED]
    assert changed["data"]["city"] == {"from": None, "to": "Ulm"}
    assert [(one["name"], one["from"], one["to"]) for one in changed["changes"]] == [
        ("city", None, "Ulm"),
        ("Name", "Person 1", "Bea"),
        ("Phone number", "1701000001", "1709999999"),
    ]
    assert changed["lead"] is None
    assert changed["actor"] == {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    assert found["Email sent: Hello"]["actor"] is None
    assert found["Lead created"]["lead"] is not None
    assert [row["data"]["notes"] for row in rows if row["kind"] == "note"] == ["is urgent", "prefers mail"]
    assert rows[-1]["_id"] == contact


def test_changes_are_told_in_words(cast: Cast) -> None:
    with cast.scope():
        size = add_field("size", field_type="select", options=["s", "l"])
        size.options[1]["label"] = "Large"
        size.save()
        add_field("secret", hide=True)
        tag, member = TagFactory(name="Fair"), MemberFactory(status="accepted", name="Sam", role=RoleFactory())
    lead = make(cast, 1)
    path, contact = f"/lead/{lead['_id']}", lead["contact"]["_id"]
    cast.key.put(f"/contact/{contact}", {"formData": {"size": "l", "secret": "x" * 600}, "tags": [tag.pk]})
    cast.key.put(f"/contact/{contact}", {"formData": {"secret": "y"}})
    cast.key.put(path, {"formData": {"status": "won", "notes": "n" * 600}, "teamMember": member.pk})
    deliver()
    own = timeline(cast.key, contact, kind="changed").data
    assert [row["title"] for row in own] == ["Lead: Notes changed", "Contact changed", "size and Tags changed"]
    assert [row["changes"] for row in own[1:]] == [
        [],
        [
            {"field": "size", "name": "size", "from": None, "to": "Large", "added": None, "removed": None},
            {"field": "tags", "name": "Tags", "from": None, "to": ["Fair"], "added": None, "removed": None},
        ],
    ]
    assert len(own[0]["changes"][0]["to"]) == MAX_TEXT
    answer = cast.key.get(f"{path}/timeline")
    found = {row["kind"]: row for row in answer.data}
    assert list(found) == [row["kind"] for row in answer.data]
    assert sorted(found) == ["assigned", "changed", "created", "status"]
    assert found["status"]["title"] == "Lead moved from New to Won"
    assert [(one["name"], one["to"]) for one in found["assigned"]["changes"]] == [("Team member", "Sam")]
    with CaptureQueriesContext(connection) as captured:
        cast.key.get(f"{path}/timeline")
    assert len([one for one in captured if "crm_customfield" in one["sql"]]) == 1


def test_a_leads_timeline_is_its_own(cast: Cast, outsiders: Cast, contact: str) -> None:
    lead = cast.key.get("/lead").data[0]["_id"]
    path = f"/lead/{lead}/timeline"
    whole = cast.key.get(path)
    assert {row["lead"] for row in whole.data} == {lead}
    first = cast.key.get(path, n="2")
    rest = cast.key.get(path, cursor=first.body["nextCursor"])
    assert [row["_id"] for row in (*first.data, *rest.data)] == [row["_id"] for row in whole.data]
    assert whole.body["totalCount"] == len(whole.data) < len(timeline(cast.key, contact).data)
    assert cast.narrow_session.get(path).status == 403
    assert (outsiders.key.get(path).status, outsiders.key.get(path).body["message"]) == (400, "Lead not found.")


def test_a_meeting_stands_in_the_timeline_of_each_contact_who_attends_it(cast: Cast) -> None:
    with cast.scope():
        about, guest, late = (ContactFactory().pk for _ in range(3))
    attendees = [{"contact": about}, {"contact": guest}, {"email": "x@example.org"}]
    body = {**MEETING, "attendees": attendees}
    meeting = cast.key.post("/meeting", {**body, "contact": about}).data["_id"]
    alone = cast.key.post("/meeting", {**body, "title": "Alone"}).data["_id"]
    path = f"/meeting/{meeting}"
    cast.key.put(path, {"attendees": [*attendees, {"contact": late}]})
    cast.key.put(path, {"startsAt": "2090-03-10T14:00Z"})
    cast.key.put(path, {"attendees": [{"contact": late}]})
    cast.key.delete("/meeting", {"ids": [alone, meeting]})
    deliver()
    of_guest = ["Removed from a meeting: Lunch", "Meeting changed: Lunch", "Meeting scheduled: Lunch"]
    assert [one for one in titles(cast.session, guest, kind="meeting") if "Lunch" in one] == of_guest
    assert titles(cast.session, late, kind="meeting") == [
        "Meeting cancelled: Lunch",
        "Meeting changed: Lunch",
        "Invited to a meeting: Lunch",
    ]
    for contact in (about, guest):
        both = [one for one in titles(cast.session, contact, kind="meeting") if "Alone" in one]
        assert both == ["Meeting cancelled: Alone", "Meeting scheduled: Alone"]
    assert titles(cast.session, about, kind="meeting").count("Meeting scheduled: Lunch") == 1
    assert timeline(cast.session, guest, n="1").data[0]["data"]["startsAt"].startswith("2090-03-")
    assert cast.session.get("/lead-activity").data == []


def test_pages_by_cursor_neither_skip_nor_repeat(cast: Cast, contact: str) -> None:
    whole = [row["_id"] for row in timeline(cast.key, contact).data]
    for size in ("1", "2", "5", "13", "500"):
        page = timeline(cast.key, contact, n=size)
        seen = [row["_id"] for row in page.data]
        while page.body["nextCursor"]:
            page = timeline(cast.key, contact, n=size, cursor=page.body["nextCursor"])
            seen += [row["_id"] for row in page.data]
            assert page.body["totalCount"] == len(whole)
        assert seen == whole, size


def test_what_came_before_the_contact_stands_below_its_creation(cast: Cast) -> None:
    contact = cast.key.post("/contact", {"formData": form(1)}).data["_id"]
    cast.key.post("/calllog", {"contact": contact, "startedAt": "2020-01-01T10:00:00Z"})
    deliver()
    assert titles(cast.key, contact) == ["Contact created", "Call made: connected"]
    first = timeline(cast.key, contact, n="1")
    assert [row["title"] for row in first.data] == ["Contact created"]
    assert titles(cast.key, contact, n="1", cursor=first.body["nextCursor"]) == ["Call made: connected"]


def test_kinds_narrow_it(cast: Cast, contact: str) -> None:
    assert titles(cast.key, contact, kind="mail, call") == ["Email sent: Hello", "Call received: no answer, 1 min"]
    answer = timeline(cast.key, contact, kind="created", n="1")
    assert (answer.data[0]["title"], answer.body["totalCount"]) == ("Lead created", 2)
    assert titles(cast.key, contact, kind="imported") == []


def test_imports_are_told_by_their_file(cast: Cast) -> None:
    line = "Ann,ann1@example.com,+49,1701000001"
    assert run(cast, csv_of([line]))["created"] == 1
    with cast.scope():
        contact = Contact.objects.get().pk
    assert run(cast, csv_of([line.replace("Ann", "Bea")]), options={"existing": "update"})["updated"] == 1
    deliver()
    rows = timeline(cast.key, contact).data
    assert [(row["kind"], row["title"]) for row in rows] == [
        ("imported", "Name imported from people.csv"),
        ("imported", "Imported from people.csv"),
    ]
    assert rows[0]["data"]["changes"] == {"name": {"from": "Ann", "to": "Bea"}}
    assert rows[0]["data"]["fileName"] == "people.csv"


@pytest.mark.parametrize(
    ("module", "kinds"),
    [
        ("lead-activity", {"note", "call", "follow_up"}),
        ("meeting", {"meeting"}),
        ("logs", {"mail"}),
        ("genie", {"mail"}),
        ("lead", {"status", "changed", "created"}),
    ],
)
def test_what_a_member_may_not_read_is_left_out(cast: Cast, contact: str, module: str, kinds: set[str]) -> None:
    own = {"changed", "created", "deleted", "restored"}
    with cast.scope():
        rights = {name: {"GET": True} for name in ("contact", module)}
        member = MemberFactory(status="accepted", role=RoleFactory(permission=rights))
    one = timeline(Caller(SESSION, session_headers(member)), contact)
    bare = timeline(cast.narrow_session, contact)
    assert {row["kind"] for row in bare.data} == own
    assert all(row["lead"] is None for row in bare.data)
    assert {row["kind"] for row in one.data} == own | kinds
    assert any(row["lead"] for row in one.data) is (module in ("lead", "lead-activity"))
    assert bare.body["totalCount"] == len(bare.data) < len(one.data) == one.body["totalCount"]


def test_who_may_not_read_contacts_reads_no_timeline(cast: Cast, outsiders: Cast, contact: str) -> None:
    path = f"/contact/{contact}/timeline"
    with cast.scope():
        role = RoleFactory(permission={"lead-activity": {"GET": True}})
        member = MemberFactory(status="accepted", role=role)
    assert Caller(SESSION, session_headers(member)).get(path).status == 403
    assert (outsiders.key.get(path).status, outsiders.key.get(path).body["message"]) == (400, "Contact not found.")
    cast.key.delete("/contact", {"ids": [contact]})
    assert cast.key.get(path).status == 400


def test_bad_parameters_are_named(cast: Cast, contact: str) -> None:
    path = f"/contact/{contact}/timeline"
    cursor = timeline(cast.key, contact, n="1").body["nextCursor"]
    for query, name in (
        ({"n": "0"}, "n"),
        ({"kind": "mail,sms"}, "kind"),
        ({"cursor": "x"}, "cursor"),
        ({"cursor": cursor, "kind": "mail"}, "cursor"),
        ({"sortBy": "at"}, "sortBy"),
    ):
        answer = cast.key.get(path, **query)
        assert (answer.status, answer.body["warning"].partition(":")[0]) == (400, name)


def test_activities_of_leads_alone_are_lead_activities(cast: Cast, contact: str) -> None:
    rows = cast.key.get("/lead-activity").data
    assert rows
    assert all(row["lead"] is not None for row in rows)
    assert cast.key.get("/lead-activity", filters={"contact": contact, "kind": "mail"}).data == []


def test_a_page_is_read_from_the_contacts_index(cast: Cast) -> None:
    with cast.scope():
        lead, others = LeadFactory(), ContactFactory.create_batch(40)
        now = timezone.now()
        LeadActivity.objects.bulk_create(
            [
                LeadActivity(kind="changed", contact=one, happened_at=now - timedelta(minutes=n * 41 + place))
                for n in range(100)
                for place, one in enumerate((lead.contact, *others))
            ]
        )
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute("ANALYZE crm_leadactivity, crm_contact")
    first = timeline(cast.key, lead.contact_id, n="20")
    for query in ({"n": "20"}, {"n": "20", "cursor": first.body["nextCursor"]}):
        with CaptureQueriesContext(connection) as captured:
            assert len(timeline(cast.key, lead.contact_id, **query).data) == 20
        page = next(one["sql"] for one in captured if "LIMIT 21" in one["sql"])
        with cast.scope(), connection.cursor() as cursor:
            cursor.execute("EXPLAIN " + page)
            plan = "\n".join(row[0] for row in cursor.fetchall())
        assert "leadactivity_contact" in plan, plan
        assert "Sort" not in plan, plan


def test_every_kind_of_activity_has_a_title() -> None:
    from crm.activities.models import CallLog
    from crm.timeline.titles import OF_CONTACT, OF_LEAD, OUTCOMES, TITLES, TITLES_OF_CHANGES, title_of

    kinds = {*TITLES, *TITLES_OF_CHANGES, *OF_CONTACT}
    assert kinds == {*TITLES, *TITLES_OF_CHANGES, *OF_LEAD} == set(LeadActivity.Kind.values)
    assert set(OUTCOMES) == set(CallLog.Outcome.values)
    data: dict[str, Any] = {f"field{n}": {} for n in range(7)}
    assert title_of("changed", data, {"field0": "City"}, panel="lead") == (
        "Lead: City, Field1, Field2, Field3 and 3 more changed"
    )
    assert title_of("changed", {"unsubscribed": {}}, {}, panel="contact") == "Unsubscribed"
    assert title_of("merged", {"event": "unmerged"}, {}, panel="lead") == "Merge undone"
