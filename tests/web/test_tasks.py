"""The pages of tasks: by day, about any record or none, repeated, completed and reopened."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from core.events import deliver
from crm.models import FollowUp, LeadActivity
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory, OrganizationFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


@pytest.fixture
def records(scope: Cast) -> dict[str, str]:
    """Return kind -> the id of a record."""
    return {
        "lead": LeadFactory(contact__name="Ann Lee").pk,
        "contact": ContactFactory(name="Bob Ray").pk,
        "organization": OrganizationFactory(name="Acme").pk,
    }


def headings(page: Any) -> list[str]:
    """Return the days of the list with their numbers of tasks."""
    found = re.findall(r"<section><h2>(.*?)</h2>", html_of(page))
    return [re.sub(r"<[^>]*>", "", heading) for heading in found]


def test_tasks_stand_under_their_days(scope: Cast) -> None:
    # 2030-05-08 is a Wednesday.
    with time_machine.travel("2030-05-08T10:00:00Z", tick=False):
        client = enter(scope.owner)
        for hours, title in ((-30, "Late"), (-1, "Missed"), (1, "Soon"), (24, "Next"), (72, "Saturday"), (140, "Week")):
            due = datetime.now(UTC) + timedelta(hours=hours)
            FollowUp.objects.create(title=title, due_at=due, assignee=scope.owner)
        FollowUp.objects.create(title="Past", due_at=datetime.now(UTC), status="done", done_at=datetime.now(UTC))
        path = at(scope.owner, "follow-ups")
        page = client.get(path)
        assert headings(page) == ["Overdue 2", "Today 1", "Tomorrow 1", "This week 1", "Later 1"]
        assert headings(client.get(f"{path}?tab=mine&q=soon")) == ["Today 1"]
        assert headings(client.get(f"{path}?tab=done")) == []
        assert "Past" in text_of(client.get(f"{path}?tab=done"))


@pytest.mark.parametrize("kind", ["", "lead", "contact", "organization"])
def test_a_task_is_added_about_a_record_or_none(scope: Cast, client: Any, records: dict[str, str], kind: str) -> None:
    new = at(scope.owner, "follow-ups/new") + (f"?{kind}={records[kind]}" if kind else "")
    name = {"lead": "Ann Lee", "contact": "Bob Ray", "organization": "Acme"}.get(kind, "nobody")
    assert (f"Remove {name}" in html_of(client.get(new))) is bool(kind)
    assert client.post(new, {"title": "Send it", "dueAt": "soon"}).status_code == 422
    sent = {"title": "Send it", "dueAt": "2030-05-06T10:00", "type": "call", "priority": "high", "recurrence": "weekly"}
    assert "Task added" in toast_of(client, client.post(new, sent))
    task = FollowUp.objects.get()
    about = {name: getattr(task, f"{name}_id") for name in records}
    assert about == {name: id if name == kind else None for name, id in records.items()}
    assert (task.type, task.priority, task.recurrence, task.assignee_id) == ("call", "high", "weekly", scope.owner.pk)
    page = client.get(at(scope.owner, f"follow-ups/{task.pk}"))
    assert page.status_code == 200
    assert (f"Remove {name}" in html_of(page)) is bool(kind)
    changed = {"recurrence": "", "priority": "low"}
    assert "Task saved" in toast_of(client, client.post(at(scope.owner, f"follow-ups/{task.pk}"), changed))
    task.refresh_from_db()
    assert (task.recurrence, task.priority, task.type) == (None, "low", "call")


TYPED = {"title": "Send it", "dueAt": "2030-05-06T10:00", "priority": "high", "notes": "With prices"}


@pytest.mark.parametrize("is_new", [True, False])
def test_a_record_is_picked_without_script(scope: Cast, client: Any, records: dict[str, str], is_new: bool) -> None:
    task = (
        None if is_new else FollowUp.objects.create(title="X", due_at=datetime.now(UTC), contact_id=records["contact"])
    )
    path = at(scope.owner, f"follow-ups/{task.pk if task else 'new'}")
    for kind, text in (("organization", "acme"), ("contact", "bob"), ("lead", "ann")):
        found = html_of(client.post(path, {**TYPED, "do": "find", "record": "", "find": text}))
        assert f'type="radio" name="record" value="{kind}-{records[kind]}"' in found
        kept = ('value="Send it"', 'value="2030-05-06T10:00"', '"high" selected', "With prices", f'value="{text}"')
        assert [part in found for part in kept] == [True] * 5
    assert "No records match." in html_of(client.post(path, {**TYPED, "do": "find", "record": "", "find": "zzz"}))
    unsure = client.post(path, {**TYPED, "do": "save", "record": "", "find": "acme"})
    assert (unsure.status_code, "Pick a record, or clear the search." in text_of(unsure)) == (422, True)
    picked = {**TYPED, "record": f"organization-{records['organization']}"}
    client.post(path, {**picked, "do": "save", "find": "acme"})
    saved = FollowUp.objects.get()
    assert (saved.organization_id, saved.contact_id, saved.title) == (records["organization"], None, "Send it")
    edit = at(scope.owner, f"follow-ups/{saved.pk}")
    assert 'aria-label="Remove Acme"' in html_of(client.get(edit))
    removed = html_of(client.post(edit, {**picked, "title": "Other", "do": "unpick"}))
    assert ("Remove Acme" in removed, 'value="Other"' in removed) == (False, True)
    client.post(edit, {**TYPED, "do": "save", "record": "", "find": ""})
    saved.refresh_from_db()
    assert saved.organization_id is None


@pytest.mark.parametrize("kind", ["lead", "contact", "organization"])
@pytest.mark.parametrize("id", ["a" * 24, "x", "deleted"])
def test_no_task_is_saved_about_a_record_that_is_gone(
    scope: Cast, client: Any, records: dict[str, str], kind: str, id: str
) -> None:
    if id == "deleted":
        id = records[kind]
        assert scope.key.delete(f"/{kind}", {"ids": [id]}).status == 200
    new = at(scope.owner, f"follow-ups/new?{kind}={id}")
    assert "no longer exists" in text_of(client.get(new))
    for sent in ({**TYPED}, {**TYPED, "record": f"{kind}-{id}"}):
        refused = client.post(new, sent)
        page = html_of(refused)
        assert (refused.status_code, 'value="Send it"' in page, "With prices" in page) == (422, True, True)
        assert f'name="record" value="{kind}-{id}"' in page
        assert f"This {kind} no longer exists. Pick another." in text_of(refused)
    assert not FollowUp.objects.exists()
    client.post(new, {**TYPED, "record": ""})
    assert FollowUp.objects.count() == 1, "removed from the form"


def test_the_suggestions_are_a_part_of_the_form(scope: Cast, client: Any, records: dict[str, str]) -> None:
    place = at(scope.owner, "follow-ups/record")
    part = {"HX-Request": "true"}
    found = html_of(client.get(f"{place}?find=acme", headers=part))
    assert f"{place}?record=organization-{records['organization']}" in found
    assert "Remove Acme" in html_of(client.get(f"{place}?record=organization-{records['organization']}", headers=part))


def test_filters_and_times_of_the_list(scope: Cast) -> None:
    with time_machine.travel("2030-05-08T10:00:00Z", tick=False):
        client = enter(scope.owner)
        for hours, title, type in ((1, "Soon", "call"), (140, "Far", "email")):
            due = datetime.now(UTC) + timedelta(hours=hours)
            FollowUp.objects.create(title=title, due_at=due, assignee=scope.owner, type=type, priority="high")
        path = at(scope.owner, "follow-ups")
        page = text_of(client.get(path))
        assert ("11:00" in page, "in 1 h" in page, "14 May 2030" in page) == (True, False, True)
        for query, shown in (("type:in:call", (True, False)), ("priority:notIn:high", (False, False))):
            page = text_of(client.get(path, {"f": query}))
            assert ("Soon" in page, "Far" in page) == shown


def test_completing_is_undone(scope: Cast, client: Any) -> None:
    task = FollowUp.objects.create(title="Call", due_at=datetime.now(UTC), assignee=scope.owner)
    path = at(scope.owner, "follow-ups")
    toast = toast_of(client, client.post(path, {"do": "done", "id": task.pk}))
    assert ("Task completed" in toast, "Undo" in toast, f'value="{task.pk}"' in toast) == (True, True, True)
    client.post(path, {"do": "reopen", "id": task.pk})
    task.refresh_from_db()
    assert (task.status, task.done_at) == ("open", None)


@pytest.mark.parametrize(
    ("kind", "place"), [("contact", "contacts"), ("lead", "leads"), ("organization", "organizations")]
)
def test_tasks_and_notes_are_added_on_the_page_of_a_record(
    scope: Cast, client: Any, records: dict[str, str], kind: str, place: str
) -> None:
    path = at(scope.owner, f"{place}/{records[kind]}")
    assert "Add task" in text_of(client.get(f"{path}?compose=task"))
    sent = {"do": "task", "title": "Send it", "dueAt": "2030-05-06T10:00"}
    assert "Task added" in toast_of(client, client.post(path, sent))
    task = FollowUp.objects.get()
    assert getattr(task, f"{kind}_id") == records[kind]
    related = html_of(client.get(f"{path}/related"))
    assert ("Send it" in related, f"follow-ups/new?{kind}={records[kind]}" in related) == (True, True)
    assert "Undo" in toast_of(client, client.post(path, {"do": "done", "id": task.pk}))
    client.post(path, {"do": "reopen", "id": task.pk})
    task.refresh_from_db()
    assert task.status == "open"
    assert "Note added" in toast_of(client, client.post(path, {"do": "note", "notes": "Likes tea"}))
    assert getattr(LeadActivity.objects.get(kind="note"), f"{kind}_id") == records[kind]
    deliver()
    assert "Likes tea" in text_of(client.get(path))


def test_home_shows_what_is_due_by_tonight(scope: Cast) -> None:
    with time_machine.travel("2030-05-08T10:00:00Z", tick=False):
        client = enter(scope.owner)
        for hours, title in ((-30, "Late one"), (1, "Soon one"), (48, "Far one")):
            due = datetime.now(UTC) + timedelta(hours=hours)
            FollowUp.objects.create(title=title, due_at=due, assignee=scope.owner)
        ContactFactory()
        shown = text_of(client.get(at(scope.owner)))
        assert [title in shown for title in ("Late one", "Soon one", "Far one")] == [True, True, False]


def test_who_only_reads_changes_nothing(db: None) -> None:
    cast = make_cast({"lead-activity": {"GET": True}})
    with cast.scope():
        task = FollowUp.objects.create(title="Call", due_at=datetime.now(UTC))
    client = enter(cast.narrow)
    page = html_of(client.get(at(cast.narrow, f"follow-ups/{task.pk}")))
    deeds = re.findall(r'name="do" value="(\w+)"', page)
    assert ("Call" in page, deeds) == (True, ["comment"])
    assert [f"<dt>{label}</dt>" in page for label in ("Due", "Type", "Priority", "Repeat", "When")] == [True] * 4 + [
        False
    ]
    assert [f"<dd>{value}</dd>" in page for value in ("To do", "Normal", "Never")] == [True] * 3
    assert "You can't add records here" in text_of(client.get(at(cast.narrow, "follow-ups/new")))
    refused = client.post(at(cast.narrow, "follow-ups/new"), {"title": "X", "dueAt": "2030-05-06T10:00"})
    assert refused.status_code == 422


@pytest.mark.parametrize(
    ("kind", "place"), [("contact", "contacts"), ("lead", "leads"), ("organization", "organizations")]
)
def test_a_task_is_completed_in_the_timeline(
    scope: Cast, client: Any, records: dict[str, str], kind: str, place: str
) -> None:
    path = at(scope.owner, f"{place}/{records[kind]}")
    client.post(path, {"do": "task", "title": "Send it", "dueAt": "2030-05-06T10:00"})
    task = FollowUp.objects.get()
    client.post(at(scope.owner, f"follow-ups/{task.pk}"), {"title": "Send it", "notes": "soon"})
    deliver()
    page = html_of(client.get(path))
    assert page.count('aria-label="Complete: Send it"') == 1, "at its newest entry alone"
    toast = toast_of(client, client.post(path, {"do": "done", "id": task.pk}))
    assert ("Task completed" in toast, "Undo" in toast) == (True, True)
    assert "Complete: Send it" not in html_of(client.get(path))
    client.post(path, {"do": "reopen", "id": task.pk})
    deliver()
    assert html_of(client.get(path)).count('aria-label="Complete: Send it"') == 1


def test_deleting_is_undone(scope: Cast, client: Any) -> None:
    task = FollowUp.objects.create(title="Ask Zoe", due_at=datetime.now(UTC), assignee=scope.owner)
    path = at(scope.owner, f"follow-ups/{task.pk}")
    toast = toast_of(client, client.post(path, {"do": "delete"}))
    assert ("Task deleted" in toast, 'value="restore"' in toast, f'value="{task.pk}"' in toast) == (True, True, True)
    assert client.get(path).status_code == 404
    page = at(scope.owner, "follow-ups")
    assert "Ask Zoe" not in html_of(client.get(page))
    assert "Task restored" in toast_of(client, client.post(page, {"do": "restore", "id": task.pk}))
    assert (client.get(path).status_code, "Ask Zoe" in html_of(client.get(page))) == (200, True)
