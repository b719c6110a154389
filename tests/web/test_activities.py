"""The pages of follow-ups, calls and the calendar; the pipeline."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from core.templatetags.web import funnel
from crm.models import FollowUp, Meeting
from tests.crm.pipelines.helpers import make_pipeline, stage_ids
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

EVIL = '"><script>alert(1)</script>'


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


def add(cast: Cast, title: str, days: int, **values: Any) -> FollowUp:
    lead = LeadFactory(contact=ContactFactory(name=f"{title}'s contact"))
    due = datetime.now(UTC) + timedelta(days=days)
    return FollowUp.objects.create(lead=lead, title=title, due_at=due, **values)


def titles(response: Any) -> list[str]:
    return re.findall(r'class="line-text"><a [^>]*><strong>([^<]*)</strong>', html_of(response))


def test_follow_ups_that_are_overdue_come_first_and_are_done(scope: Cast, client: Any) -> None:
    add(scope, "Later", 3)
    late = add(scope, "Late", -2, assignee=scope.owner)
    path = at(scope.owner, "follow-ups")
    page = client.get(path)
    assert (titles(page), text_of(page).count("Overdue")) == (["Late", "Later"], 1)
    assert titles(client.get(path + "?tab=mine")) == ["Late"]
    assert titles(client.get(path + "?q=later")) == ["Later"]
    assert "Task completed" in toast_of(client, client.post(path + "?tab=mine", {"do": "done", "id": late.pk}))
    assert "No tasks for you" in text_of(client.get(path + "?tab=mine"))
    assert titles(client.get(path + "?tab=done")) == ["Late"]
    client.post(path + "?tab=done", {"do": "reopen", "id": late.pk})
    late.refresh_from_db()
    assert late.status == "open"
    assert 'class="toast bad"' in toast_of(client, client.post(path, {"do": "done", "id": "a" * 24}))


def test_calls_are_listed_and_filtered(scope: Cast, client: Any) -> None:
    contact = ContactFactory(name="Ann Lee")
    body = {"contact": contact.pk, "direction": "inbound", "duration": 180, "notes": EVIL}
    assert scope.session.post("/calllog", body).status == 201
    path = at(scope.owner, "calls")
    page = client.get(path)
    assert all(text in text_of(page) for text in ("Incoming", "Ann Lee", "3 min", "1 call"))
    assert "<script>alert" not in html_of(page)
    assert "No calls match" in text_of(client.get(path + "?f=outcome:in:busy"))


def test_the_calendar_shows_days_and_meetings_are_made_and_cancelled(scope: Cast, client: Any) -> None:
    path, new = at(scope.owner, "calendar"), at(scope.owner, "calendar/new")
    wrong = client.post(new, {"title": EVIL, "startsAt": "soon", "durationMinutes": "30"})
    assert wrong.status_code == 422
    assert re.search(r'id="f-startsAt"[^>]*aria-invalid="true"', html_of(wrong))
    assert "<script>alert" not in html_of(wrong)
    sent = {"title": "Offer", "startsAt": "2030-05-06T10:00", "durationMinutes": "60", "attendees": "ann@example.org"}
    made = client.post(new, sent)
    assert made["Location"] == path + "?from=2030-05-06"
    assert "Meeting created" in toast_of(client, made)
    shown = text_of(client.get(path + "?view=agenda&from=2030-05-01"))
    assert ("Monday 6 May 2030" in shown, "10:00–11:00 Offer" in shown) == (True, True)
    assert "Offer" not in text_of(client.get(path + "?view=agenda&from=2030-05-07"))
    assert "Offer" not in text_of(client.get(path + "?from=2030-99-99"))
    week = html_of(client.get(path + "?view=week&from=2030-05-09"))
    slot = re.search(r'data-place="2030-05-06T10:00".*?</li>', week, re.DOTALL)
    assert slot is not None
    assert "Offer" in slot[0]
    assert "from-0 for-4 lane-0-1" in slot[0]
    meeting = Meeting.objects.get()
    assert "Meeting cancelled" in toast_of(
        client, client.post(path + "?view=agenda&from=2030-05-01", {"do": "cancel", "id": meeting.pk})
    )
    assert "Offer" not in text_of(client.get(path + "?view=agenda&from=2030-05-01"))


def test_nobody_does_what_their_role_may_not(db: None) -> None:
    cast = make_cast({"lead-activity": {"GET": True}, "meeting": {"GET": True}})
    with cast.scope():
        late = add(cast, "Late", -2)
    client = enter(cast.narrow)
    page = html_of(client.get(at(cast.narrow, "follow-ups")))
    assert ("Late" in page, 'name="do"' in page) == (True, False)
    refused = client.post(at(cast.narrow, "follow-ups"), {"do": "done", "id": late.pk})
    assert 'class="toast bad"' in toast_of(client, refused)
    assert "calendar/new" not in html_of(client.get(at(cast.narrow, "calendar")))
    assert client.post(at(cast.narrow, "calendar/new"), {"title": "X"}).status_code == 422
    assert client.get(at(cast.narrow, "leads")).status_code == 403
    with cast.scope():
        assert (FollowUp.objects.get().status, Meeting.objects.count()) == ("open", 0)


def test_the_pipeline_is_a_funnel_and_a_table(scope: Cast, client: Any) -> None:
    LeadFactory(status="won", value=5)
    page = html_of(client.get(at(scope.owner, "leads/pipeline")))
    assert "<title>Won: 1 lead</title>" in page
    assert re.search(r'<th scope="row">Won</th><td>1</td><td>\$5.00</td>', page)
    assert page.count("<g><title>") == 6
    assert "Pipeline" in text_of(client.get(at(scope.owner)))
    wholesale = make_pipeline(scope)
    LeadFactory(pipeline_id=wholesale["_id"], stage_id=stage_ids(wholesale)["Offered"])
    both = client.get(at(scope.owner, "leads/pipeline"))
    assert ("<title>New: 0 leads</title>" in html_of(both), "Sales" in text_of(both)) == (True, True)
    assert "<script>" not in funnel([(EVIL, 0, EVIL)])
