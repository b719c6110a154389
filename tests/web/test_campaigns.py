"""The pages of campaigns: the form and its refusals, one with two versions, and what is done to it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from crm.models import ContactTag
from outreach.models import Campaign, EmailTemplate, SendJob
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, SmtpFactory, TagFactory
from tests.outreach.helpers import work
from tests.web.helpers import at, enter, text_of, toast_of

EVIL = '"><script>alert(1)</script>'


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


@pytest.fixture
def chosen(cast: Cast) -> dict[str, Any]:
    """What the form sends of a sender, and of a tag with three people."""
    with cast.scope():
        tag = TagFactory(name="Fair")
        for name in ("Ann Lee", "Bob Ray", "Cid Day"):
            ContactTag.objects.create(contact=ContactFactory(name=name, custom={}), tag=tag)
        return {"tags": tag.pk, "smtp": f"smtp/{SmtpFactory().pk}"}


def test_a_campaign_with_two_versions_from_the_form_to_its_winner(
    cast: Cast, client: Client, chosen: dict[str, Any]
) -> None:
    new = at(cast.owner, "campaigns/new")
    sent = {**chosen, "name": "Open day", "subject": "Hi {{nobody}}", "body": "Come", "share": "50", "testShare": "40"}
    refused = client.post(new, sent)
    assert (refused.status_code, "{{nobody}} is no field of contacts" in text_of(refused)) == (422, True)
    both = {"subject": f"Hi {EVIL}", "secondSubject": "Hello", "secondBody": "Do come", "metric": "replied"}
    early = client.post(new, {**sent, **both, "after": "0"})
    assert (early.status_code, "Must be a whole number from 1" in text_of(early)) == (422, True)
    saved = client.post(new, {**sent, **both, "after": "2", "start": "09:00", "end": "17:00", "throttle": "30"})
    assert saved.status_code == 303, text_of(saved)
    with cast.scope():
        campaign = Campaign.objects.get()
        assert [one["share"] for one in campaign.variants] == [50, 50]
        assert (campaign.window, campaign.throttle) == ({"days": [], "start": "09:00", "end": "17:00"}, 30)
        assert campaign.winner_rule == {"metric": "replied", "after": {"amount": 2, "unit": "days"}, "testShare": 40}
    place = at(cast.owner, f"campaigns/{campaign.pk}")
    form = client.get(f"{place}/edit").content.decode()
    assert ('value="09:00"' in form, "Do come" in form, "<script>alert" in form) == (True, True, False)
    started = client.post(place, {"do": "start"})
    assert "The campaign has started" in toast_of(client, started)
    work("genie")
    shown = text_of(client.get(place))
    assert "2 messages wait for the winner" not in shown  # of three people two are in the test
    assert "1 message waits for the winner" in shown
    assert "Running" in shown
    assert client.get(f"{place}/edit").status_code == 200
    assert "Paused" in toast_of(client, client.post(place, {"do": "pause"}))
    assert client.post(f"{place}/edit", {"name": "New name", "throttle": "5"}).status_code == 303
    assert "It goes on" in toast_of(client, client.post(place, {"do": "resume"}))
    assert "B goes to the others" in toast_of(client, client.post(place, {"do": "winner", "variant": "B"}))
    work("genie")
    with cast.scope():
        campaign.refresh_from_db()
        assert (campaign.name, campaign.throttle, campaign.winner["why"]) == ("New name", 5, "chosen")
        assert SendJob.objects.filter(subject="Hello", status="approved").count() == 2
    assert "B has won: somebody has chosen it." in text_of(client.get(place))
    assert "3 messages will not go" in toast_of(client, client.post(place, {"do": "cancel"}))
    copied = client.post(place, {"do": "duplicate"})
    assert "New name (copy)" in text_of(client.get(copied["Location"]))
    assert client.post(place, {"do": "delete"})["Location"] == at(cast.owner, "campaigns")
    assert "New name (copy)" in text_of(client.get(at(cast.owner, "campaigns")))


def test_a_scheduled_campaign_and_a_manual_one(cast: Cast, client: Client, chosen: dict[str, Any]) -> None:
    with cast.scope():
        template = EmailTemplate.objects.create(name="Day", subject="Hi", body="Come", text="Come")
    later = (timezone.now() + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M")
    form = {**chosen, "templateId": template.pk, "share": "50", "subject": "unused below a template"}
    saved = client.post(at(cast.owner, "campaigns/new"), {**form, "name": "Later", "scheduledAt": later, "live": "on"})
    assert (saved.status_code, "A live audience needs an end" in text_of(saved)) == (422, True)
    saved = client.post(at(cast.owner, "campaigns/new"), {**form, "name": "Later", "scheduledAt": later})
    assert "It starts at its time" in toast_of(client, client.post(saved["Location"], {"do": "start"}))
    assert "Scheduled" in text_of(client.get(saved["Location"]))
    manual = client.post(at(cast.owner, "campaigns/new"), {**form, "name": "By hand", "manual": "on"})["Location"]
    client.post(manual, {"do": "start"})
    work("genie")
    assert "Release 3 drafts" in text_of(client.get(manual))
    assert "3 messages released" in toast_of(client, client.post(manual, {"do": "release"}))
    counted = text_of(client.get(at(cast.owner, f"campaigns/audience?tags={chosen['tags']}")))
    assert ("3 of 3 contacts" in counted, "will" in counted) == (True, False)
