"""The page of a meeting marks it as held or as a no-show."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from crm.models import Meeting
from tests.kit.cast import Cast, make_cast
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of


def plan(cast: Cast, hours: int) -> str:
    start = timezone.now() + timedelta(hours=hours)
    with cast.scope():
        values = {"title": "Demo", "organizer": cast.owner, "timezone": "UTC"}
        return str(Meeting.objects.create(starts_at=start, ends_at=start + timedelta(hours=1), **values).pk)


def test_a_meeting_is_marked_and_the_mark_is_undone(cast: Cast) -> None:
    client = enter(cast.owner)
    place = at(cast.owner, f"meetings/{plan(cast, -2)}")
    assert "Mark as no-show" in text_of(client.get(place))
    marked = client.post(place, {"do": "result", "result": "noShow"})
    toast = toast_of(client, marked)
    assert ("Marked as no-show" in toast, "Undo" in toast) == (True, True)
    page = text_of(client.get(place))
    assert ("No-show" in page, "Mark as held" in page, "Mark as no-show" in page) == (True, True, False)
    assert "Result cleared" in toast_of(client, client.post(place, {"do": "result", "result": ""}))
    with cast.scope():
        assert Meeting.objects.get().result == ""


def test_a_meeting_to_come_and_a_reader_have_no_buttons(db: None) -> None:
    cast = make_cast(permission={"meeting": {"GET": True}})
    coming, begun = (at(cast.owner, f"meetings/{plan(cast, hours)}") for hours in (3, -3))
    assert 'name="result"' not in html_of(enter(cast.owner).get(coming))
    assert 'name="result"' not in html_of(enter(cast.narrow).get(begun))
    refused = enter(cast.owner).post(coming, {"do": "result", "result": "held"})
    assert refused.status_code == 303
