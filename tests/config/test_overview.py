"""The back office's first page and the search in its menu."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Mail, User
from config.backup.last import record_check
from config.backup.manifest import Manifest
from core.ids import min_id_at
from core.text.formats import day_text
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, UserFactory


@pytest.fixture
def staff(db: None) -> Client:
    return browser(User.objects.create_superuser("root@example.com", "correct horse battery"))


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def chart(client: Client, title: str) -> tuple[str, list[tuple[str, str]]]:
    """The chart's total, and the (words, address) of its bars."""
    page = client.get(reverse("admin:index")).content.decode()
    text = page.partition(f"<span>{title}</span>")[2].partition("</figure>")[0]
    bars = [part.partition('"')[0] for part in text.split('<a href="')[1:]]
    words = [part.partition('"')[0] for part in text.split('title="')[1:]]
    return text.partition("<strong>")[2].partition("</strong>")[0], list(zip(words, bars, strict=True))


def test_bars_of_fourteen_days_lead_to_their_records(cast: Cast, staff: Client) -> None:
    before = timezone.now() - timedelta(days=3)
    with cast.scope():
        ContactFactory(name="Ann of Today")
        old = ContactFactory(name="Bob of Before", id=min_id_at(before))
        type(old).objects.filter(pk=old.pk).update(created_at=before)
        ContactFactory(name="Carl of Long Ago", id=min_id_at(timezone.now() - timedelta(days=20)))
    total, bars = chart(staff, "New contacts")
    assert (total, len(bars)) == ("2", 14)
    counts = {words.partition(":")[0]: words.partition(": ")[2] for words, _ in bars}
    assert counts[day_text(before)] == counts[day_text(timezone.now())] == "1"
    assert sum(map(int, counts.values())) == 2
    listed = staff.get(dict(bars)[f"{day_text(before)}: 1"].replace("&amp;", "&")).content.decode()
    assert "Bob of Before" in listed
    assert "Ann of Today" not in listed


def test_search_finds_records_by_their_words_and_pages_by_their_names(cast: Cast, staff: Client) -> None:
    with cast.scope():
        contact = ContactFactory(name="Elsa Hedlund", email="elsa@example.org")
    place = reverse("admin:crm_contact_change", args=(contact.pk,))
    for term in ("hedlund", "elsa@example.org", contact.pk):
        text = search(staff, term)
        assert place in text
        assert "Elsa Hedlund" in text
        assert cast.company.name in text
    assert reverse("admin:crm_contact_changelist") in search(staff, "contacts")
    assert "Nothing found for “&lt;b&gt;”." in search(staff, "<b>")
    assert search(staff, " ").strip() == ""


def test_search_finds_what_its_user_may_see(cast: Cast) -> None:
    with cast.scope():
        ContactFactory(name="Elsa Hedlund")
    viewer = UserFactory(is_staff=True)
    client = browser(viewer)
    assert "Elsa" not in search(client, "hedlund")
    viewer.user_permissions.add(Permission.objects.get(codename="view_contact"))
    assert "Elsa Hedlund" in search(client, "hedlund")
    assert browser(UserFactory()).get(reverse("admin:search"), {"s": "hedlund"}).status_code == 302


def test_a_search_asks_each_kind_of_records_once(cast: Cast, staff: Client) -> None:
    with cast.scope():
        ContactFactory(name="Hedlund 1")
    search(staff, "hedlund")
    with CaptureQueriesContext(connection) as few:
        search(staff, "hedlund")
    with cast.scope():
        ContactFactory.create_batch(3, name="Hedlund")
    with CaptureQueriesContext(connection) as many:
        assert search(staff, "hedlund").count("Hedlund") >= 4
    assert len(many.captured_queries) <= len(few.captured_queries)


def search(client: Client, term: str) -> str:
    answer = client.get(reverse("admin:search"), {"s": term})
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_search_that_takes_too_long_says_where_to_go_on(
    cast: Cast, staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.backoffice.search.IN_ALL", -1.0)
    text = search(staff, "hedlund")
    assert "Search Contacts" in text
    assert f"{reverse('admin:crm_contact_changelist')}?q=hedlund" in text
    assert "Nothing found" not in text


def service(client: Client) -> str:
    page = client.get(reverse("admin:index")).content.decode()
    return page.partition("<h2>Service</h2>")[2].partition("<h2>The last")[0]


def test_the_service_tells_of_its_parts(cast: Cast, staff: Client) -> None:
    text = service(staff)
    for part in ("Workers", "Web processes", "PostgreSQL", "Redis", "Disk", "Last backup", "all migrations applied"):
        assert part in text, part
    assert "last seen never" in text
    assert "No work is waiting." in text
    assert "No backup in" in text


def test_waiting_work_is_counted_by_kind(cast: Cast, staff: Client) -> None:
    with cast.scope():
        Mail.objects.create(kind="notice", to="a@example.org", subject="A", due_at=timezone.now() - timedelta(hours=2))
    text = service(staff)
    assert "2 h ago" in text
    assert f"{reverse('admin:accounts_mail_changelist')}?status__exact=queued" in text


def test_a_redis_that_is_down_is_said(cast: Cast, staff: Client, settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert "Redis does not answer" in service(staff)


def test_the_last_backup_has_its_age_and_its_check(cast: Cast, staff: Client, settings: Any, tmp_path: Path) -> None:
    settings.LEADWRIGHT_DATA = tmp_path
    folder = tmp_path / "backups" / "leadwright-20260101T000000Z"
    folder.mkdir(parents=True)
    Manifest(
        made_at=(timezone.now() - timedelta(hours=3)).isoformat(),
        server=16,
        tools=16,
        migrations=[],
        rows={},
        files=0,
        secrets={},
    ).write(folder)
    assert "3 h ago, 0 bytes, not verified" in service(staff)
    record_check(folder)
    assert "verified just now" in service(staff)
    (folder / "checked.json").write_text("[]")
    assert "not verified" in service(staff)


def test_staff_without_the_permission_see_no_service(cast: Cast) -> None:
    viewer = UserFactory(is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_contact"))
    assert "<h2>Service</h2>" not in browser(viewer).get(reverse("admin:index")).content.decode()
