"""Announcements of the staff above the pages of all companies."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.contrib.auth.models import Permission
from django.db import IntegrityError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from core.announcements.services import MAX_SHOWN, current_announcements, forget
from core.models import Announcement
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import UserFactory
from tests.web.helpers import at, enter, text_of

pytestmark = pytest.mark.django_db
START = datetime(2026, 5, 4, 12, tzinfo=UTC)
END = START + timedelta(hours=2)
SECOND = timedelta(seconds=1)
LIST = "admin:core_announcement_changelist"
ADD = "admin:core_announcement_add"


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    forget()
    yield
    forget()


def announce(text: str = "Maintenance on Sunday", level: str = "info", start: datetime = START) -> Announcement:
    return Announcement.objects.create(text=text, level=level, starts_at=start, ends_at=END)


@pytest.mark.parametrize(
    ("moment", "shown"),
    [(START - SECOND, False), (START, True), (END - SECOND, True), (END, False), (END + SECOND, False)],
)
def test_an_announcement_is_shown_from_its_start_until_its_end(moment: datetime, shown: bool) -> None:
    announce()
    assert bool(current_announcements(moment)) is shown


def test_cached_announcements_start_and_end_on_time() -> None:
    announce()
    assert current_announcements(START - SECOND) == []
    with CaptureQueriesContext(connection) as captured:
        assert [row.text for row in current_announcements(START)] == ["Maintenance on Sunday"]
        assert current_announcements(END) == []
    assert len(captured) == 0


def test_the_newest_announcements_come_first_and_the_rest_is_left_out() -> None:
    for number in range(MAX_SHOWN + 1):
        announce(str(number), start=START + number * SECOND)
    assert [row.text for row in current_announcements(END - SECOND)] == ["3", "2", "1"]


@pytest.mark.parametrize("planned", [0, 60])
def test_of_very_many_the_newest_that_have_started_are_shown(planned: int) -> None:
    rows = [(START + number * SECOND, END) for number in range(60)]
    rows += [(END + number * SECOND, END + timedelta(days=1)) for number in range(1, planned + 1)]
    texts = enumerate(rows)
    Announcement.objects.bulk_create(Announcement(text=str(n), starts_at=a, ends_at=b) for n, (a, b) in texts)
    assert [row.text for row in current_announcements(END - SECOND)] == ["59", "58", "57"]


def test_the_back_office_shows_very_many_by_pages() -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", "correct horse battery"))
    for number in range(53):
        announce(f"News {number:02}", start=START + number * SECOND)
    first, second = (client.get(reverse(LIST), {"p": page}).content.decode() for page in (1, 2))
    listed = [{number for number in range(53) if f"News {number:02}" in page} for page in (first, second)]
    assert [len(numbers) for numbers in listed] == [50, 3]
    assert listed[0] | listed[1] == {*range(53)}


def test_an_end_before_the_start_is_refused() -> None:
    with pytest.raises(IntegrityError):
        Announcement.objects.create(text="A", starts_at=END, ends_at=START)


def test_members_of_all_companies_read_it_and_the_api_does_not(cast: Cast) -> None:
    now = timezone.now()
    values = {"starts_at": now - SECOND, "ends_at": now + timedelta(hours=1)}
    Announcement.objects.create(text="Servers <b>rest</b> on Sunday", level="warning", **values)
    for member in (cast.owner, cast.narrow, make_cast().owner):
        page = enter(member).get(at(member))
        assert "Servers <b>rest</b> on Sunday" in text_of(page)
        assert 'class="banner bad"' in page.content.decode()
    assert cast.key.get("/announcement").status == 404
    assert "Servers" not in str(cast.key.get("/contact", p="1", n="1").body)
    with time_machine.travel(now + timedelta(hours=1), tick=False):
        assert "Servers" not in text_of(enter(cast.owner).get(at(cast.owner)))


def staff(*names: str) -> Client:
    user = UserFactory(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=names))
    client = Client()
    client.force_login(user)
    return client


def form(**changes: str) -> dict[str, str]:
    values = {"text": "New prices", "level": "info", "starts_at_0": "2026-05-04", "starts_at_1": "12:00:00"}
    return {**values, "ends_at_0": "2026-05-04", "ends_at_1": "14:00:00", **changes}


@pytest.mark.django_db(transaction=True)
def test_staff_write_it_in_the_back_office() -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", "correct horse battery"))
    assert current_announcements(START) == []
    refused = client.post(reverse(ADD), form(ends_at_1="12:00:00"))
    assert "Enter an end after the start." in refused.content.decode()
    assert client.post(reverse(ADD), form()).status_code == 302
    [row] = current_announcements(START)
    assert (row.text, row.level) == ("New prices", "info")
    assert "New prices" in client.get(reverse(LIST)).content.decode()
    client.post(reverse("admin:core_announcement_delete", args=(row.pk,)), {"post": "yes"})
    assert current_announcements(START) == []


def test_staff_need_the_permission() -> None:
    assert staff("view_user").get(reverse(ADD)).status_code == 403
    assert staff("view_announcement").get(reverse(LIST)).status_code == 200
    assert staff("view_announcement").get(reverse(ADD)).status_code == 403
    assert staff("view_announcement", "add_announcement").get(reverse(ADD)).status_code == 200
