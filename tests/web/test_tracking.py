"""The pages of what is tracked, of hosts for links, and of files that go with mails."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from outreach.messaging.domain_tracking import services
from outreach.messaging.domain_tracking.checks import CheckResult
from outreach.models import Campaign, DomainTracking, EmailTemplate, GenieSettings, SendJob, TrackingEvent
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, SmtpFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of


def test_tracking_is_switched_on_and_hosts_are_added_checked_and_deleted(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, page = enter(cast.owner), at(cast.owner, "settings/tracking")
    assert client.post(page, {"do": "save", "trackClicks": "on"}).status_code == 303
    with cast.scope():
        found = GenieSettings.objects.get()
        assert (found.track_opens, found.track_clicks) == (False, True)
    wrong = client.post(page, {"do": "add", "name": "nohost"})
    assert (wrong.status_code, "nter a domain, such as click.example.com" in text_of(wrong)) == (422, True)
    assert "Publish the DNS records" in toast_of(client, client.post(page, {"do": "add", "name": "go.acme.example"}))
    with cast.scope():
        host = DomainTracking.objects.get()
    assert host.proof in text_of(client.get(page))
    for result, told in (
        (CheckResult(False, "No record."), "No record."),
        (CheckResult(True), "now use go.acme.example"),
    ):
        monkeypatch.setattr(services, "check", lambda *_, found=result: found)
        assert told in toast_of(client, client.post(page, {"do": "check", "id": host.pk}))
    assert "In use" in text_of(client.get(page))
    assert "Deleted" in toast_of(client, client.post(page, {"do": "delete", "id": host.pk}))


def test_a_message_says_who_opened_it_and_a_campaign_offers_what_is_tracked(cast: Cast) -> None:
    client = enter(cast.owner)
    form = at(cast.owner, "campaigns/new")
    assert "Track opens" not in text_of(client.get(form))
    with cast.scope():
        GenieSettings.objects.create(track_opens=True)
        job = SendJob.objects.create(
            contact=ContactFactory(), status="sent", subject="Hi", text="x", html='<a href="https://a.example/">a</a>'
        )
        for number, (kind, machine) in enumerate((("opened", ""), ("clicked", "member"))):
            TrackingEvent.objects.create(
                send_job=job, kind=kind, link=number, machine=machine, visitor="v", happened_at=timezone.now()
            )
    shown = text_of(client.get(at(cast.owner, f"messages/{job.pk}")))
    assert "Clicked https://a.example/ by someone in your company; not counted" in shown
    offered = text_of(client.get(form))
    assert ("Track opens" in offered, "Most opens" in offered) == (True, True)
    assert "Track clicks" not in offered


@pytest.mark.parametrize("page", ["outreach/new", "outreach/find"])
def test_a_run_leaves_out_what_its_form_switches_off(cast: Cast, page: str) -> None:
    client, form = enter(cast.owner), at(cast.owner, page)
    assert "Track opens" not in text_of(client.get(form))
    with cast.scope():
        GenieSettings.objects.create(track_opens=True, track_clicks=True)
        contact, _ = ContactFactory(), SmtpFactory()
    client.post(at(cast.owner, "settings/ai/built-in"))
    offered = html_of(client.get(form))
    assert [f'name="{name}" checked' in offered for name in ("trackOpens", "trackClicks")] == [True, True]
    sent = {"do": "save", "contactIds": contact.pk, "prompt": "Invite them", "count": "1", "trackClicks": "on"}
    wrong = html_of(client.post(form, {**sent, "count": "x", "tokenCap": "x"}))
    assert [f'name="{name}" checked' in wrong for name in ("trackOpens", "trackClicks")] == [False, True]
    assert client.post(form, sent).status_code == 303
    (run,) = cast.key.get("/genie", p="1", n="2").data
    assert (run["trackOpens"], run["trackClicks"]) == (False, True)


def test_files_are_chosen_for_a_template(cast: Cast) -> None:
    client = enter(cast.owner)
    file = cast.key.upload("/upload", SimpleUploadedFile("Terms.txt", b"Fair terms\n")).data
    id = (file if isinstance(file, dict) else file[0])["_id"]
    template = cast.key.post("/template/email", {"name": "Offer", "subject": "Offer", "body": "See the terms."}).data
    page = at(cast.owner, f"templates/{template['_id']}/files")
    assert "Terms.txt" in text_of(client.get(page))
    assert client.post(page, {"do": "save", "attachments": "0" * 24}).status_code == 422
    assert client.post(page, {"do": "save", "attachments": id}).status_code == 303
    with cast.scope():
        assert EmailTemplate.objects.get().attachments == [id]
    form = page.removesuffix("/files")
    assert "1 attachment" in text_of(client.get(form))
    shown = client.post(form, {"subject": "Offer", "body": "See the terms.", "do": "preview"})
    assert "Attachments: Terms.txt (11 bytes)" in text_of(shown)
    # Another one is uploaded in its place, and goes along.
    assert client.post(page, {"do": "upload"}).status_code == 422
    more = SimpleUploadedFile("Prices.txt", b"Fair prices\n")
    assert client.post(page, {"do": "upload", "file": more})["Location"] == page
    with cast.scope():
        first, second = EmailTemplate.objects.get().attachments
    assert (first, cast.key.get(f"/file/{second}").data["name"]) == (id, "Prices.txt")


def test_utm_tags_are_switched_on_and_a_campaign_has_its_own(cast: Cast) -> None:
    client, page, form = enter(cast.owner), at(cast.owner, "settings/tracking"), at(cast.owner, "campaigns/new")
    assert "UTM source" not in text_of(client.get(form))
    refused = client.post(page, {"do": "save", "utmTags": "on", "utmSource": "x" * 101})
    assert refused.status_code == 422
    sent = {"do": "save", "utmTags": "on", "utmSource": "acme"}
    assert client.post(page, sent).status_code == 303
    with cast.scope():
        settings = GenieSettings.objects.get()
        assert (settings.utm_tags, settings.utm_source, settings.utm_medium) == (True, "acme", "")
        sender = SmtpFactory()
    assert "UTM source" in text_of(client.get(form))
    words = {"name": "Spring", "subject": "Hi", "body": "Come", "smtp": f"smtp/{sender.pk}"}
    saved = client.post(form, {**words, "utmTags": "on", "utmCampaign": "spring-1"})
    assert saved.status_code == 303, text_of(saved)
    with cast.scope():
        campaign = Campaign.objects.get()
        assert (campaign.utm_tags, campaign.utm_source, campaign.utm_campaign) == (True, "", "spring-1")
    edit = at(cast.owner, f"campaigns/{campaign.pk}/edit")
    assert 'value="spring-1"' in html_of(client.get(edit))
    assert client.post(edit, {**words, "do": "save", "utmCampaign": ""}).status_code == 303
    with cast.scope():
        campaign.refresh_from_db()
        assert (campaign.utm_tags, campaign.utm_campaign) == (False, "")
