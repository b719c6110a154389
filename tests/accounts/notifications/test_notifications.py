"""Notifications: who is told of what, by the API and on the page; each person's own choice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import transaction

from accounts.members.notices import notify
from accounts.models import Mail, Member, Notification, User
from accounts.notifications.services import NOTIFICATION_DAYS, purge_notifications
from core.tenancy import unscoped
from crm.models import BulkJob
from tests.kit.cast import Caller, Cast, make_cast, session_headers
from tests.kit.factories import ContactFactory, MemberFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

EVIL = '"><script>alert(1)</script>'


def person(member: Member) -> Caller:
    return Caller("/api/private", session_headers(member))


def tell(cast: Cast, members: list[Member] | None = None, about: tuple[str, str] | None = None) -> None:
    """Tell of a bulk job, which is not mailed."""
    job = BulkJob(status="completed", changed=2000, panel="contact")
    with cast.scope(), transaction.atomic():
        notify("bulk-job.finished", {"job": job, "records": f"contacts {EVIL}"}, members=members, about=about)


def texts(caller: Caller, **query: Any) -> list[str]:
    answer = caller.call("GET", "/notification", query={"p": "1", "n": "50", **query})
    assert answer.status == 200, answer.body
    return [one["kind"] for one in answer.data]


@pytest.mark.django_db
def test_members_are_told_in_the_product_and_choose_what(cast: Cast) -> None:
    outsiders = make_cast()
    tell(cast, [cast.owner, cast.narrow])
    tell(outsiders)
    owner, narrow = person(cast.owner), person(cast.narrow)
    assert texts(owner) == texts(narrow) == ["bulk-job.finished"]
    with unscoped(reason="test: mails of everybody"):
        assert not Mail.objects.exists()
    (found,) = owner.get("/notification").data
    assert found["text"] == f"Bulk change completed: 2000 changed (contacts {EVIL})"
    assert (found["company"], found["isRead"], found["record"]) == (cast.company.pk, False, None)

    # Each reads and marks their own alone.
    assert owner.get("/notification/unread").data == {"count": 1}
    assert narrow.put(f"/notification/{found['_id']}", {"isRead": True}).status == 404
    assert owner.put(f"/notification/{found['_id']}", {"isRead": True}).data["isRead"] is True
    assert owner.get("/notification/unread", company=cast.company.pk).data == {"count": 0}
    assert texts(owner, filters={"isRead": False}) == []
    assert narrow.put("/notification", {"company": outsiders.company.pk}).data == {"updatedCount": 0}
    assert narrow.put("/notification", {}).data == {"updatedCount": 1}
    assert owner.get("/notification/unread", company="x").status == 400

    # What one does not want is not written; a company that one has left is not shown.
    assert owner.put("/profile", {"mutedNotices": ["nonsense"]}).status == 400
    assert owner.put("/profile", {"mutedNotices": ["bulk-job.finished"]}).status == 200
    chosen = owner.get("/notification/preferences").data["notices"]
    assert [one["kind"] for one in chosen if not one["isOn"]] == ["bulk-job.finished"]
    tell(cast, [cast.owner, cast.narrow])
    assert (len(texts(owner)), len(texts(narrow))) == (1, 2)
    with cast.scope():
        Member.objects.filter(pk=cast.narrow.pk).update(status=Member.Status.BLOCKED)
    assert texts(narrow) == []


@pytest.mark.django_db
def test_a_change_that_is_rolled_back_tells_nobody_and_old_ones_go(cast: Cast) -> None:
    with transaction.atomic():
        tell(cast)
        transaction.set_rollback(True)
    assert texts(person(cast.owner)) == []
    with time_machine.travel(datetime.now(UTC) - timedelta(days=NOTIFICATION_DAYS + 1), tick=False):
        tell(cast)
    tell(cast)
    with unscoped(reason="test: the periodic task"):
        assert purge_notifications() is False
    with cast.scope():
        assert Notification.objects.count() == 1


@pytest.mark.django_db
def test_erasure_takes_those_that_name_the_person(cast: Cast) -> None:
    with cast.scope():
        contact = ContactFactory(name="Zed Quill", email="zed@example.org")
        for text in ("Import of Zed Quill.csv: 1 new contact", "Import of people.csv: 1 new contact"):
            Notification.objects.create(member=cast.owner, kind="import.finished", text=text)
    assert cast.key.post(f"/contact/{contact.pk}/erase", {"confirm": "zed@example.org"}).status == 200
    with cast.scope():
        assert Notification.objects.get().text == "Import of people.csv: 1 new contact"


@pytest.mark.django_db
def test_the_pages(cast: Cast) -> None:
    client = enter(cast.owner)
    path = at(cast.owner, "notifications")
    assert "No notifications yet" in text_of(client.get(path))
    with cast.scope():
        joined = MemberFactory(name="Ann Lee")
    tell(cast)
    with cast.scope(), transaction.atomic():
        context = {"joined": joined, "company": cast.company, "role": None}
        notify("member.joined", context, members=[cast.owner], about=("member", joined.pk))
    page = client.get(path)
    assert "<script>alert" not in html_of(page)
    assert f'href="{at(cast.owner, f"settings/members/{joined.pk}")}">Ann Lee joined' in html_of(page)
    assert ">2</span>" in html_of(client.get(at(cast.owner, "jobs/tray")))
    with cast.scope():
        first = Notification.objects.get(kind="member.joined")
    client.post(path, {"do": "read", "id": first.pk})
    assert "Ann Lee" not in text_of(client.get(path + "?only=unread"))
    assert "All marked as read" in toast_of(client, client.post(path, {"do": "all"}))
    assert "No unread items" in text_of(client.get(path + "?only=unread"))

    choose = at(cast.owner, "notifications/choose")
    assert html_of(client.get(choose)).count("checked") == html_of(client.get(choose)).count("checkbox")
    for heading in ("Leads and data", "Outreach", "Conversations", "Connections", "Billing", "Account"):
        assert f'aria-label="{heading}"' in html_of(client.get(choose))
    assert 'aria-label="Other"' not in html_of(client.get(choose))
    assert client.post(choose, {"do": "save", "member.joined": "on", "nonsense": "on"}).status_code == 303
    muted = User.objects.get(pk=cast.owner.user_id).muted_notices
    assert "member.joined" not in muted
    assert "bulk-job.finished" in muted
