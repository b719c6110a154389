"""The pages of outreach: runs, review, messages, addresses that are never written to, senders."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from crm.models import Contact
from outreach.delivery.decision import Reason, sentence_of
from outreach.models import AiApp, SendJob, Smtp, Suppression
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, SmtpFactory, TagFactory
from tests.kit.smtp_server import Faults
from tests.outreach.helpers import Post, planned, statuses, work
from tests.web.helpers import at, enter, text_of, toast_of

EVIL = '"><script>alert(1)</script>{{ 7|add:7 }}'
READER = {"genie": {"GET": True}, "apps": {"GET": True}}


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


def sent_form(page: Any) -> dict[str, str]:
    """Return the hidden values of the form that decides about a message."""
    shown = re.search(r'<form class="(?:decide|form-end)".*?</form>', page.content.decode(), re.DOTALL)[0]
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', shown))


def test_a_run_is_started_and_its_drafts_are_decided_one_by_one(cast: Cast, post: Post, client: Client) -> None:
    with cast.scope():
        tag = TagFactory(name="Fair")
        for name in ("Ann Lee", "Bob Ray", "Cid Day"):
            contact = ContactFactory(name=name, custom={})
            cast.session.put(f"/contact/{contact.pk}", {"tags": [tag.pk]})
        Suppression.objects.create(email=contact.email.lower(), reason="manual")
    assert "No outreach yet" in text_of(client.get(at(cast.owner, "outreach")))
    form = client.get(at(cast.owner, f"outreach/new?tags={tag.pk}"))
    assert re.search(r'name="tags" value="\w+" checked', form.content.decode())
    audience = text_of(client.get(at(cast.owner, f"outreach/audience?tags={tag.pk}")))
    assert "2 of 3 contacts" in audience
    assert "1 won't be written to: 1 on the list of those never written to" in audience
    nobody = client.post(at(cast.owner, "outreach/new"), {"prompt": "Come", "draft": "hold"})
    assert (nobody.status_code, "Not started yet" in text_of(nobody)) == (422, True)
    body = {"tags": tag.pk, "prompt": "Invite them to our open day", "tone": "formal", "draft": "hold"}
    started = client.post(at(cast.owner, "outreach/new"), body)
    assert "The messages are being written" in toast_of(client, started)
    assert "every 1s" in client.get(started["Location"]).content.decode()
    work("genie")
    run = started["Location"]
    assert "Review 2 drafts" in text_of(client.get(run))
    review = client.get(f"{run}/review")
    assert "1 of 2" in text_of(review)
    first = sent_form(review)
    edited = client.post(
        f"{run}/review/{first['id']}?edit", {"do": "save", "id": first["id"], "subject": "S", "text": "A\r\n\r\nB"}
    )
    assert edited["Location"] == f"{run}/review/{first['id']}"
    unseen = toast_of(client, client.post(f"{run}/review", {"do": "approve", **first}))
    assert 'class="toast bad"' in unseen
    assert "The message has changed in the meantime" in unseen
    seen = sent_form(client.get(edited["Location"]))
    on = client.post(edited["Location"], {"do": "approve", **seen})
    assert on["Location"] == f"{run}/review/{seen['then']}"
    last = sent_form(client.get(on["Location"]))
    refused = client.post(on["Location"], {"do": "approve", "id": last["id"]})
    assert 'class="toast bad"' in toast_of(client, refused)
    client.post(on["Location"], {"do": "cancel", **last})
    assert "Every draft is decided" in text_of(client.get(f"{run}/review"))
    work("send")
    assert (post.subjects(), b"\r\nA\r\n\r\nB\r\n" in post.server.received[0]) == (["Subject: S"], True)
    page = client.get(run).content.decode()
    assert "A person has decided against it." in page
    assert "every 1s" not in page


def test_a_run_is_paused_approved_and_cancelled(cast: Cast, post: Post, client: Client) -> None:
    run = planned(cast, 3, draft=True)
    path = at(cast.owner, f"outreach/{run}")
    assert "Approved 3 messages" in toast_of(client, client.post(path, {"do": "approve"}))
    assert "Paused: 3 messages" in toast_of(client, client.post(path, {"do": "pause"}))
    assert statuses(cast, run) == {"draft": 3}
    assert "3 messages will not go" in toast_of(client, client.post(path, {"do": "cancel"}))
    assert 'class="toast bad"' in toast_of(client, client.post(path, {"do": "approve"}))
    assert client.post(path, {"do": "delete"})["Location"] == at(cast.owner, "outreach")
    assert client.get(path).status_code == 404


def test_messages_are_listed_and_explained(cast: Cast, post: Post, client: Client) -> None:
    run, other = planned(cast, 2, draft=True, name="Open day"), planned(cast, 1, name="Spring")
    work("send")
    page = text_of(client.get(at(cast.owner, "messages")))
    assert "The message is a draft and waits for approval." in page
    assert "3 messages" in page
    one = text_of(client.get(at(cast.owner, f"messages?f=run:in:{run}&f=reason:in:awaiting_approval")))
    assert "2 messages" in one
    assert "Outreach is Open day" in one
    assert "Why is The message is a draft" in one
    assert run not in one
    assert "1 message" in text_of(client.get(at(cast.owner, "messages?f=status:in:approved,sent")))
    with cast.scope():
        draft, sent = (SendJob.objects.filter(run_id=each).first() for each in (run, other))
    shown = client.get(at(cast.owner, f"messages/{draft.pk}"))
    assert "Why it has not gone The message is a draft" in text_of(shown)
    assert "The message goes" in toast_of(
        client, client.post(shown.request["PATH_INFO"], {"do": "approve", **sent_form(shown)})
    )
    for deed, words in (("draft", "a draft again"), ("cancel", "It will not go"), ("draft", "a draft again")):
        assert words in toast_of(client, client.post(shown.request["PATH_INFO"], {"do": deed}))
    life = text_of(client.get(at(cast.owner, f"messages/{sent.pk}")))
    assert "Handed to the mail server" in life
    assert "2.0.0 queued" in life


def test_every_reason_has_a_sentence() -> None:
    assert all(sentence_of(reason).endswith(".") for reason in Reason)
    assert (sentence_of(""), sentence_of("something_new")) == ("", "Something new")


def test_a_preview_can_do_nothing(cast: Cast, post: Post, client: Client) -> None:
    run = planned(cast, 1, draft=True)
    with cast.scope():
        message = SendJob.objects.get(run_id=run)
        SendJob.objects.filter(pk=message.pk).update(html="<p>Hello<script>alert(1)</script></p>")
    page = client.get(at(cast.owner, f"messages/{message.pk}/preview"))
    assert page["Content-Security-Policy"].startswith("sandbox; default-src 'none'; style-src 'unsafe-inline'")
    assert page["X-Frame-Options"] == "SAMEORIGIN"
    assert re.search(r"<iframe [^>]*sandbox ", client.get(at(cast.owner, f"messages/{message.pk}")).content.decode())


def test_addresses_are_put_on_the_list_and_taken_off(cast: Cast, client: Client) -> None:
    path = at(cast.owner, "suppressions")
    wrong = client.post(path, {"email": "nonsense", "reason": "manual"})
    assert (wrong.status_code, 'aria-invalid="true"' in wrong.content.decode()) == (422, True)
    added = client.post(path, {"email": "Ann@Example.org", "reason": "manual", "source": "Call"})
    assert "ann@example.org is never written to" in toast_of(client, added)
    with cast.scope():
        id = Suppression.objects.get().pk
    assert "Asked for" in text_of(client.get(path + "?q=ann&f=reason:in:manual"))
    assert "Took 1 address off the list" in toast_of(client, client.post(path, {"do": "delete", "ids": id}))


def test_senders_are_connected_tested_and_limited(cast: Cast, post: Post, client: Client) -> None:
    path = at(cast.owner, "senders")
    page = text_of(client.get(path))
    assert "Works" in page
    assert "What writes the messages" in page
    assert "The connection works" in toast_of(client, client.post(path, {"do": "test", "id": post.smtp.pk}))
    own = f"{path}/{post.smtp.pk}"
    values = dict(
        re.findall(r'name="(\w+)" type="\w+"(?: step="any")? value="([^"]*)"', client.get(own).content.decode())
    )
    assert "päss" not in client.get(own).content.decode()
    saved = client.post(own, {**values, "perHour": "30", "isActive": "on"})
    assert "Sender saved; the connection works" in toast_of(client, saved)
    moved = client.post(own, {**values, "host": "mail.example.org", "isActive": "on"})
    assert (moved.status_code, 'id="f-password-error"' in moved.content.decode()) == (422, True)
    hours = {"do": "hours", "windowDays": ["1", "2"], "windowStart": "09:00", "windowEnd": "17:00"}
    assert "Sending hours saved" in toast_of(client, client.post(path, hours))
    new = {**values, "username": "user", "password": "x", "fromEmail": "new@example.com"}
    assert "Sender connected" in toast_of(client, client.post(f"{path}/new", new))
    with cast.scope():
        assert sorted(Smtp.objects.values_list("per_hour", flat=True), key=str) == [30, None]
    assert client.post(own, {"do": "delete"})["Location"] == path


def test_nobody_does_what_their_role_may_not(db: None, mail_server: tuple[Faults, int]) -> None:
    cast = make_cast(READER)
    with cast.scope():
        SmtpFactory(port=mail_server[1], username="user", password="x")
        AiApp.objects.get_or_create(provider="offline-composer", is_default=True, defaults={"name": "Offline"})
    run = planned(cast, 1, draft=True)
    with cast.scope():
        message = SendJob.objects.get()
    client = enter(cast.narrow)
    paths = (
        "outreach",
        "outreach/new",
        f"outreach/{run}",
        f"outreach/{run}/review",
        "messages",
        f"messages/{message.pk}",
    )
    for path in (*paths, "suppressions", "senders"):
        page = client.get(at(cast.narrow, path))
        assert page.status_code == 200, path
        assert not re.findall(r'name="do"|outreach/new"|senders/new"', page.content.decode()), path
    form = {"id": message.pk, "contentHash": message.content_hash}
    for path, deeds in (
        (f"outreach/{run}", ("approve", "pause", "retry", "cancel", "delete")),
        (f"outreach/{run}/review", ("approve", "cancel")),
        (f"messages/{message.pk}", ("approve", "draft", "cancel")),
        ("senders", ("test", "hours")),
        ("suppressions", ("delete",)),
    ):
        for deed in deeds:
            answer = client.post(at(cast.narrow, path), {"do": deed, **form})
            assert 'class="toast bad"' in toast_of(client, answer), (path, deed)
    for path in ("outreach/new", f"outreach/{run}/review/{message.pk}?edit", "suppressions", "senders/new"):
        assert client.post(at(cast.narrow, path), {"do": "save", **form, "text": "x"}).status_code == 422, path
    assert statuses(cast, run) == {"draft": 1}
    nobody = enter(make_cast({"contact": {"GET": True}}).narrow)
    assert nobody.get(at(cast.narrow, "outreach")).status_code == 404


def test_hostile_text_stays_text(cast: Cast, post: Post, client: Client) -> None:
    run = planned(cast, 1, draft=True, prompt=EVIL, name=EVIL)
    with cast.scope():
        message = SendJob.objects.get()
        Contact.objects.update(name=EVIL)
        SendJob.objects.update(subject=EVIL, text=EVIL, error=EVIL)
        Suppression.objects.create(email=f"{EVIL[:30]}@x.org", reason="manual", source=EVIL)
        Smtp.objects.update(name=EVIL, from_name=EVIL, last_error=EVIL)
    for path in (
        "outreach",
        f"outreach/{run}",
        f"outreach/{run}/review",
        f"outreach/{run}/review/{message.pk}?edit",
        "messages",
        f"messages/{message.pk}",
        f"messages/{message.pk}/preview",
        "suppressions",
        "senders",
        f"senders/{post.smtp.pk}",
    ):
        page = client.get(at(cast.owner, path)).content.decode()
        assert "<script>alert" not in page, path
        assert not re.findall(r"&lt;/script&gt;14", page), path
