"""Clicks of people by link: of variants and follow-ups, and behind the links of the mail."""

from __future__ import annotations

import html
from typing import Any

import pytest
from django.utils import timezone

from outreach.models import SendJob, TrackingEvent
from tests.kit.cast import Cast, make_cast
from tests.outreach.runs.campaigns.helpers import begun, jobs, made, went

SHOP = "https://shop.example/?for={{contact.firstName}}&a=1"
BODY = (
    f'<p>Dear {{{{contact.firstName}}}}, <a href="{html.escape(SHOP)}">shop</a> <a href="https://docs.example/">docs</a>'
    f' <a href="mailto:x@shop.example">mail</a> <a href="{html.escape(SHOP)}">shop again</a></p>'
)
TEXT = "See https://news.example/ and https://docs.example/"
DAYS = {"amount": 3, "unit": "days"}


def clicked(job: SendJob, link: int, visitor: str, **values: Any) -> None:
    """Store a click, as the worker leaves it."""
    now = timezone.now()
    event = {"kind": "clicked", "link": link, "of_links": 2, "visitor": visitor, "happened_at": now, "applied_at": now}
    TrackingEvent.objects.create(send_job=job, **{**event, **values})
    if not values.get("machine"):
        job.click_count += 1
        job.save()


def test_clicks_are_counted_by_link_of_each_variant(cast: Cast, people: dict[str, Any]) -> None:
    variants = [
        {"name": "A", "share": 50, "subject": "Hi", "body": BODY},
        {"name": "B", "share": 50, "subject": "Hi", "body": TEXT},
    ]
    steps = [{"delay": DAYS, "body": "Bye, https://last.example/"}]
    cast.key.put("/genie/settings", {"trackClicks": True})
    id = begun(cast, people, variants=variants, outreachCadence={"steps": steps})
    went(cast, id)
    assert cast.key.get(f"/campaign/{id}").data["linkResults"] == []  # nobody has clicked
    sent = jobs(cast, id)
    first = [job for job in sent if job.variant == 0]
    second = [job for job in sent if job.variant == 1]
    with cast.scope():
        clicked(first[0], 1, "a")
        clicked(first[0], 1, "b")
        clicked(first[1], 1, "a")
        clicked(first[1], 2, "a")
        clicked(second[0], 2, "a")
        clicked(second[1], 1, "a", machine="scanner")
        clicked(second[2], 1, "a", applied_at=None)
        follow_up = SendJob.objects.create(run=sent[0].run, contact=sent[0].contact, step=2, variant=1, status="sent")
        clicked(follow_up, 1, "a", of_links=1)
    for caller in (cast.key, cast.session):
        rows = caller.get(f"/campaign/{id}").data["linkResults"]
        assert [tuple(row.values()) for row in rows] == [
            (1, "A", 1, SHOP, 2, 3),
            (1, "A", 2, "https://docs.example/", 1, 1),
            (1, "B", 1, "https://news.example/", 0, 0),
            (1, "B", 2, "https://docs.example/", 1, 1),
            (2, None, 1, "https://last.example/", 1, 1),
        ]
        assert list(rows[0]) == ["step", "variant", "number", "url", "people", "clicks"]
        shown = caller.get(f"/campaign/{id}/preview?clicks=true").data["html"]
        assert shown.count("2 people</span>") == 2  # both places of the same link
        assert shown.count("1 person</span>") == 1
        assert ">mail</a> <a" in shown  # no number behind an address that is not tracked
        plain = caller.get(f"/campaign/{id}/preview?clicks=false&variant=1").data["html"]
        assert "people</span>" not in plain
        of_contact = caller.get(f"/campaign/{id}/preview?clicks=true&contactId={sent[0].contact_id}").data["html"]
        assert of_contact.count("2 people</span>") == 2
        last = caller.get(f"/campaign/{id}/preview?clicks=true&step=2").data["html"]
        assert last.count("1 person</span>") == 1


def test_a_draft_has_no_clicks_and_another_company_sees_none(cast: Cast, people: dict[str, Any]) -> None:
    id = made(cast, people, subject="Hi", body=BODY)
    assert cast.key.get(f"/campaign/{id}").data["linkResults"] == []
    draft = cast.key.get(f"/campaign/{id}/preview?clicks=true")
    assert (draft.status, "people</span>" in draft.data["html"]) == (200, False)
    assert make_cast().key.get(f"/campaign/{id}/preview?clicks=true").status == 404


@pytest.mark.parametrize("value", ["1", "yes", "TRUE", ""])
def test_the_switch_of_clicks_is_true_or_false(cast: Cast, people: dict[str, Any], value: str) -> None:
    id = made(cast, people, subject="Hi", body=BODY)
    assert cast.key.get(f"/campaign/{id}/preview?clicks={value}").status == 400


def test_links_of_values_do_not_move_clicks_to_other_links(cast: Cast, people: dict[str, Any]) -> None:
    body = "We saw {{contact.name}}.\nOffer: https://offer.example/\nDocs: https://docs.example/"
    cast.key.put("/genie/settings", {"trackClicks": True})
    id = begun(cast, people, subject="Hi", body=body)
    went(cast, id)
    sent = jobs(cast, id)
    with cast.scope():
        clicked(sent[0], 1, "a")
        clicked(sent[1], 1, "a", of_links=3)
        clicked(sent[1], 3, "a", of_links=3)
    rows = cast.key.get(f"/campaign/{id}").data["linkResults"]
    assert [(row["number"], row["url"], row["clicks"]) for row in rows] == [
        (1, "https://offer.example/", 1),
        (2, "https://docs.example/", 0),
        (None, "", 2),
    ]
    shown = cast.key.get(f"/campaign/{id}/preview?clicks=true").data["html"]
    assert shown.count("1 person</span>") == 1
