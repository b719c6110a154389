"""The pages of messages: their list, why one has not gone, what its words rest on."""

from __future__ import annotations

import re
from html import escape, unescape

import pytest
from django.test import Client

from crm.models import Contact
from outreach.messaging.delivery.deciding.reasons import SENTENCES, Reason, sentence_of
from outreach.models import SendJob
from tests.kit.cast import Cast
from tests.kit.html import html_of
from tests.outreach.helpers import Post, planned, work
from tests.web.helpers import at, enter, sent_form, text_of, toast_of


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


def test_messages_are_listed_and_explained(cast: Cast, post: Post, client: Client) -> None:
    run, other = planned(cast, 2, draft=True, name="Open day"), planned(cast, 1, name="Spring")
    work("send")
    page = text_of(client.get(at(cast.owner, "messages")))
    assert "Needs approval." in page
    assert "3 messages" in page
    one = text_of(client.get(at(cast.owner, f"messages?f=run:in:{run}&f=reason:in:awaiting_approval")))
    assert "2 messages" in one
    assert "Outreach is Open day" in one
    assert "Reason is Needs approval." in one
    assert run not in one
    assert "1 message" in text_of(client.get(at(cast.owner, "messages?f=status:in:approved,sent")))
    with cast.scope():
        draft, sent = (SendJob.objects.filter(run_id=each).first() for each in (run, other))
    shown = client.get(at(cast.owner, f"messages/{draft.pk}"))
    assert "On hold Needs approval." in text_of(shown)
    assert "Message approved" in toast_of(
        client, client.post(shown.request["PATH_INFO"], {"do": "approve", **sent_form(shown)})
    )
    for action, words in (("draft", "back to drafts"), ("cancel", "Message cancelled"), ("draft", "back to drafts")):
        assert words in toast_of(client, client.post(shown.request["PATH_INFO"], {"do": action}))
    life = text_of(client.get(at(cast.owner, f"messages/{sent.pk}")))
    assert "Handed to the mail server" in life
    assert "2.0.0 queued" in life


