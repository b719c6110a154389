"""/ai-crm-chat with the offline reader: what it understands, who sees what, limits, and what becomes of old ones."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from core.tenancy import unscoped
from crm.models import Contact
from crm.privacy.registry import PERSONAL_DATA, DataSubject
from outreach.insights.crm_chat.catalogue import TABLES
from outreach.insights.crm_chat.offline import plan
from outreach.insights.crm_chat.plans import clean_answer, unproved_figures
from outreach.insights.crm_chat.services import QUESTION_LIFE, forget_old
from outreach.models import AiApp, CrmChatMessage, CrmChatThread
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory
from tests.outreach.helpers import work
from tests.outreach.insights.crm_chat.helpers import asked

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("offline")]
ALL = list(TABLES.values())


@pytest.fixture
def deals(cast: Cast) -> None:
    with cast.scope():
        for number, status in enumerate(("new", "won", "won", "lost")):
            LeadFactory(status=status, value=100 * (number + 1), contact=ContactFactory(name=f"Person {number}"))
        ContactFactory(name="Ann Miller", email=None, number="15112345678", country_code="+49")


@pytest.mark.usefixtures("deals")
@pytest.mark.parametrize(
    ("question", "words", "total"),
    [
        ("How many leads are there?", "There are 4 leads.", 4),
        ("How many leads were won?", "There are 2 leads where status is won.", 2),
        ("How many deals are open?", "There is 1 lead where status is not won or lost.", 1),
        (
            "how many contacts were added last week",
            "There are 5 contacts where added is within the last week.",
            5,
        ),
        ("Contacts without an email", "– Ann Miller", 1),
        (
            "The 2 biggest deals",
            "There are 4 leads:\n– Person 3, lost, $400.00\n– Person 2, won, $300.00\nShowing 2 of 4.",
            4,
        ),
        ("Leads by status", "– won: 2, worth $500.00", 4),
        ("How many leads are in each status?", "– won: 2, worth $500.00", 4),
        ("how many leads in every status last week", "– won: 2, worth $500.00", 4),
        ("How many leads does each team member have?", "There are 4 leads", 4),
        ("Who is Ann Miller?", "There is 1 contact matching “Ann Miller”:\n– Ann Miller", 1),
        (
            "How many meetings next week?",
            "There are no meetings where start is within the next week.",
            0,
        ),
    ],
)
def test_common_questions_are_answered_without_a_model(cast: Cast, question: str, words: str, total: int) -> None:
    found = asked(cast.session, question)
    assert (found["status"], found["aiType"], found["error"]) == ("completed", "ai-offline", "")
    assert words in found["answer"], found["answer"]
    first = found["evidence"][0]
    assert (first["total"], first["error"], found["unproved"]) == (total, "", [])
    assert first["page"].startswith(f"/c/{cast.company.pk}/")


def test_figures_of_its_own_help_are_not_marked(cast: Cast) -> None:
    found = asked(cast.session, "xyzzy?")
    assert "The 5 biggest open deals" in found["answer"]
    assert found["unproved"] == []


@pytest.mark.usefixtures("deals")
def test_an_answer_leads_to_the_lists_and_records_that_it_comes_from(cast: Cast) -> None:
    found = asked(cast.session, "The 2 biggest won deals")
    (read,) = found["evidence"]
    assert read["query"] == {
        "searchValue": "",
        "advancedFilters": {
            "operator": "and",
            "conditions": [{"field": "status", "operator": "equals", "value": "won"}],
        },
        "sortBy": "value",
        "sortOrder": "desc",
        "groupBy": "",
    }
    assert [one["name"] for one in read["records"]] == ["Person 2", "Person 1"]
    listed = cast.session.get("/lead", **{k: v for k, v in read["query"].items() if v}, p="1", n="2")
    assert [one["_id"] for one in listed.data] == [one["_id"] for one in read["records"]]
    assert read["records"][0]["page"] == f"/c/{cast.company.pk}/leads/{listed.data[0]['_id']}"
    assert read["page"].startswith(f"/c/{cast.company.pk}/leads?within=")


def test_what_no_rule_understands_is_said(cast: Cast) -> None:
    found = asked(cast.session, "What is the meaning of it all, in general?")
    assert "I found nothing for" in found["answer"]
    assert "How many leads were added last week?" in found["answer"]


@pytest.mark.parametrize(
    ("question", "path", "conditions"),
    [
        ("Contacts tagged VIP", "contact", '"tags.name", "operator": "equals", "value": "VIP"'),
        ("Which follow-ups are overdue?", "lead-activity/follow-up", '"overdue", "operator": "equals", "value": true'),
        ("unsubscribed people", "contact", '"unsubscribed", "operator": "equals", "value": true'),
        ("messages that failed in the last 3 days", "genie/send-jobs", '"sentAt", "operator": "withinLast"'),
        ("meetings in the next 2 weeks", "meeting", '{"amount": 2, "unit": "weeks"}'),
    ],
)
def test_questions_become_filters(question: str, path: str, conditions: str) -> None:
    (step,) = plan(question, ALL)
    assert step.list == path
    assert conditions in step.filters


def test_nobody_sees_anothers_conversations(cast: Cast, outsiders: Cast) -> None:
    mine = cast.session.post("/ai-crm-chat", {"title": "Mine", "question": "How many leads?"}).data
    with cast.scope():
        role = cast.narrow.role
        role.permission = {"ai-crm-chat": {"GET": True, "POST": True, "DELETE": True}}
        role.save()
    for other in (cast.narrow_session, outsiders.session, outsiders.key):
        assert other.get("/ai-crm-chat").data == []
        for answer in (
            other.get(f"/ai-crm-chat/{mine['_id']}"),
            other.get(f"/ai-crm-chat/{mine['_id']}/messages"),
            other.post(f"/ai-crm-chat/{mine['_id']}/messages", {"question": "And contacts?"}),
            other.delete("/ai-crm-chat", {"ids": [mine["_id"]]}),
            other.get(f"/agent/{mine['messages'][0]['_id']}"),
        ):
            assert answer.status == 404, answer.body
    assert cast.key.get(f"/ai-crm-chat/{mine['_id']}").data["title"] == "Mine"  # the owner's own key
    assert cast.session.delete("/ai-crm-chat", {"ids": [mine["_id"]]}).data == {"deletedCount": 1}


def test_an_answer_holds_what_the_asker_may_read_when_it_is_made(cast: Cast) -> None:
    with cast.scope():
        ContactFactory(name="Ann Miller")
        role = cast.narrow.role
        role.permission = {"ai-crm-chat": {"GET": True, "POST": True}, "lead": {"GET": True}}
        role.save()
    found = asked(cast.narrow_session, "How many contacts are there?")
    assert found["answer"].startswith("I can't read the contacts: Your role does not allow this")
    assert found["evidence"][0]["total"] is None
    looked = asked(cast.narrow_session, "Who is Ann Miller?")
    assert "Ann" not in looked["answer"].replace("“Ann Miller”", "").replace("“Who is Ann Miller?”", "")
    made = cast.narrow_session.post("/ai-crm-chat", {"question": "How many leads?"}).data
    with cast.scope():
        User.objects.filter(pk=cast.narrow.user_id).update(is_active=False)
    work("crm-chat")
    with cast.scope():
        message = CrmChatMessage.objects.get(thread=made["_id"])
    assert (message.status, message.error_name, message.answer) == ("failed", "UnauthorizedAction_403", "")


def test_what_is_refused_names_its_field(cast: Cast) -> None:
    thread = cast.session.post("/ai-crm-chat", {"title": "Numbers"}).data
    place = f"/ai-crm-chat/{thread['_id']}/messages"
    for body, part in (
        ({}, "question"),
        ({"question": ""}, "question"),
        ({"question": "x" * 2001}, "question"),
        ({"question": ["x"]}, "question"),
        ({"question": "How many?", "role": "admin"}, "role"),
    ):
        answer = cast.session.post(place, body)
        assert (answer.status, part in answer.body["warning"]) == (400, True), answer.body
    assert (
        cast.session.post(place, {"question": "Hm?", "aiType": "ai-z"}).body["message"] == "Choose one of the AI apps."
    )
    for _ in range(3):
        assert cast.session.post(place, {"question": "How many leads?"}).status == 201
    waits = cast.session.post(place, {"question": "How many leads?"})
    assert (waits.status, "wait for their answers" in waits.body["warning"]) == (400, True)
    with cast.scope():
        AiApp.objects.all().delete()
    none = cast.session.post(place, {"question": "How many leads?"})
    assert (none.status, none.body["message"]) == (400, "No AI writer is connected yet.")
    assert cast.narrow_session.post("/ai-crm-chat", {}).status == 403


def test_old_conversations_and_those_of_removed_members_are_forgotten(cast: Cast) -> None:
    old, new = (cast.session.post("/ai-crm-chat", {"title": title}).data["_id"] for title in ("Old", "New"))
    with cast.scope():
        CrmChatThread.objects.filter(pk=old).update(last_message_at=timezone.now() - QUESTION_LIFE - timedelta(hours=1))
        theirs = CrmChatThread.objects.create(owner=cast.narrow, title="Theirs")
    with unscoped(reason="test: the periodic task"):
        assert forget_old() is False
    with cast.scope():
        assert set(CrmChatThread.objects.values_list("pk", flat=True)) == {new, theirs.pk}
    assert cast.session.delete("/member", {"ids": [cast.narrow.pk]}).status == 200
    with cast.scope():
        assert list(CrmChatThread.objects.values_list("pk", flat=True)) == [new]


def test_erasure_takes_what_was_asked_and_read_of_a_person(cast: Cast) -> None:
    with cast.scope():
        ann = ContactFactory(name="Ann Miller", email="ann@example.org")
        ContactFactory(name="Bob Baker")
    for question in ("Who is Ann Miller?", "Show me 5 contacts", "Who is Bob Baker?", "How many leads are there?"):
        asked(cast.session, question)
    with cast.scope():
        subject = DataSubject.of(ann.pk)
        rows = {name: list(PERSONAL_DATA[name].export_rows(subject)) for name in ("questions",)}
        assert [row["question"] for row in rows["questions"]] == ["Who is Ann Miller?", "Show me 5 contacts"]
        assert not {"answer", "evidence", "rounds"} & set(rows["questions"][0])
    assert cast.session.post(f"/contact/{ann.pk}/erase", {"confirm": ann.pk}).status in (200, 201)
    with cast.scope():
        left = set(CrmChatMessage.objects.values_list("question", flat=True))
        assert left == {"Who is Bob Baker?", "How many leads are there?"}
        assert not CrmChatThread.objects.filter(title__contains="Ann").exists()
        assert not Contact.objects.filter(name="Ann Miller").exists()


def test_links_and_figures_of_an_answer_are_looked_at() -> None:
    assert clean_answer("See ![x](https://evil.example/?q=Ann) or www.evil.example/a, or javascript:alert(1)") == (
        "See x or (link left out) or (link left out)"
    )
    assert unproved_figures("1,200.50 of 3 and 7", ['{"total": 3}', "1200.5"]) == ["7"]
