"""The pages of campaigns: the form and its refusals, one with two versions, and what is done to it."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from crm.models import Contact, ContactTag
from outreach.models import (
    Campaign,
    ChatApp,
    ChatTemplate,
    EmailTemplate,
    GenieScheduler,
    GenieSettings,
    SendJob,
    TrackingEvent,
)
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory, MemberFactory, RoleFactory, SmtpFactory, TagFactory
from tests.kit.html import html_of
from tests.outreach.helpers import Post, work
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
    assert (refused.status_code, "The field {{nobody}} is unknown" in text_of(refused)) == (422, True)
    both = {"subject": f"Hi {EVIL}", "secondSubject": "Hello", "secondBody": "Do come", "metric": "replied"}
    early = client.post(new, {**sent, **both, "after": "0"})
    assert (early.status_code, "Enter a whole number from 1" in text_of(early)) == (422, True)
    saved = client.post(new, {**sent, **both, "after": "2", "start": "09:00", "end": "17:00", "throttle": "30"})
    assert saved.status_code == 303, text_of(saved)
    with cast.scope():
        campaign = Campaign.objects.get()
        assert [one["share"] for one in campaign.variants] == [50, 50]
        assert (campaign.window, campaign.throttle) == ({"days": [], "start": "09:00", "end": "17:00"}, 30)
        assert campaign.winner_rule == {"metric": "replied", "after": {"amount": 2, "unit": "days"}, "testShare": 40}
    place = at(cast.owner, f"campaigns/{campaign.pk}")
    form = html_of(client.get(f"{place}/edit"))
    assert re.search(r"<title>\s*[^<]+ · Edit campaign · ", form)
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
    assert "Resumed" in toast_of(client, client.post(place, {"do": "resume"}))
    assert "B is sent to the remaining recipients" in toast_of(
        client, client.post(place, {"do": "winner", "variant": "B"})
    )
    work("genie")
    with cast.scope():
        campaign.refresh_from_db()
        assert (campaign.name, campaign.throttle, campaign.winner["why"]) == ("New name", 5, "chosen")
        assert SendJob.objects.filter(subject="Hello", status="approved").count() == 2
    assert "Winner: B (chosen by a member)." in text_of(client.get(place))
    assert "3 messages will not be sent" in toast_of(client, client.post(place, {"do": "cancel"}))
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
    assert (saved.status_code, "Enter an end for a live audience" in text_of(saved)) == (422, True)
    saved = client.post(at(cast.owner, "campaigns/new"), {**form, "name": "Later", "scheduledAt": later})
    assert "Campaign scheduled" in toast_of(client, client.post(saved["Location"], {"do": "start"}))
    assert "Scheduled" in text_of(client.get(saved["Location"]))
    manual = client.post(at(cast.owner, "campaigns/new"), {**form, "name": "By hand", "manual": "on"})["Location"]
    client.post(manual, {"do": "start"})
    work("genie")
    assert "Release 3 drafts" in text_of(client.get(manual))
    assert "Approved 3 messages" in toast_of(client, client.post(manual, {"do": "release"}))
    counted = text_of(client.get(at(cast.owner, f"campaigns/audience?tags={chosen['tags']}")))
    assert ("3 of 3 contacts" in counted, "will" in counted) == (True, False)


def test_a_draft_shows_people_and_mails_and_has_follow_ups(
    cast: Cast, client: Client, chosen: dict[str, Any], post: Post
) -> None:
    with cast.scope():
        template = EmailTemplate.objects.create(name="Later", subject="Once more", body="Hi", html="", text="Hi")
    sender = f"smtp/{post.smtp.pk}"
    sent = {**chosen, "smtp": sender, "name": "Open day", "subject": "Hi {{contact.firstName}}", "body": "Come <3"}
    later = {"f0-body": "Seen it, {{Nothing}}?", "f0-amount": "3", "f0-unit": "days", "f0-stopOn": ["reply", "bounce"]}
    later |= {"f1-template": template.pk, "f1-amount": "1", "f1-unit": "weeks", "f1-stopOn": ["reply"]}
    new = at(cast.owner, "campaigns/new")
    wrong = client.post(new, {**sent, **later})
    assert (wrong.status_code, 'id="f-f0-body-error"' in html_of(wrong)) == (422, True)
    later["f0-body"] = f"Seen it? {EVIL}"
    saved = client.post(new, {**sent, **later})
    assert saved.status_code == 303, text_of(saved)
    with cast.scope():
        campaign = Campaign.objects.get()
        steps = campaign.outreach_cadence["steps"]
    assert [(one["delay"], one["stopOn"], one["template"]) for one in steps] == [
        ({"amount": 3, "unit": "days"}, ["reply", "bounce"], None),
        ({"amount": 1, "unit": "weeks"}, ["reply"], template.pk),
    ]
    place = at(cast.owner, f"campaigns/{campaign.pk}")
    shown = client.get(place)
    page = text_of(shown)
    assert "3 of 3 people can be reached" in page
    assert ("3 people get this campaign" in page, "Preview for" in page) == (True, True)
    [first, *_] = re.findall(r'src="([^"]+contactId=[^"]+)"', html_of(shown))
    assert "{{" not in text_of(client.get(first.replace("&amp;", "&")))
    assert ("Follow-up 2" in page, "After 1 week" in page, EVIL in html_of(shown)) == (True, True, False)
    assert "Hi {{contact.firstName}}" in text_of(client.get(f"{place}/preview"))
    assert "Once more" in text_of(client.get(f"{place}/preview?step=3"))
    assert "no such step" in text_of(client.get(f"{place}/preview?step=9"))
    assert "Test sent to" in toast_of(client, client.post(place, {"do": "test"}))
    [subject] = post.subjects()
    assert ("Subject: [Test] Hi" in subject, "{{" in subject) == (True, False)
    form = html_of(client.get(f"{place}/edit"))
    assert ('name="f2-body"' in form, 'name="f3-body"' in form) == (True, False)  # one more than there are
    kept = client.post(f"{place}/edit", {**sent, **later, "f0-body": ""})  # the first one is taken out
    assert kept.status_code == 303, text_of(kept)
    with cast.scope():
        campaign.refresh_from_db()
        assert [one["template"] for one in campaign.outreach_cadence["steps"]] == [template.pk]
    gone = cast.key.delete("/template/email", {"ids": [template.pk]})
    assert gone.body["warning"] == "ids: Open day cannot begin without other words"


def test_a_campaign_by_chat_from_the_form_to_its_edit(cast: Cast, client: Client, chosen: dict[str, Any]) -> None:
    body = {"type": "BODY", "text": "Hello {{1}}, use {{2}} now.", "example": {"body_text": [["Ann", "X"]]}}
    with cast.scope():
        app = ChatApp.objects.create(name=EVIL, phone_number_id="1", waba_id="2", access_token="t")
        columns = {"app": app, "language": "en", "components": [body], "status": "APPROVED"}
        spring, late = (ChatTemplate.objects.create(name=name, **columns) for name in ("spring", "late"))
    new = at(cast.owner, "campaigns/new")
    sent = {**chosen, "name": "Spring", "chatTemplate": spring.pk, "f0-chatTemplate": late.pk, "f0-amount": "2"}
    sent |= {"f0-unit": "days", "f0-chatVariables": "1 = you\n2 = LATE"}
    lacks = client.post(new, {**sent, "chatVariables": "1 = {{contact.firstName}}"})
    assert (lacks.status_code, "nter a value for 2" in text_of(lacks)) == (422, True)
    values = "1 = {{contact.firstName}}\n2 = SPRING"
    refused = client.post(new, {**sent, "chatVariables": values, "f0-chatVariables": "9 = x"})
    assert (refused.status_code, "he template has 1, 2" in text_of(refused)) == (422, True)
    saved = client.post(new, {**sent, "chatVariables": values})
    assert saved.status_code == 303, text_of(saved)
    with cast.scope():
        campaign = Campaign.objects.get()
        assert (campaign.type, campaign.chat_template_id, campaign.chat_app_id) == ("chatapp", spring.pk, app.pk)
        assert (campaign.smtp_id, campaign.variables) == (None, {"1": "{{contact.firstName}}", "2": "SPRING"})
        [step] = campaign.outreach_cadence["steps"]
        assert (step["channel"], step["template"], step["variables"]) == ("chatapp", late.pk, {"1": "you", "2": "LATE"})
        ChatTemplate.objects.filter(pk=late.pk).update(status="PAUSED")
    place = at(cast.owner, f"campaigns/{campaign.pk}")
    page = client.get(place)
    assert ("by chat, from" in text_of(page), "<script>alert" in html_of(page)) == (True, False)
    bubble = html_of(client.get(f"{place}/preview?step=1"))
    assert "Hello {{contact.firstName}}, use SPRING now." in bubble
    edit = html_of(client.get(f"{place}/edit"))
    assert ("1 = {{contact.firstName}}" in edit, "Current template (not approved)" in edit) == (True, True)
    again = client.post(f"{place}/edit", {**sent, "name": "Spring 2", "chatVariables": values})
    assert again.status_code == 303, text_of(again)
    counted = client.get(at(cast.owner, f"campaigns/audience?tags={chosen['tags']}&chatTemplate={spring.pk}"))
    assert "no valid address" in text_of(counted).lower() or "3" in text_of(counted)
    start = client.post(place, {"do": "start"})
    assert "this one is paused" in toast_of(client, start)


@pytest.fixture
def sent(cast: Cast) -> Campaign:
    """A campaign with five messages: one opened and clicked, one opened by a program, one answered, one returned."""
    with cast.scope():
        now = timezone.now()
        campaign = Campaign.objects.create(name="News", status="completed", started_at=now)
        run = GenieScheduler.objects.create(
            of_campaign=campaign, status="completed", total=5, processed=5, smtp=SmtpFactory()
        )
        jobs = [
            SendJob.objects.create(
                run=run, contact=ContactFactory(), status="sent", sending_at=now, sent_at=now, smtp=run.smtp
            )
            for _ in range(5)
        ]
        SendJob.objects.filter(pk=jobs[0].pk).update(open_count=2, click_count=1)
        SendJob.objects.filter(pk=jobs[4].pk).update(bounced_at=now)
        TrackingEvent.objects.create(
            send_job=jobs[1], kind="opened", link=0, visitor="x", machine="scanner", happened_at=now
        )
        TrackingEvent.objects.create(
            send_job=jobs[2], kind="clicked", link=1, visitor="x", machine="member", happened_at=now
        )
        Contact.objects.filter(pk=jobs[2].contact_id).update(replied_at=now + timedelta(hours=1))
        Contact.objects.filter(pk=jobs[3].contact_id).update(unsubscribed_at=now + timedelta(hours=1))
        GenieSettings.objects.update_or_create(defaults={"track_opens": True, "track_clicks": True})
    return campaign


def cards_of(html: str) -> dict[str, tuple[str, str]]:
    """Return label -> (number, address of its list) of the cards of a page."""
    cards = re.findall(
        r'<(?:a class="card stat" href="([^"]+)"|div class="card stat")>\s*<span\s+class="muted">([^<]+)</span>'
        r'\s*<span class="stat-value num">([^<]+)</span>',
        html,
    )
    return {label: (number, unescape(link)) for link, label, number in cards}


def test_each_outcome_leads_to_its_messages(cast: Cast, client: Client, sent: Campaign) -> None:
    page = client.get(at(cast.owner, f"campaigns/{sent.pk}"))
    cards = cards_of(html_of(page))
    assert {label: number for label, (number, _) in cards.items()} == {
        "People": "5",
        "Messages": "5",
        "Sent": "5",
        "Delivered": "–",
        "Opened": "1",
        "Clicked": "1",
        "Replied": "1",
        "Bounced": "1",
        "Unsubscribed": "1",
        "Not sent": "0",
    }
    text = text_of(page)
    assert "Mail program opens, not counted: 1" in text
    assert "Clicks of your own team, not counted: 1" in text
    assert "Bot clicks" not in text
    assert "Not reported by SMTP servers" in text
    assert "not measured" not in text
    for label, (number, link) in cards.items():
        if link:
            assert re.search(rf"\b{number} messages?\b", text_of(client.get(link))), label
    assert sum(bool(link) for _, link in cards.values()) == 7
    with cast.scope():
        run = GenieScheduler.objects.get()
        GenieScheduler.objects.filter(pk=run.pk).update(of_campaign=None)
    outreach = cards_of(html_of(client.get(at(cast.owner, f"outreach/{run.pk}"))))
    assert outreach["Replied"] == cards["Replied"]
    assert outreach["Opened"] == cards["Opened"]


def test_a_page_says_how_opens_are_measured(cast: Cast, client: Client, sent: Campaign) -> None:
    with cast.scope():
        GenieSettings.objects.update(track_opens=False, track_clicks=False)
        SendJob.objects.update(open_count=0, click_count=0)
        role = RoleFactory(permission={name: {"GET": True} for name in ("campaign", "genie")})
        reader = enter(MemberFactory(status="accepted", role=role))
    place = at(cast.owner, f"campaigns/{sent.pk}")
    html = html_of(client.get(place))
    assert "Opens and clicks are not measured." in html
    assert re.search(r'value="track">Turn on tracking</button>', html)
    refused = text_of(reader.get(place))
    assert ("Ask an admin to turn on tracking." in refused, "Turn on tracking" in refused) == (True, False)
    assert client.get(place).context["chart"].names == ["Sent", "Replied"]
    answer = client.post(place, {"do": "track", "names": ["trackOpens", "trackClicks", "language"]})
    assert "Tracking is on for messages sent from now on" in toast_of(client, answer)
    with cast.scope():
        assert GenieSettings.objects.values_list("track_opens", "track_clicks", "language").get() == (True, True, "")
    shown = text_of(client.get(place))
    assert "These messages were sent without tracking. Later messages are tracked." in shown
    assert "Turn on tracking" not in shown
    with cast.scope():
        SendJob.objects.filter(pk=SendJob.objects.earliest("pk").pk).update(opens_tracked=True, open_count=1)
    shown = text_of(client.get(place))
    assert "100.0% of 1 measured message" in shown
    assert "Clicks are not measured." in shown
    assert client.get(place).context["chart"].names == ["Sent", "Opened", "Replied"]
    with cast.scope():
        SendJob.objects.update(opens_tracked=False, open_count=0)
    assert "Tracking is off" in toast_of(
        client, client.post(place, {"do": "untrack", "names": "trackOpens trackClicks"})
    )
    assert reader.post(place, {"do": "track", "names": "trackOpens"}).status_code == 303
    with cast.scope():
        assert GenieSettings.objects.values_list("track_opens", "track_clicks").get() == (False, False)
    with cast.scope():
        GenieScheduler.objects.update(track_opens=False, track_clicks=False)
        Campaign.objects.update(track_opens=False, track_clicks=False)
    shown = text_of(client.get(place))
    assert ("Tracking was turned off for these messages." in shown, "Turn on tracking" in shown) == (True, False)


def test_a_new_run_says_that_opens_are_not_measured(cast: Cast, client: Client) -> None:
    with cast.scope():
        run = GenieScheduler.objects.create(name="First", ai_type="ai-offline", status="completed")
    place = at(cast.owner, f"outreach/{run.pk}")
    page = html_of(client.get(place))
    assert ('value="track">Turn on tracking</button>' in page, "Messages by day" in page) == (True, False)
    answer = client.post(place, {"do": "track", "names": ["trackOpens", "trackClicks"]})
    assert "Tracking is on for messages sent from now on" in toast_of(client, answer)
    assert "Turn on tracking" not in text_of(client.get(place))


def test_the_chart_of_a_campaign_has_its_days_in_a_folded_table(cast: Cast, client: Client, sent: Campaign) -> None:
    page = html_of(client.get(at(cast.owner, f"campaigns/{sent.pk}")))
    chart = page[page.index('id="by-day"') :]
    assert re.search(r"<details><summary>Show table</summary>", chart)
    assert re.findall(r'<td class="right num">(\d+)</td>', chart)[:6] == ["5", "1", "1", "1", "1", "0"]
    hours = chart[chart.index("<summary>First 48 hours</summary>") :]
    assert '<th scope="col" class="first">Hour</th>' in hours
    assert "Sent: 5, Opened: 1, Clicked: 1, Replied: " in chart


def test_versions_have_their_days_and_conversions_lead_to_their_messages(
    cast: Cast, client: Client, sent: Campaign
) -> None:
    with cast.scope():
        variants = [{"name": name, "share": 50, "subject": "Hi", "body": "x", "templateId": None} for name in "AB"]
        Campaign.objects.filter(pk=sent.pk).update(variants=variants)
        contents = [{**variant, "html": "", "text": "x", "variables": []} for variant in variants]
        GenieScheduler.objects.update(content={"variants": contents, "testShare": None, "chosen": None})
        SendJob.objects.update(variant=1)
        LeadFactory(contact=SendJob.objects.filter(status="sent").earliest("pk").contact)
    page = html_of(client.get(at(cast.owner, f"campaigns/{sent.pk}")))
    versions = page[page.index('id="versions"') :]
    assert re.findall(r'<td class="num" data-label="Converted">(\d+)</td>', versions) == ["0", "1"]
    assert re.findall(r"<summary>\s*(Version . by day)\s*</summary>", versions) == ["Version B by day"]
    card = re.search(r'href="([^"]+)" title="People with a new lead within 30 days of the first message"', page)
    assert card
    with cast.scope():
        name = SendJob.objects.filter(status="sent").earliest("pk").contact.name
    assert name in text_of(client.get(unescape(card[1])))


def test_clicks_stand_beside_links_in_a_table_and_in_the_mail(cast: Cast, client: Client, sent: Campaign) -> None:
    place = at(cast.owner, f"campaigns/{sent.pk}")
    with cast.scope():
        run = GenieScheduler.objects.get()
        body = f'<p><a href="https://shop.example/">shop</a> https://{EVIL}</p>'
        content = {"name": "", "share": 100, "subject": "News", "html": body, "text": "shop", "variables": []}
        run.content = {"variants": [content], "testShare": None, "chosen": None}
        run.save()
        job = SendJob.objects.earliest("pk")
        SendJob.objects.filter(pk=job.pk).update(variant=0)
    # Its clicks are known by number alone, such as a vendor's.
    assert "Clicks by link" not in text_of(client.get(place))
    with cast.scope():
        now = timezone.now()
        for visitor in "ab":
            TrackingEvent.objects.create(
                send_job=job, kind="clicked", link=1, visitor=visitor, happened_at=now, applied_at=now
            )
    page = client.get(place)
    assert "Clicks by link" in text_of(page)
    html = html_of(page)
    table = html[html.index('id="by-link"') :]
    assert re.findall(r'<th scope="row">([^<]+)</th>', table)[0] == "1. https://shop.example/"
    assert re.findall(r'<td class="num"[^>]*>(\d+)</td>', table)[:2] == ["1", "2"]
    source = re.search(r'<iframe\s+class="mail-frame" src="([^"]+)"', table)
    assert source
    frame = client.get(unescape(source[1]))
    assert "sandbox" in frame.headers["Content-Security-Policy"]
    assert "1 person&lt;/span&gt;" in html_of(frame)
    assert "<script>alert" not in html_of(frame)
