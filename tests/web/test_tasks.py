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
    name = {"": "Choose a record", "lead": "Ann Lee", "contact": "Bob Ray", "organization": "Acme"}[kind]
    assert name in text_of(client.get(new))
    assert client.post(new, {"title": "Send it", "dueAt": "soon"}).status_code == 422
    sent = {"title": "Send it", "dueAt": "2030-05-06T10:00", "type": "call", "priority": "high", "recurrence": "weekly"}
    assert "Task added" in toast_of(client, client.post(new, sent))
    task = FollowUp.objects.get()
    about = {name: getattr(task, f"{name}_id") for name in records}
    assert about == {name: id if name == kind else None for name, id in records.items()}
    assert (task.type, task.priority, task.recurrence, task.assignee_id) == ("call", "high", "weekly", scope.owner.pk)
    page = client.get(at(scope.owner, f"follow-ups/{task.pk}"))
    assert page.status_code == 200
    assert (f"About {name}" in text_of(page)) is bool(kind)
    changed = {"recurrence": "", "priority": "low"}
    assert "Task saved" in toast_of(client, client.post(at(scope.owner, f"follow-ups/{task.pk}"), changed))
    task.refresh_from_db()
    assert (task.recurrence, task.priority, task.type) == (None, "low", "call")


def test_records_are_found_by_a_search(scope: Cast, client: Any, records: dict[str, str]) -> None:
    new = at(scope.owner, "follow-ups/new")
    assert f"?organization={records['organization']}" in html_of(client.get(f"{new}?find=acme"))
    assert f"?contact={records['contact']}" in html_of(client.get(f"{new}?find=bob"))
    assert "No records match." in text_of(client.get(f"{new}?find=zzz"))
    assert "No records match." not in text_of(client.get(f"{new}?find="))
    for kind in records:
        assert "no longer exists" in text_of(client.get(f"{new}?{kind}={'a' * 24}"))


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
    assert "You can't add records here" in text_of(client.get(at(cast.narrow, "follow-ups/new")))
    refused = client.post(at(cast.narrow, "follow-ups/new"), {"title": "X", "dueAt": "2030-05-06T10:00"})
    assert refused.status_code == 422


@pytest.mark.parametrize("kind", ["lead", "contact", "organization"])
def test_the_record_of_a_task_is_changed(scope: Cast, client: Any, records: dict[str, str], kind: str) -> None:
    task = FollowUp.objects.create(title="Call", due_at=datetime.now(UTC), assignee=scope.owner)
    path = at(scope.owner, f"follow-ups/{task.pk}")
    assert f'href="{path}?find="' in html_of(client.get(path))
    word = {"lead": "ann", "contact": "bob", "organization": "acme"}[kind]
    found = html_of(client.get(f"{path}?find={word}"))
    assert (f'value="{kind}"' in found, f'value="{records[kind]}"' in found) == (True, True)
    assert "No records match." in text_of(client.get(f"{path}?find=zzz"))
    toast = toast_of(client, client.post(path, {"do": "record", "kind": kind, "id": records[kind]}))
    assert ("Task saved" in toast, "Undo" in toast) == (True, True)
    task.refresh_from_db()
    assert getattr(task, f"{kind}_id") == records[kind]
    client.post(path, {"do": "record", "kind": "", "id": ""})
    task.refresh_from_db()
    assert getattr(task, f"{kind}_id") is None
    gone = toast_of(client, client.post(path, {"do": "record", "kind": kind, "id": "a" * 24}))
    assert "not found" in gone


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
