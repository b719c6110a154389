"""The pages of guardrails, of limits by mail provider, and of many addresses at once."""

from __future__ import annotations

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from outreach.models import GenieSettings, MailApp, Smtp, Suppression
from tests.kit.cast import Cast
from tests.kit.factories import SmtpFactory
from tests.kit.html import html_of
from tests.outreach.helpers import work
from tests.web.helpers import at, enter, text_of, toast_of

STOP = {"what": "bounces", "count": 6, "of": 60}


def test_a_stopped_sender_of_each_kind_is_resumed_on_its_page(cast: Cast) -> None:
    client = enter(cast.owner)
    with cast.scope():
        stopped = {"stopped_at": timezone.now(), "stopped_by": STOP}
        smtp = SmtpFactory(**stopped)
        vendor = MailApp.objects.create(api_key="k", from_email="v@example.com", from_name="V", **stopped)
    for sender in (smtp, vendor):
        page = at(cast.owner, sender.page)
        assert "6 of 60 messages (10%) went to missing mailboxes" in text_of(client.get(page))
        assert "Sender resumed" in toast_of(client, client.post(page, {"do": "resume"}))
        assert "Resume this sender" not in text_of(client.get(page))
        with cast.scope():
            sender.refresh_from_db()
            assert (sender.stopped_at, sender.counted_since is None) == (None, False)
    with cast.scope():
        Smtp.objects.update(**stopped)
    assert "Stopped" in text_of(client.get(at(cast.owner, "senders")))


def test_thresholds_and_limits_are_changed_on_their_page(cast: Cast) -> None:
    client, page = enter(cast.owner), at(cast.owner, "settings/deliverability")
    sent = {"do": "save", "bouncePercent": "3.5", "complaintPercent": "0.1", "guardFrom": "50", "limit-google": "200"}
    assert client.post(page, sent).status_code == 303
    with cast.scope():
        found = GenieSettings.objects.get()
        assert (found.bounce_percent, found.provider_limits) == (3.5, {"google": 200})
    refused = client.post(page, {**sent, "bouncePercent": "90"})
    assert (refused.status_code, "20" in text_of(refused)) == (422, True)
    for name, label in (("limit-gmx", "GMX, WEB.DE"), ("limit-google", "Gmail")):
        refused = client.post(page, {**sent, name: "2.5"})
        assert refused.status_code == 422
        assert (
            f'<a href="#f-{name}">Messages per hour to {label}</a>: Enter a whole number.' in refused.content.decode()
        )
    assert client.post(page, {**sent, "limit-google": "", "personalUnsubscribe": "on"}).status_code == 303
    with cast.scope():
        settings = GenieSettings.objects.get()
        assert (settings.provider_limits, settings.personal_unsubscribe) == ({}, True)
    assert "Add an unsubscribe link" in text_of(client.get(page))
    assert client.post(page, {**sent, "limit-google": ""}).status_code == 303
    with cast.scope():
        assert GenieSettings.objects.get().personal_unsubscribe is False


def test_many_addresses_are_pasted_and_a_file_is_checked_and_imported(cast: Cast) -> None:
    client, page = enter(cast.owner), at(cast.owner, "suppressions/many")
    pasted = client.post(
        page, {"do": "paste", "emails": "a@example.org, B@example.org\na@example.org", "reason": "manual"}
    )
    assert "2 addresses added, 0 listed before" in toast_of(client, pasted)
    wrong = client.post(page, {"do": "paste", "emails": "Ann <a@example.org>\nnobody", "reason": "manual"})
    assert "0 addresses added, 1 listed before. The remaining lines are not addresses." in text_of(wrong)
    assert "\nnobody</textarea>" in html_of(wrong)
    file = SimpleUploadedFile("gone.csv", b"Email,Reason\nc@example.org,spam\na@example.org,\nnobody,\n")
    checked = client.post(page, {"do": "check", "reason": "manual", "file": file})
    assert "New addresses 1" in " ".join(text_of(checked).split())
    sent = html_of(checked).partition('name="file" value="')[2][:24]
    started = client.post(page, {"do": "import", "file": sent, "reason": "manual"})
    assert started.status_code == 303
    work("suppression-import")
    ended = client.get(started["Location"].partition("?")[0])
    assert "Row 4 has no email address" in " ".join(text_of(ended).split())
    with cast.scope():
        assert Suppression.objects.get(email="c@example.org").reason == "complained"
    assert "c@example.org" in text_of(client.get(at(cast.owner, "suppressions?f=source:equals:gone.csv")))
    assert client.post(page, {"do": "check"}).status_code == 422
