"""POST /quote/:id/send: the email of a quote, once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crm.models import File
from outreach.models import PersonalMail, Quote, SendJob, Suppression
from outreach.site.quotes import sending
from tests.kit.cast import SESSION, Caller, Cast, session_headers
from tests.kit.factories import MemberFactory, RoleFactory
from tests.kit.threads import at_once
from tests.outreach.helpers import Post, work
from tests.outreach.site.quotes.helpers import kinds, make_quote, path_of, sent_quote


@pytest.mark.parametrize("path", ["key", "session"])
def test_it_goes_with_the_pdf_and_the_link(cast: Cast, post: Post, media: Path, path: str) -> None:
    caller: Caller = getattr(cast, path)
    quote = make_quote(cast)
    place = f"/quote/{quote['_id']}/send"
    done = caller.post(place, {})
    assert (done.status, done.data["status"]) == (200, "sent"), done.body
    # A further call without a key, or with the same one, sends nothing.
    assert caller.post(place, {}).status == 200
    work("send")
    assert post.recipients() == ["ada@example.com"]
    [mail] = post.server.received
    assert b"Subject: Quote Q-0001 from " in mail
    assert b"Q-0001.pdf" in mail
    assert path_of(quote)[:20].encode() in mail.replace(b"=\r\n", b"")
    with cast.scope():
        row = Quote.objects.select_related("pdf", "mail").get(pk=quote["_id"])
        assert (row.pdf.name, row.pdf.read_module, row.mail.lead_id) == ("Q-0001.pdf", "lead", quote["lead"]["_id"])
    again = caller.post(place, {"key": "reminder", "subject": "Please", "text": "Here: {{quote.link}} - bye"})
    assert (again.status, again.data["status"]) == (200, "sent")
    work("send")
    assert post.subjects()[1] == "Subject: Please"
    assert kinds(cast) == ["quote.created", "quote.sent", "quote.sent"]
    with cast.scope():
        assert File.objects.filter(is_deleted=False).count() == 1


def test_refusals(cast: Cast, post: Post, media: Path) -> None:
    empty = make_quote(cast, lines=[])
    assert cast.key.post(f"/quote/{empty['_id']}/send", {}).body["name"] == "QuoteCannotBeUpdated_400"
    over = make_quote(cast, empty["lead"]["_id"], validUntil="2020-01-01")
    assert cast.key.post(f"/quote/{over['_id']}/send", {}).status == 400
    with cast.scope():
        Suppression.objects.create(email="ada@example.com", reason="unsubscribed")
    quote = make_quote(cast, empty["lead"]["_id"])
    refused = cast.key.post(f"/quote/{quote['_id']}/send", {})
    assert (refused.status, refused.body["name"]) == (400, "NoMessagesSent_400")
    assert cast.key.get(f"/quote/{quote['_id']}").data["status"] == "draft"
    with cast.scope():
        assert (SendJob.objects.count(), File.objects.filter(is_deleted=False).count()) == (0, 0)


def test_it_takes_the_right_to_send_emails(cast: Cast, post: Post, media: Path) -> None:
    quote = make_quote(cast)
    with cast.scope():
        role = RoleFactory(permission={"lead": {"GET": True, "POST": True}})
        seller = MemberFactory(role=role, status="accepted")
    caller = Caller(SESSION, session_headers(seller))
    assert caller.post(f"/quote/{quote['_id']}/send", {}).status == 403
    assert caller.post(f"/quote/{quote['_id']}/mark-sent", {}).status == 200
    assert cast.narrow_session.get("/quote").status == 403


@pytest.mark.django_db(transaction=True)
def test_two_sendings_at_once_send_one(cast: Cast, post: Post, media: Path) -> None:
    quote = make_quote(cast)

    def send(number: int) -> None:
        sending.send_quote(id=quote["_id"], actor_id=cast.owner.pk, mail=sending.Mail())

    assert at_once(3, cast.company.pk, send) == [None, None, None]
    with cast.scope():
        assert (SendJob.objects.count(), File.objects.filter(is_deleted=False).count()) == (1, 1)


class Killed(BaseException):
    """An exception that nothing catches, in place of kill -9."""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("place", ["write_mail", "_mark_sent", "_send"])
def test_a_sending_that_dies_sends_nothing_and_once_later(
    place: str, cast: Cast, post: Post, media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quote = make_quote(cast)

    def die(*args: Any, **values: Any) -> None:
        raise Killed

    with monkeypatch.context() as dying, cast.scope():
        dying.setattr(sending, place, die)
        with pytest.raises(Killed):
            sending.send_quote(id=quote["_id"], actor_id=cast.owner.pk, mail=sending.Mail())
    with cast.scope():
        assert (SendJob.objects.count(), PersonalMail.objects.count()) == (0, 0)
    assert cast.key.get(f"/quote/{quote['_id']}").data["status"] == "draft"
    for _ in range(2):
        assert cast.key.post(f"/quote/{quote['_id']}/send", {}).data["status"] == "sent"
    work("send")
    assert len(post.server.received) == 1


def test_a_sent_quote_can_go_by_email_too(cast: Cast, post: Post, media: Path) -> None:
    quote = sent_quote(cast)
    assert cast.key.post(f"/quote/{quote['_id']}/send", {}).status == 200
    work("send")
    assert len(post.server.received) == 1
