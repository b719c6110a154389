"""Clicks of people by link: of variants and follow-ups, and behind the links of the mail."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from crm.models import Contact, CustomField
from outreach.messaging.delivery.tracking.links import sent_html, with_tracking
from outreach.models import SendJob, TrackingEvent
from tests.kit.cast import Cast, make_cast
from tests.outreach.helpers import work
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


def followed(cast: Cast, job: SendJob, *numbers: int) -> None:
    """Click the tracked links of a message with these numbers, from 0, as its recipient does in a browser."""
    page = with_tracking(sent_html(job.text, job.html), job.pk, "", opens=False, clicks=True)
    paths = re.findall(r'href="(/c/[^"]+)"', page)
    for minutes, number in enumerate(numbers, 1):
        # Clicks within a second on all links would be those of a scanner.
        with time_machine.travel(timezone.now() + timedelta(minutes=minutes), tick=True):
            caller = {"HTTP_USER_AGENT": "Mozilla/5.0 Firefox/140.0", "REMOTE_ADDR": "198.51.100.7"}
            assert Client().get(paths[number], **caller).status_code == 302
    with time_machine.travel(timezone.now() + timedelta(minutes=30), tick=True):
        work("tracking")


def clicks_by_link(cast: Cast, id: str) -> list[tuple[Any, ...]]:
    """Return the variant, number, address, people and clicks of each link of a campaign."""
    rows = cast.key.get(f"/campaign/{id}").data["linkResults"]
    return [tuple(row[name] for name in ("variant", "number", "url", "people", "clicks")) for row in rows]


DOCS = "https://docs.example/"
LINKS = (
    f'<p><a href="{DOCS}">Docs</a> <a href="{{{{site}}}}">Your site</a> <a href="mailto:x@shop.example">mail</a>'
    f' <a href="{DOCS}">Docs again</a> <a href="https://shop.example/">Shop</a></p>'
)


def test_a_click_belongs_to_the_link_of_the_template_whatever_its_address_is(
    cast: Cast, people: dict[str, Any]
) -> None:
    cast.key.put("/genie/settings", {"trackClicks": True})
    with cast.scope():
        CustomField.objects.create(name="site", panel="contact", field_type="text", unique_field_id="site")
        contacts = list(Contact.objects.filter(tag_links__tag__in=people["tags"]).order_by("pk"))
        for contact, site in zip(
            contacts, [DOCS, "https://own.example/", "https://shop.example/", "not a link", ""], strict=False
        ):
            contact.custom = {"site": site}
            contact.save()
    id = begun(cast, people, subject="Hi", body=LINKS)
    went(cast, id)
    by_contact = {job.contact_id: job for job in jobs(cast, id)}
    equal, own, shop, broken, empty = (by_contact[contact.pk] for contact in contacts[:5])
    followed(cast, equal, 1)  # the address is that of Docs
    followed(cast, equal, 2)
    followed(cast, own, 0, 2, 3)  # both links to the same address: one person, two clicks
    followed(cast, shop, 1, 3)
    followed(cast, broken, 2)  # its own link is not tracked
    followed(cast, empty, 0)
    expected = [(1, DOCS, 3, 4), (2, "{{site}}", 2, 2), (3, "https://shop.example/", 3, 3)]
    assert [row[1:] for row in clicks_by_link(cast, id)] == expected
    for contact in (contacts[0], contacts[2], None):
        query = f"&contactId={contact.pk}" if contact else ""
        shown = cast.key.get(f"/campaign/{id}/preview?clicks=true{query}").data["html"]
        assert [int(number) for number in re.findall(r">(\d+) pe(?:ople|rson)</span>", shown)] == [3, 2, 3, 3]


def test_links_of_one_variant_alone_and_of_text_alone(cast: Cast, people: dict[str, Any]) -> None:
    cast.key.put("/genie/settings", {"trackClicks": True})
    variants = [
        {"name": "A", "share": 50, "subject": "Hi", "body": f"Shop: https://shop.example/ or {DOCS}"},
        {"name": "B", "share": 50, "subject": "Hi", "body": f"{DOCS}\nFor {{{{contact.name}}}}: {DOCS}"},
    ]
    id = begun(cast, people, variants=variants)
    went(cast, id)
    sent = jobs(cast, id)
    first = [job for job in sent if job.variant == 0]
    second = [job for job in sent if job.variant == 1]
    with cast.scope():
        # A name with an address in it adds a link.
        SendJob.objects.filter(pk=second[1].pk).update(text=f"{DOCS}\nFor https://ann.example/: {DOCS}")
        second[1].refresh_from_db()
    followed(cast, first[0], 1)
    followed(cast, second[0], 0, 1)
    followed(cast, second[1], 1)
    assert clicks_by_link(cast, id) == [
        ("A", 1, "https://shop.example/", 0, 0),
        ("A", 2, DOCS, 1, 1),
        ("B", 1, DOCS, 1, 2),
        ("B", None, "", 1, 1),
    ]


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
