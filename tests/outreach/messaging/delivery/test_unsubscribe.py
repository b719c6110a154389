"""GET and POST /api/public/unsubscribe/:token (RFC 8058)."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from django.test import Client

from accounts.models import Company
from core.models import Event
from crm.models import Contact
from outreach.messaging.delivery.unsubscribing.tokens import Unsubscriber, make_token
from outreach.models import SendJob, Suppression
from tests.kit.cast import Cast
from tests.outreach.helpers import Post, planned, statuses, work


def link(mail: bytes) -> str:
    found = re.search(rb"^List-Unsubscribe: <https?://[^/]+(/[^>]+)>", mail, re.M)
    assert found
    return found[1].decode()


def click(path: str) -> object:
    """What a mail client posts, without any login."""
    return Client(enforce_csrf_checks=True).post(
        path, b"List-Unsubscribe=One-Click", content_type="application/x-www-form-urlencoded"
    )


def test_one_click_takes_effect_on_the_next_claim(cast: Cast, post: Post) -> None:
    planned(cast, 1)
    work("send")
    path = link(post.server.received[0])
    assert click(path).status_code == 200
    with cast.scope():
        contact = Contact.objects.get()
        assert contact.unsubscribed_at is not None
        listed = Suppression.objects.get()
        assert (listed.email, listed.reason, listed.source) == (contact.email, "unsubscribed", SendJob.objects.get().pk)
        assert Event.objects.filter(kind="contact.unsubscribed").values_list("object_id", flat=True).get() == contact.pk
    run = cast.key.post("/genie/from-contacts", {"contactIds": [contact.pk]}).data["_id"]
    work("genie")
    work("send")
    assert statuses(cast, run) == {"suppressed": 1}
    assert len(post.server.received) == 1


def test_a_waiting_message_is_stopped(cast: Cast, post: Post) -> None:
    run = planned(cast, 1)
    with cast.scope():
        job = SendJob.objects.get()
    token = make_token(Unsubscriber(cast.company.pk, job.contact_id, job.pk))
    click(f"/api/public/unsubscribe/{token}")
    work("send")
    assert statuses(cast, run) == {"suppressed": 1}
    assert post.server.received == []


@pytest.mark.parametrize(
    ("date_format", "zone", "day"),
    [("dd.mm.yyyy", "Europe/Berlin", "01.03.2026"), ("mm/dd/yyyy", "America/New_York", "02/28/2026")],
)
def test_the_last_message_has_the_companys_date(cast: Cast, post: Post, date_format: str, zone: str, day: str) -> None:
    cast.key.put("/settings", {"dateFormat": date_format})
    planned(cast, 1)
    work("send")
    with cast.scope():
        Company.objects.filter(pk=cast.company.pk).update(timezone=zone)
        SendJob.objects.update(sent_at=datetime(2026, 3, 1, 1, tzinfo=UTC))
    page = Client().get(link(post.server.received[0])).content.decode()
    assert f"Last message: {day}." in page


def test_opening_the_link_asks_and_changes_nothing(cast: Cast, post: Post) -> None:
    planned(cast, 1)
    work("send")
    page = Client().get(link(post.server.received[0]))
    assert page.status_code == 200
    assert page["Content-Type"] == "text/html; charset=utf-8"
    assert b'<form method="post">' in page.content
    with cast.scope():
        recipient = SendJob.objects.get().recipient
    assert recipient not in page.content.decode()
    assert f"{recipient[0]}•••@{recipient.partition('@')[2]}" in page.content.decode()
    assert "Messages sent to you: 1." in page.content.decode()
    assert cast.company.name in page.content.decode()
    assert "default-src 'none'" in page["Content-Security-Policy"]
    with cast.scope():
        assert not Suppression.objects.exists()


def test_clicking_twice_changes_nothing_more(cast: Cast, post: Post) -> None:
    planned(cast, 1)
    work("send")
    path = link(post.server.received[0])
    click(path)
    with cast.scope():
        before = Contact.objects.get().unsubscribed_at
    assert click(path).status_code == 200
    with cast.scope():
        assert Contact.objects.get().unsubscribed_at == before
        assert Event.objects.filter(kind="contact.unsubscribed").count() == 1


def test_the_address_that_was_written_to_is_suppressed_even_if_the_contact_has_another_by_now(
    cast: Cast, post: Post
) -> None:
    planned(cast, 1)
    work("send")
    with cast.scope():
        Contact.objects.update(email="New@Example.org", is_deleted=True)
    click(link(post.server.received[0]))
    with cast.scope():
        assert set(Suppression.objects.values_list("email", flat=True)) == {post.recipients()[0], "new@example.org"}


def test_a_forged_token_is_refused(cast: Cast, outsiders: Cast, post: Post) -> None:
    planned(cast, 1)
    work("send")
    path = link(post.server.received[0])
    forged = path.replace(cast.company.pk, outsiders.company.pk)
    assert forged != path
    for bad in (forged, path + "x", "/api/public/unsubscribe/nonsense"):
        assert click(bad).status_code == 400
        assert Client().get(bad).status_code == 400
    with cast.scope():
        assert not Suppression.objects.exists()


def test_who_has_unsubscribed_can_come_back_in_their_language(cast: Cast, outsiders: Cast, post: Post) -> None:
    assert cast.key.put("/genie/settings", {"language": "de"}).status == 200
    planned(cast, 1)
    work("send")
    path = link(post.server.received[0])
    click(path)
    page = Client().get(path).content.decode()
    assert '<html lang="de">' in page
    assert "Sie sind abgemeldet" in page
    back = Client(enforce_csrf_checks=True).post(path, {"do": "resubscribe"})
    assert "Sie erhalten wieder Nachrichten" in back.content.decode()
    with cast.scope():
        contact = Contact.objects.get()
        assert contact.unsubscribed_at is None
        assert not Suppression.objects.exists()
        assert Event.objects.filter(kind="contact.resubscribed").count() == 1
        Suppression.objects.create(email=post.recipients()[0], reason="complained")
    for asked in ({"do": "resubscribe"}, {}):
        kept = Client().post(path, asked).content.decode()
        assert "gesperrt" in kept
        assert "<form" not in kept
    with cast.scope():
        assert Suppression.objects.get().reason == "complained"
