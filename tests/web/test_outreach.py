"""The pages of outreach runs, from the form to the review of their drafts."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from core.api.refusals import Refusal
from core.errors import FieldError
from core.web.ask import Answer
from crm.models import Contact
from outreach.connections.senders.pages.smtp import security
from outreach.models import AiApp, ChatApp, ChatTemplate, SendJob, Smtp, Suppression
from outreach.runs.genie.pages.base import skipped_texts
from outreach.runs.genie.pages.runs import Run
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, SmtpFactory, TagFactory
from tests.kit.html import html_of
from tests.kit.smtp_server import Faults
from tests.outreach.helpers import Post, make_due, planned, statuses, work
from tests.web.helpers import EVIL, at, enter, sent_form, text_of, toast_of

READER = {"genie": {"GET": True}, "apps": {"GET": True}}


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


def test_a_new_company_finds_what_writes_its_messages(cast: Cast, client: Client) -> None:
    with cast.scope():
        SmtpFactory()
        contact = ContactFactory(custom={})
    body = {"contactIds": contact.pk, "prompt": "Invite them", "draft": "hold"}
    refused = client.post(at(cast.owner, "outreach/new"), body)
    assert (refused.status_code, "No AI writer is connected yet." in text_of(refused)) == (422, True)
    cure = at(cast.owner, "settings/ai/built-in")
    assert f'formaction="{cure}"' in html_of(refused)
    samples = client.post(at(cast.owner, "outreach/samples"), body, headers={"HX-Request": "true"})
    assert ("No AI writer is connected yet." in text_of(samples), cure in html_of(samples)) == (True, True)
    place = at(cast.owner, "senders")
    assert cure in html_of(client.get(place))
    assert "Built-in writer switched on" in toast_of(client, client.post(cure))
    assert cure not in html_of(client.get(place))
    assert client.post(at(cast.owner, "outreach/new"), body).status_code == 303


def test_a_run_is_started_and_its_drafts_are_decided_one_by_one(cast: Cast, post: Post, client: Client) -> None:
    with cast.scope():
        tag = TagFactory(name="Fair")
        for name in ("Ann Lee", "Bob Ray", "Cid Day"):
            contact = ContactFactory(name=name, custom={})
            cast.session.put(f"/contact/{contact.pk}", {"tags": [tag.pk]})
        Suppression.objects.create(email=contact.email.lower(), reason="manual")
    assert "No outreach yet" in text_of(client.get(at(cast.owner, "outreach")))
    form = client.get(at(cast.owner, f"outreach/new?tags={tag.pk}"))
    assert re.search(r'name="tags" value="\w+" checked', html_of(form))
    audience = text_of(client.get(at(cast.owner, f"outreach/audience?tags={tag.pk}")))
    assert "2 of 3 contacts" in audience
    assert "Left out: 1 (1 on the suppression list)" in audience
    nobody = client.post(at(cast.owner, "outreach/new"), {"prompt": "Come", "draft": "hold"})
    assert (nobody.status_code, "Not started" in text_of(nobody)) == (422, True)
    body = {"tags": tag.pk, "prompt": "Invite them to our open day", "tone": "formal", "draft": "hold"}
    started = client.post(at(cast.owner, "outreach/new"), body)
    assert "The messages are being written" in toast_of(client, started)
    assert "every 1s" in html_of(client.get(started["Location"]))
    work("genie")
    run = started["Location"]
    assert "Review 2 drafts" in text_of(client.get(run))
    assert "Tags Fair" in text_of(client.get(run))
    again = text_of(client.get(at(cast.owner, f"outreach/audience?tags={tag.pk}")))
    assert "2 got an outreach in the last 30 days" in again
    # What ends with the run stands in the part of the page that follows it.
    assert 'data-dialog="stop"' in html_of(client.get(run)).partition('id="list"')[2]
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
    assert "All drafts are reviewed" in text_of(client.get(f"{run}/review"))
    make_due(cast)
    work("send")
    assert (post.subjects(), b"\r\nA\r\n\r\nB\r\n" in post.server.received[0]) == (["Subject: S"], True)
    page = html_of(client.get(run))
    assert "Rejected in review." in page
    assert ("every 1s" in page, 'data-dialog="stop"' in page) == (False, False)


def test_a_run_is_paused_approved_and_cancelled(cast: Cast, post: Post, client: Client) -> None:
    run = planned(cast, 3, draft=True)
    path = at(cast.owner, f"outreach/{run}")
    page = client.get(f"{path}/approve")
    assert "3 messages would be sent" in text_of(page)
    assert html_of(page).count('<details class="sample"') == 3
    seen = {"do": "approve", **sent_form(page)}
    with cast.scope():
        message = SendJob.objects.first()
    cast.session.put(f"/genie/send-jobs/{message.pk}", {"text": "Other words."})
    late = client.post(f"{path}/approve", seen)
    assert ("Not approved" in toast_of(client, late), late["Location"]) == (True, f"{path}/approve")
    seen = {"do": "approve", **sent_form(client.get(f"{path}/approve"))}
    assert "Approved 3 messages" in toast_of(client, client.post(f"{path}/approve", seen))
    assert "No drafts to approve" in text_of(client.get(f"{path}/approve"))
    assert ", until" in text_of(client.get(at(cast.owner, f"messages/{message.pk}")))
    assert "Paused: 3 messages" in toast_of(client, client.post(path, {"do": "pause"}))
    assert statuses(cast, run) == {"draft": 3}
    assert "3 messages will not be sent" in toast_of(client, client.post(path, {"do": "cancel"}))
    assert 'class="toast bad"' in toast_of(client, client.post(f"{path}/approve", seen))
    assert client.post(path, {"do": "delete"})["Location"] == at(cast.owner, "outreach")
    assert client.get(path).status_code == 404


def test_the_run_says_what_holds_its_sender(cast: Cast, post: Post, client: Client) -> None:
    run = planned(cast, 2)
    post.server.at["mail"] = "421 busy"
    work("send")
    page = client.get(at(cast.owner, f"outreach/{run}"))
    assert "The sender has a problem. The message is sent when the sender works again." in text_of(page)
    assert "421 busy" in text_of(page)
    assert "Check the sender" in text_of(page)
    assert "every 1s" not in html_of(page)


def test_samples_and_single_people(cast: Cast, post: Post, client: Client) -> None:
    with cast.scope():
        ann, bob = ContactFactory(name="Ann Lee", custom={}), ContactFactory(name="Bob Ray", custom={})
        Smtp.objects.update(per_hour=1)
    picked = client.post(at(cast.owner, "contacts"), {"do": "write", "ids": [ann.pk, bob.pk]})
    assert picked["Location"] == at(cast.owner, f"outreach/new?contactIds={ann.pk}&contactIds={bob.pk}")
    assert "2 people selected" in text_of(client.get(picked["Location"]))
    part = html_of(client.get(at(cast.owner, f"outreach/people?contactIds={ann.pk}&find=Bob")))
    assert re.findall(r'value="(\w{24})"( checked)?>', part) == [(ann.pk, " checked"), (bob.pk, "")]
    assert "2 of 2 contacts" in text_of(
        client.get(at(cast.owner, f"outreach/audience?contactIds={ann.pk}&contactIds={bob.pk}"))
    )
    body = {"contactIds": [ann.pk, bob.pk], "prompt": "Invite them to lunch"}
    for address, told in (("people", 'value="Cid"'), ("audience", "of 2 contacts")):  # without script
        kept = html_of(client.post(at(cast.owner, f"outreach/{address}"), {**body, "find": "Cid"}))
        assert ("Invite them to lunch</textarea>" in kept, told in kept) == (True, True)
        assert 'formmethod="get"' not in kept
    plain = client.post(at(cast.owner, "outreach/samples"), body)
    assert "Invite them to lunch</textarea>" in html_of(plain)
    part = client.post(at(cast.owner, "outreach/samples"), body, headers={"HX-Request": "true"})
    for page in (plain, part):
        assert html_of(page).count("I would like to invite you to lunch.") == 2
        assert "No cost: no AI model is used" in text_of(page)
        assert "1 an hour, last message:" in text_of(page)
    assert len(part.content) < len(plain.content) / 2
    with cast.scope():
        assert not SendJob.objects.exists()
    limited = client.post(at(cast.owner, "outreach/samples"), {**body, "costCap": "1e-9", "language": "German"})
    assert "Cost cap: " in text_of(limited)
    assert "<details open><summary>Limits" in html_of(limited)
    unknown = client.post(at(cast.owner, "outreach/new"), {**body, "tokenCap": "5000", "language": "Klingon"})
    assert (unknown.status_code, 'id="f-language-error"' in html_of(unknown)) == (422, True)
    gone = client.post(at(cast.owner, "outreach/new"), {**body, "smtp": ann.pk})
    assert (gone.status_code, "This sender is no longer active" in text_of(gone)) == (422, True)
    assert "Invite them to lunch</textarea>" in html_of(gone)
    more = {"draft": "hold", "tokenCap": "5000", "costCap": "0.5", "language": "German"}
    started = client.post(at(cast.owner, "outreach/new"), {**body, **more})
    run = cast.key.get("/genie", p="1", n="1").data[0]
    assert (run["tokenCap"], run["costCap"], run["language"]) == (5000, 0.5, "de")
    work("genie")
    assert "Review 2 drafts" in text_of(client.get(started["Location"]))
    assert "Single contacts 2" in text_of(client.get(started["Location"]))
    everybody = client.post(at(cast.owner, "contacts"), {"do": "write", "all": "on"})
    assert "save the filters as a segment" in toast_of(client, everybody)


def test_what_the_api_leaves_is_told() -> None:
    """What would never go is skipped with the others and refused alone; a source that failed is named."""
    left = {"skipped": [{"reason": "contact_deleted", "sentence": "The contact was deleted.", "count": 2}]}
    assert skipped_texts(left) == ["2 messages can't be sent: The contact was deleted."]
    assert skipped_texts({}) == []
    error = FieldError(field="sendJobId", message="it would never go. The contact was deleted.")
    refusal = Refusal(400, "CampaignCannotBeUpdated_400", "It cannot be changed", errors=[error])
    assert (
        Answer(400, refusal.body(), failure=refusal).refusal
        == "It cannot be changed. It would never go. The contact was deleted."
    )
    search = {
        "created": 1,
        "error": "",
        "judgeError": "",
        "sourceErrors": [{"source": "Finder", "error": "It does not answer."}],
    }
    run = {"generation": search, "enrichment": None, "count": 5, "industry": "", "customWhitelistedDomains": []}
    assert Run().search_rows(run) == [("Found", "1 of 5 wanted"), ("Failed", "Finder: It does not answer.")]
    assert security({"secure": True, "port": 465}) == "TLS required"
    assert security({"secure": True, "port": 587}) == "STARTTLS required"
    assert security({"secure": False, "port": 25}) == "encryption not required"


def test_nobody_does_what_their_role_may_not(db: None, mail_server: tuple[Faults, int]) -> None:
    cast = make_cast(READER)
    with cast.scope():
        SmtpFactory(port=mail_server[1], username="user", password="x")
        AiApp.objects.get_or_create(provider="offline-composer", is_default=True, defaults={"name": "Offline"})
    run = planned(cast, 1, draft=True)
    with cast.scope():
        message = SendJob.objects.select_related("contact", "smtp").get()
    client = enter(cast.narrow)
    paths = (
        "outreach",
        "outreach/new",
        f"outreach/{run}",
        f"outreach/{run}/review",
        f"outreach/{run}/approve",
        "messages",
        f"messages/{message.pk}",
    )
    for path in (*paths, "suppressions", "senders"):
        page = client.get(at(cast.narrow, path))
        assert page.status_code == 200, path
        assert not re.findall(r'name="do"|outreach/new"|senders/new"', html_of(page)), path
    form = {"id": message.pk, "contentHash": message.content_hash}
    for path, actions in (
        (f"outreach/{run}", ("pause", "retry", "cancel", "delete")),
        (f"outreach/{run}/approve", ("approve",)),
        (f"outreach/{run}/review", ("approve", "cancel", "regenerate")),
        (f"messages/{message.pk}", ("approve", "draft", "cancel")),
        ("senders", ("test", "hours")),
        ("suppressions", ("delete",)),
    ):
        for action in actions:
            answer = client.post(at(cast.narrow, path), {"do": action, **form})
            assert 'class="toast bad"' in toast_of(client, answer), (path, action)
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
        page = html_of(client.get(at(cast.owner, path)))
        assert "<script>alert" not in page, path
        assert not re.findall(r"&lt;/script&gt;14", page), path


def test_a_follow_up_goes_by_chat(cast: Cast, post: Post, client: Client) -> None:
    new, place = at(cast.owner, "outreach/new"), at(cast.owner, "outreach/steps")
    with cast.scope():
        contact = ContactFactory(name="Ann Lee", contact_number="+4915112345600", custom={})
    sent = {"contactIds": contact.pk, "prompt": "Come to our open day", "draft": "hold"}
    assert "By chat" not in text_of(client.post(place, {**sent, "steps": "0"}))  # the company has no chat app
    with cast.scope():
        app = ChatApp.objects.create(
            name="Acme", phone_number_id="1", waba_id="2", access_token="t", app_secret="s", verified=True
        )
        words = [{"type": "BODY", "text": "{{1}}, are you coming?", "example": {"body_text": [["Ann"]]}}]
        values = {"app": app, "language": "en", "components": words, "variables": {"1": "contact.name"}}
        waits = ChatTemplate.objects.create(name="waits", status="PENDING", **values)
        hours = ChatTemplate.objects.create(name="hours", status="APPROVED", **values)
    form = client.post(place, {**sent, "steps": "0"})
    assert "By chat" in text_of(form)
    assert (f'value="{hours.pk}"' in html_of(form), waits.pk in html_of(form)) == (True, False)
    step = {
        "steps": "1",
        "step0-amount": "2",
        "step0-unit": "days",
        "step0-stopOn": "reply",
        "step0-chatTemplate": hours.pk,
    }
    both = client.post(new, {**sent, **step, "step0-prompt": "Ask again", "step0-chatVariables": "1 = you"})
    found = re.findall(r'name="step0-(\w+)"[^>]*aria-invalid="true"', html_of(both))
    assert (both.status_code, found) == (422, ["chatTemplate"])  # a template has its words; these would be lost
    for variables, wrong in (("7 = SPRING", "chatVariables"), ("1 = {{contact.nothing}}", "chatVariables")):
        refused = client.post(new, {**sent, **step, "step0-chatVariables": variables})
        page = html_of(refused)
        assert (refused.status_code, re.findall(r'name="step0-(\w+)"[^>]*aria-invalid="true"', page)) == (422, [wrong])
        assert (variables in page, "<details open><summary>By chat" in page) == (True, True)
    run = client.post(new, {**sent, **step, "step0-chatVariables": "1 = {{contact.firstName}}"})["Location"]
    found = cast.key.get(f"/genie/{run.rpartition('/')[2]}").data["outreachCadence"]["steps"]
    assert [(one["channel"], one["template"], one["variables"], one["stopOn"]) for one in found] == [
        ("chatapp", hours.pk, {"1": "{{contact.firstName}}"}, ["reply"])
    ]
    assert "By chat, from a template" in text_of(client.get(run))


def test_follow_ups_and_recurrence_are_chosen_seen_and_stopped(cast: Cast, post: Post, client: Client) -> None:
    with cast.scope():
        contact = ContactFactory(name="Ann Lee", custom={})
    sent = {"contactIds": contact.pk, "prompt": "Come to our open day", "draft": "send", "tone": "formal", "steps": "0"}
    place = at(cast.owner, "outreach/steps")
    # Without script the whole form comes again, with what was typed; with it the part.
    one = client.post(place, sent)
    assert (one.status_code, "Come to our open day" in text_of(one), 'name="step0-amount"' in html_of(one)) == (
        200,
        True,
        True,
    )
    first = {"step0-amount": "2", "step0-unit": "days", "step0-prompt": "Ask again", "step0-stopOn": "won"}
    two = html_of(client.post(place, {**sent, **first, "steps": "1"}, headers={"HX-Request": "true"}))
    assert ("Ask again" in two, 'name="step1-amount"' in two, "Topic" in two, "<h1" in two) == (
        True,
        True,
        True,
        False,
    )
    second = {"step1-amount": "1", "step1-unit": "weeks", "step1-subject": "Last call"}
    left = html_of(client.post(f"{place}?drop=0", {**sent, **first, **second, "steps": "2"}))
    assert ("Last call" in left, "Ask again" in left, 'name="step1-amount"' in left) == (True, False, False)

    both = {**sent, **first, **second, "steps": "2", "intervalMs": "86400000"}
    both |= {"step0-days": ["1", "5"], "step0-start": "09:00"}
    half = client.post(at(cast.owner, "outreach/new"), both)
    assert (half.status_code, "Until : Enter both times." in text_of(half)) == (422, True)
    assert re.search(r'<details open><summary\s*>Own sending hours.*?value="5" checked', html_of(half), re.DOTALL)
    both["step0-end"] = "17:00"
    wrong = client.post(at(cast.owner, "outreach/new"), {**both, "step1-amount": "0"})
    assert (wrong.status_code, "Wait : Enter a whole number of at least 1." in text_of(wrong)) == (422, True)
    assert "Ask again" in text_of(wrong)
    run = client.post(at(cast.owner, "outreach/new"), both)["Location"]
    work("genie")
    work("send")
    shown = client.get(run)
    page = text_of(shown)
    # People and messages are counted apart: the first message is one of three.
    assert "1 of 1 person reached · 1 of up to 3 messages sent" in page
    assert 'value="33" aria-label="Messages sent or cancelled"' in html_of(shown)
    assert "People 1 Messages 1 Needs approval 0" in page
    assert "Follow-up 1 after 2 days Ask again Only Mon, Fri 09:00 to 17:00" in page
    assert "Follow-up 2 after 1 week" in page
    assert "Follow-ups scheduled" in page
    assert "for new people in the audience. Started 1 time." in page
    assert "Repeating stopped" in toast_of(client, client.post(run, {"do": "stop_recurring"}))
    assert "Resume repeating" in text_of(client.get(run))
    assert "Repeating resumed" in toast_of(client, client.post(run, {"do": "resume_recurring"}))
    with cast.scope():
        job = SendJob.objects.get()
    steps = cast.key.get(f"/genie/{job.run_id}").data["outreachCadence"]["steps"]
    assert [one["window"] for one in steps] == [{"days": [1, 5], "start": "09:00", "end": "17:00"}, None]
    message = at(cast.owner, f"messages/{job.pk}")
    assert "Next message" in text_of(client.get(message))
    assert "Follow-ups stopped" in toast_of(client, client.post(message, {"do": "stop_follow_ups"}))
    after = text_of(client.get(message))
    assert ("Follow-up 1" in after, "Rejected in review." in after) == (True, True)
    assert "Stop follow-ups" not in after