def test_every_reason_has_a_sentence_and_a_deed(
    cast: Cast, post: Post, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = planned(cast, 1, draft=True)
    with cast.scope():
        message = SendJob.objects.get()
        SendJob.objects.update(status="failed", reason="rejected")
    page = at(cast.owner, f"outreach/{run}")
    assert "Retried messages need no new approval." in text_of(client.get(page))
    told = toast_of(client, client.post(page, {"do": "retry"}))
    assert "Approved 1 message again; missing texts are written first" in told
    decision = {"state": "wait", "until": None, "goesAt": None}
    monkeypatch.setattr(
        "outreach.messaging.delivery.serializers.decisions_by_id", lambda ids: dict.fromkeys(ids, decision)
    )
    path, opened = at(cast.owner, f"messages/{message.pk}"), set[str]()
    for reason in (*Reason, "sender_trouble"):
        decision |= {"reason": reason, "sentence": sentence_of(reason)}
        card = re.search(r'<div class="card"><h2>.*?</div>', html_of(client.get(path)), re.DOTALL)[0]
        assert escape(sentence_of(reason)) in card, reason
        action = re.search(r'<a class="link" href="([^"]+)">[^<]+</a>', card)
        assert action, reason
        if action[1] not in opened:
            assert client.get(unescape(action[1])).status_code == 200, (reason, action[1])
            opened.add(action[1])
    for reason in sorted(set(SENTENCES) - set(Reason)):
        with cast.scope():
            SendJob.objects.update(status="failed", reason=reason)
        decision.clear()
        monkeypatch.setattr("outreach.messaging.delivery.serializers.decisions_by_id", lambda ids: {})
        card = re.search(r'<div class="card"><h2>.*?</div>', html_of(client.get(path)), re.DOTALL)[0]
        assert re.search(r'<a class="link" href', card), reason
    bar = re.search(r'<ul class="bars">.*?href="([^"]+)"', html_of(client.get(at(cast.owner, f"outreach/{run}"))))
    assert "1 message" in text_of(client.get(unescape(bar[1])))


def test_the_review_says_what_the_words_rest_on(cast: Cast, post: Post, client: Client) -> None:
    run = planned(cast, 2, draft=True, tone="direct")
    with cast.scope():
        message, other = SendJob.objects.order_by("id")
        claim = {"part": "text", "start": 0, "end": 5, "text": message.text[:5], "source": "", "value": ""}
        SendJob.objects.filter(pk=message.pk).update(evidence=[claim, *message.evidence[1:]])
    path = at(cast.owner, f"outreach/{run}/review/{message.pk}")
    page = client.get(path)
    assert re.search(r'<mark class="unproved" title="Unproved">.{5}</mark><sup class="num">1</sup>', html_of(page))
    assert "Topic of the outreach" in text_of(page)
    assert "Check the amber statements" in text_of(page)
    every = at(cast.owner, f"outreach/{run}/approve")
    assert "1 more stays a draft" in text_of(client.get(every))
    approved = toast_of(client, client.post(every, {"do": "approve", **sent_form(client.get(every))}))
    assert "Approved 1 message. 1 message left to review" in approved
    form = sent_form(page)
    alone = html_of(client.get(at(cast.owner, f"messages/{message.pk}")))
    assert "A statement is unproved." in alone
    assert 'value="approve"' not in alone

    # Somebody else has written since: nothing that was typed is lost, and both are there.
    cast.session.put(f"/genie/send-jobs/{message.pk}", {"text": "Words of another."})
    typed = {
        "do": "save",
        "id": message.pk,
        "contentHash": form["contentHash"],
        "subject": "S",
        "text": "My own words.",
    }
    refused = client.post(f"{path}?edit", typed)
    assert refused.status_code == 422
    for words in ("My own words.", "Words of another.", "You changed the draft in another window.", "Current text"):
        assert words in text_of(refused), words
    told = toast_of(client, client.post(path, {"do": "approve", **form}))
    assert "The message has changed in the meantime" in told
    now = re.search(r'name="contentHash" value="(\w+)"', html_of(refused))[1]
    assert client.post(f"{path}?edit", {**typed, "contentHash": now})["Location"] == path
    assert '<mark class="by-person" title="Written by hand">My own words.</mark>' in html_of(client.get(path))
    life = text_of(client.get(at(cast.owner, f"messages/{message.pk}")))
    assert f"Changed by {cast.owner.name}" in life
    assert "The text was edited." in life

    # It is written anew, with a hint; the words stay until there are others.
    assert "What should change?" in text_of(client.get(f"{path}?anew"))
    asked = {"do": "regenerate", "hint": "More formal", **sent_form(client.get(path))}
    assert "The message is being rewritten." in toast_of(client, client.post(f"{path}?anew", asked))
    waits = client.get(path)
    assert ("every 1s" in html_of(waits), "The message is being rewritten." in text_of(waits)) == (True, True)
    work("genie")
    anew = client.get(path)
    assert ("every 1s" in html_of(anew), "My own words." in text_of(anew)) == (False, False)
    assert "Asked for: “More formal”" in text_of(client.get(at(cast.owner, f"messages/{message.pk}")))
    assert "has changed" in toast_of(client, client.post(f"{path}?anew", asked))
    with cast.scope():
        SendJob.objects.filter(pk=message.pk).update(reason="approval_expired", error="The model is away.")
    assert "The approval has expired." in text_of(client.get(path))
    assert "Rewriting failed. The model is away." in text_of(client.get(path))

    # The contact has another address since.
    form = sent_form(client.get(path))
    with cast.scope():
        Contact.objects.filter(pk=message.contact_id).update(email="new@example.net", email_key="new@example.net")
    told = toast_of(client, client.post(path, {"do": "approve", **form}))
    assert "The contact or sender has changed." in told
    assert "new@example.net · from Sender, sender@example.com" in text_of(client.get(path))

    # Somebody else has approved it since.
    cast.session.post(f"/genie/send-jobs/{message.pk}/approve")
    late = client.post(f"{path}?edit", {**typed, "contentHash": now, "text": "Too late"})
    assert (late.status_code, "Approved by someone else" in text_of(late)) == (422, True)
    assert re.search(r"<textarea[^>]*readonly>\nToo late</textarea>", html_of(late))
    work("send")
    assert "Approved by someone else, and sent." in toast_of(client, client.post(path, {"do": "cancel", **form}))


def test_every_reason_has_a_sentence() -> None:
    assert all(sentence_of(reason).endswith(".") for reason in Reason)
    assert (sentence_of(""), sentence_of("something_new")) == ("", "Something new")


def test_pages_have_their_own_text_for_every_reason(cast: Cast, post: Post, client: Client) -> None:
    assert set(Reason) <= set(SENTENCES)
    assert all(not text.startswith(("It ", "The run")) for text in map(str, SENTENCES.values()))
    run = planned(cast, 1, draft=True)
    with cast.scope():
        message = SendJob.objects.get(run_id=run)
        path = at(cast.owner, f"messages/{message.pk}")
        for code in sorted(SENTENCES):
            SendJob.objects.filter(pk=message.pk).update(status="cancelled", reason=code)
            assert sentence_of(code) in unescape(text_of(client.get(path))), code
        SendJob.objects.filter(pk=message.pk).update(reason="from_a_later_version")
    assert "From a later version" in text_of(client.get(path))


def test_the_review_warns_where_the_contact_has_changed(cast: Cast, post: Post, client: Client) -> None:
    run = planned(cast, 1, draft=True)
    path = at(cast.owner, f"outreach/{run}/review")
    warning = "The contact has changed since this draft was written"
    assert warning not in text_of(client.get(path))
    with cast.scope():
        message = SendJob.objects.get(run_id=run)
        contact = f"/contact/{message.contact_id}"
    cast.session.put(contact, {"formData": {"name": "New Name"}})
    assert warning in text_of(client.get(path))
    cast.session.put(f"/genie/send-jobs/{message.pk}", {"text": "Dear New Name"})
    assert warning not in text_of(client.get(path))


def test_a_preview_can_do_nothing(cast: Cast, post: Post, client: Client) -> None:
    run = planned(cast, 1, draft=True)
    with cast.scope():
        message = SendJob.objects.get(run_id=run)
        SendJob.objects.filter(pk=message.pk).update(html="<p>Hello<script>alert(1)</script></p>")
    page = client.get(at(cast.owner, f"messages/{message.pk}/preview"))
    assert page["Content-Security-Policy"].startswith("sandbox; default-src 'none'; style-src 'unsafe-inline'")
    assert page["X-Frame-Options"] == "SAMEORIGIN"
    assert re.search(r"<iframe [^>]*sandbox ", html_of(client.get(at(cast.owner, f"messages/{message.pk}"))))
