"""What the words of a message rest on: from the composer to approval, edits and erasure."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crm.models import Contact
from outreach.connections.ai.evidence import (
    MAX_ENTRIES,
    PERSON,
    evidence_after_edit,
    evidence_of,
    facts_of,
    is_unproved,
)
from outreach.connections.ai.providers import Claim, CompanyBrief, ComposeBrief, ContactBrief, Draft, ProductBrief
from outreach.connections.ai.providers.offline import OfflineComposer
from outreach.models import AiApp, SendJob, Smtp
from outreach.runs.genie.pages.highlights import highlight_text
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.outreach.helpers import Post, planned, statuses, work

PATH = "/genie/send-jobs"
BRIEF = ComposeBrief(
    contact=ContactBrief(
        name="Lee, Ann", fields={"Job title": "CTO", "Company": "ACME Ltd."}, tags=("Roof garden",), category="Prospect"
    ),
    company=CompanyBrief(
        name="Green Fields",
        description="We plant gardens. Since 1999.",
        website="https://greenfields.example",
        products=(ProductBrief(name="Office plants"), ProductBrief(name="Roof garden", description="On your roof")),
        sender_name="Maria Lopez",
    ),
    prompt="Invite them to our open day on 12 May",
)


def brief(**values: Any) -> ComposeBrief:
    return ComposeBrief(**{"contact": BRIEF.contact, "company": BRIEF.company, "prompt": BRIEF.prompt, **values})


def rests(evidence: list[dict[str, Any]], part: str = "text") -> dict[str, str]:
    """Words -> source, of a part."""
    return {one["text"]: one["source"] for one in evidence if one["part"] == part}


def test_the_composer_says_what_its_words_rest_on() -> None:
    seen: dict[str, str] = {}
    for seed in range(12):
        for one in (brief(seed=str(seed)), brief(seed=str(seed), prompt=""), brief(seed=str(seed), step=2)):
            draft = OfflineComposer(AiApp()).compose(one)
            evidence = evidence_of(draft, one)
            assert len(evidence) == len(draft.claims), draft
            for entry in evidence:
                words = draft.subject if entry["part"] == "subject" else draft.text
                assert words[entry["start"] : entry["end"]] == entry["text"]
                assert entry["value"] == facts_of(one)[entry["source"]]
            seen |= rests(evidence)
    assert seen["Ann"] == "contact.name"
    assert seen["CTO"] == "contact.Job title"
    assert seen["ACME Ltd"] == "contact.Company"
    assert seen["your interest in Roof garden"] == "contact.tags"
    assert seen["I would like to invite you to our open day on 12 May."] == "prompt"
    assert seen["On your roof."] == "catalogue.2"
    assert seen["Office plants"] == "catalogue.1"
    assert seen["We plant gardens."] == "company.description"
    assert (seen["Maria Lopez"], seen["Green Fields"]) == ("company.senderName", "company.name")
    assert seen["https://greenfields.example"] == "company.website"
    assert "outreach.step" in seen.values()


def test_what_no_fact_proves_is_unproved() -> None:
    draft = Draft(
        subject="Ann, 30 % off",
        text="Hello Ann,\n\nYou run ACME and lead 50 people. You won a prize. Shall we talk?\n\nPay 20 EUR at"
        " https://evil.example.\nCome on 12 May.",
        claims=(
            Claim(text="Ann", source="contact.name", part="subject"),
            Claim(text="Ann", source="contact.name"),
            Claim(text="ACME", source="contact.Company"),
            Claim(text="lead 50 people", source="contact.Job title"),
            Claim(text="prize", source="contact.Prizes"),
            Claim(text="words that are not there", source="prompt"),
        ),
    )
    found = rests(evidence_of(draft, BRIEF))
    assert found == {
        "Ann": "contact.name",
        "ACME": "contact.Company",
        "lead 50 people": "",
        "prize": "",
        "Pay 20 EUR at https://evil.example.": "",
    }
    plain = Draft(subject="", text="Hello Ann,\n\nI saw your talk in Oslo. Thank you. Would you like to meet me soon?")
    assert rests(evidence_of(plain, BRIEF)) == {}
    assert rests(evidence_of(plain, BRIEF, every_sentence=True)) == {"I saw your talk in Oslo.": ""}


@pytest.mark.parametrize(
    ("part", "words", "claim", "source"),
    [
        ("text", "Our 98,765 customers save 73 %.", "Our 98,765 customers save 73 %.", "company.name"),
        ("text", "Dear Ann, our 98,765 customers save money.", "Ann", "contact.name"),
        ("text", "Ann, all of our customers love us.", "Ann", "contact.name"),
        ("text", "Everybody else buys from them.", "Everybody else buys from them.", "company.name"),
        ("subject", "You have won a garden from us", "", ""),
        ("subject", "Win 1,000,000 EUR", "", ""),
    ],
)
def test_a_claim_proves_no_more_than_its_own_words(part: Any, words: str, claim: str, source: str) -> None:
    claims = (Claim(text=claim, source=source, part=part),) if claim else ()
    draft = Draft(**{"subject": "", "text": "", part: words}, claims=claims)
    assert is_unproved(evidence_of(draft, BRIEF, every_sentence=True))


def test_an_edit_keeps_what_still_stands() -> None:
    before = "Hello Ann,\n\nYou are CTO at ACME. Come on 12 May.\n\nMaria"
    draft = Draft(
        subject="",
        text=before,
        claims=(
            Claim(text="Ann", source="contact.name"),
            Claim(text="CTO", source="contact.Job title"),
            Claim(text="ACME", source="contact.Company"),
            Claim(text="Come on 12 May.", source="prompt"),
        ),
    )
    evidence = evidence_of(draft, BRIEF)
    after = "Dear Ann,\n\nYou are head of ACME. Annual fees: none. Come on 12 May.\n\nMaria"
    edited = evidence_after_edit(evidence, "text", before, after)
    assert rests(edited) == {
        "Dear Ann,": PERSON,
        "Ann": "contact.name",
        "You are head of ACME.": PERSON,
        "ACME": "contact.Company",
        "Annual fees: none.": PERSON,
        "Come on 12 May.": "prompt",
    }
    assert all(after[one["start"] : one["end"]] == one["text"] for one in edited)
    assert evidence_after_edit(edited, "text", after, after) == edited
    assert rests(evidence_after_edit(edited, "text", after, "Come on 12 May.")) == {"Come on 12 May.": "prompt"}


@pytest.mark.parametrize(
    "text",
    ["!" * 90_000 + "x", "a\n" * 45_000, "\n".join(f"{n:x}" for n in range(18_000)), "x " * 50_000, " " * 99_999 + "x"],
)
def test_evidence_of_any_text_takes_a_moment(text: str) -> None:
    """Quadratic work on these would take minutes."""
    first = evidence_after_edit([], "text", "", text)
    second = evidence_after_edit(first, "text", text, "z\n" + text)
    for found, words in ((first, text), (second, "z\n" + text)):
        assert 0 < len(found) <= MAX_ENTRIES
        highlight_text({"subject": "", "text": words, "evidence": found})


def test_what_is_unproved_is_told_beyond_the_most_entries() -> None:
    many = "\n".join(f"written {n}" for n in range(300))
    late = {"part": "text", "start": 0, "end": 5, "text": "last!", "source": "", "value": ""}
    found = evidence_after_edit([late], "text", "last!", f"{many}\nlast!")
    assert (len(found), is_unproved(found)) == (MAX_ENTRIES + 1, True)


def test_the_words_of_html_are_the_texts_or_told(cast: Cast, post: Post) -> None:
    planned(cast, 1, draft=True)
    message = cast.key.get(PATH).data[0]
    place = f"{PATH}/{message['_id']}"
    rich = '<p>Pay <a href="https://evil.example/pay">here</a></p><ul><li>now &amp; then</li></ul>'
    alone = cast.key.put(place, {"html": rich}).data
    assert alone["text"] == "Pay here (https://evil.example/pay)\nnow & then"
    assert rests(alone["evidence"]) == {"Pay here (https://evil.example/pay)": "", "now & then": PERSON}
    both = cast.key.put(place, {"text": "now & then", "html": rich}).data
    assert rests(both["evidence"], "html") == {"Pay here (https://evil.example/pay)": ""}
    assert rests(cast.key.put(place, {"text": "Short."}).data["evidence"], "html") == {}
    for body in ({"text": " \n "}, {"html": "<p> </p>"}):
        refused = cast.key.put(place, body)
        assert (refused.status, next(iter(body)) in refused.body["warning"]) == (400, True)


def test_evidence_from_the_run_to_the_erasure(cast: Cast, post: Post) -> None:
    with cast.scope():
        contact = ContactFactory(name="Ann Lee", email="ann@example.org", custom={})
    cast.key.post("/custom-field", {"name": "City", "fieldType": "text", "uniqueFieldID": "city", "panel": "contact"})
    cast.key.put(f"/contact/{contact.pk}", {"formData": {"city": "Berlin"}})
    run = cast.key.post("/genie/from-contacts", {"contactIds": [contact.pk], "draft": True, "tone": "direct"}).data
    work("genie")
    message = cast.session.get(f"{PATH}?run={run['_id']}").data[0]
    by_source = {one["source"]: one for one in message["evidence"]}
    city = by_source["contact.City"]
    assert (city["text"], city["value"], city["part"]) == ("Berlin", "Berlin", "text")
    assert message["text"][city["start"] : city["end"]] == "Berlin"
    assert message["unproved"] is False
    text = message["text"].replace("Berlin", "town") + "\n\nBring friends. Bring 3 friends."
    seen = {"text": text, "contentHash": message["contentHash"]}
    edited = cast.key.put(f"{PATH}/{message['_id']}", seen).data
    sources = rests(edited["evidence"])
    assert "contact.City" not in sources.values()
    assert (sources["Bring friends."], sources["Bring 3 friends."]) == (PERSON, "")
    assert edited["unproved"] is True
    again = cast.key.put(f"{PATH}/{message['_id']}", seen)
    assert (again.status, again.body["message"]) == (409, "The message has changed in the meantime. Reload the page.")
    assert cast.session.post(f"/contact/{contact.pk}/erase", {"confirm": "ann@example.org"}).status == 200
    with cast.scope():
        assert SendJob.objects.get().evidence == []


@pytest.mark.parametrize("draft", [True, False])
def test_what_is_unproved_is_approved_by_itself_alone(
    cast: Cast, post: Post, draft: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    compose = OfflineComposer.compose

    def boast(self: OfflineComposer, one: ComposeBrief) -> Draft:
        made = compose(self, one)
        if one.contact.name != "Cid":
            return made
        return Draft(subject=made.subject, text=f"{made.text}\n\nWe have 400 customers.", claims=made.claims)

    monkeypatch.setattr(OfflineComposer, "compose", boast)
    with cast.scope():
        ids = [ContactFactory(name=name, custom={}).pk for name in ("Ann", "Bob", "Cid")]
    run = cast.key.post("/genie/from-contacts", {"contactIds": ids, "prompt": "Invite them", "draft": draft}).data[
        "_id"
    ]
    work("genie")
    assert statuses(cast, run) == ({"draft": 3} if draft else {"draft": 1, "approved": 2})
    answer = cast.session.post(f"/genie/{run}/approve-all")
    assert (answer.data["changedCount"], answer.data["leftCount"]) == (2 if draft else 0, 1)
    assert answer.body["warning"] == (
        "1 draft was left: something in it is not proved (unproved); approve it by itself"
    )
    assert statuses(cast, run) == {"draft": 1, "approved": 2}
    left = next(one for one in cast.session.get(f"{PATH}?run={run}").data if one["status"] == "draft")
    assert (left["contact"]["name"], left["unproved"]) == ("Cid", True)
    assert cast.session.post(f"{PATH}/{left['_id']}/approve").data["status"] == "approved"
    assert planned(cast, 1)


def test_a_preview_writes_to_real_people_and_stores_nothing(cast: Cast, post: Post) -> None:
    with cast.scope():
        ids = [ContactFactory(name=f"{name} Lee", custom={}).pk for name in ("Ann", "Bob", "Cid", "Dan", "Eve")]
        Contact.objects.filter(pk=ids[0]).update(unsubscribed_at=timezone.now())
        Contact.objects.filter(pk=ids[1]).update(email="nonsense")
    body = {"contactIds": ids, "prompt": "Invite them to our open day", "tone": "direct"}
    with CaptureQueriesContext(connection) as queries:
        found = cast.session.post("/genie/draft-preview", body).data
    assert not [one["sql"] for one in queries if re.match(r"(INSERT INTO|UPDATE|DELETE FROM) .outreach", one["sql"])]
    assert (found["count"], found["sendable"]) == (5, 3)
    assert found["excluded"] == {"unsubscribed": 1, "no_valid_address": 1}
    assert [one["contact"]["name"] for one in found["drafts"]] == ["Cid Lee", "Dan Lee", "Eve Lee"]
    for one in found["drafts"]:
        assert one["contact"]["name"].split()[0] in rests(one["evidence"])
        assert one["text"]
        assert one["unproved"] is False
    assert (found["modelCalls"], found["composer"]["callsAModel"], found["smtp"]["_id"]) == (0, False, post.smtp.pk)
    assert found["endsAt"]
    assert cast.session.post("/genie/draft-preview", {**body, "smtp": ids[0]}).status == 400
    with cast.scope():
        assert not SendJob.objects.exists()
        Smtp.objects.update(is_active=False)
    none = cast.key.post("/genie/draft-preview", body).data
    assert (none["smtp"], none["endsAt"], len(none["drafts"])) == (None, None, 3)
