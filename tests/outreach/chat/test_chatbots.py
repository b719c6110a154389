"""Manual chatbots: versions, moves of their status, keywords, handover, and conversations that are replayed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from outreach.chat.chatbots.engine import Bot, Memory, choose, react, replay
from outreach.chat.conversations.bots import Incoming
from outreach.models import ChatApp, Conversation
from tests.kit.cast import Cast
from tests.kit.chat_vendor import tell, wrote
from tests.outreach.helpers import work

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def bot(id: str = "1", **values: Any) -> Bot:
    known = {
        "name": f"Bot {id}",
        "kind": "flow",
        "conversations": [{"text": "One?", "order": 1}, {"text": "Two?", "order": 2}],
    }
    return Bot(id * 24, 1, {**known, **values})


def rules(mode: str, *given: dict[str, Any]) -> dict[str, Any]:
    return {"handover": {"mode": mode, "rules": list(given)}}


def told(*texts: str, minutes: int = 1) -> list[Incoming]:
    return [Incoming(text, NOW + timedelta(minutes=place * minutes)) for place, text in enumerate(texts)]


def talk(found: Bot, *texts: str, minutes: int = 1) -> list[tuple[tuple[str, ...], str]]:
    steps = replay([found], told(*texts, minutes=minutes), most_mb={found.id: 10}, first=found)
    return [(step.reaction.texts, step.reaction.hand_over) for step in steps if step.reaction]


COUNT = {"type": "message_count", "messageCount": 2}
SAYS = {"type": "contains_text", "text": "Human"}
TIME = {"type": "time_based", "minutes": 30}
ENDS = {"type": "flow_finished"}


@pytest.mark.parametrize(
    ("handover", "texts", "minutes", "wanted"),
    [
        ({}, ("a", "b", "c"), 1, [(("One?",), ""), (("Two?",), ""), ((), "flow_finished")]),
        (rules("any", ENDS), ("a", "b", "c"), 1, [(("One?",), ""), (("Two?",), "flow_finished")]),
        (rules("any", COUNT), ("a", "b"), 1, [(("One?",), ""), (("Two?",), "message_count")]),
        (rules("any", SAYS), ("a real human, please", "b"), 1, [(("One?",), "contains_text")]),
        (rules("any", {**SAYS, "enabled": False}), ("human", "b"), 1, [(("One?",), ""), (("Two?",), "")]),
        (rules("any", TIME), ("a", "b"), 31, [(("One?",), ""), (("Two?",), "time_based")]),
        (rules("all", SAYS, COUNT), ("human", "b"), 1, [(("One?",), ""), (("Two?",), "contains_text, message_count")]),
        # What its rules wait for never comes: it has nothing left to say, and does not go silent.
        (rules("all", SAYS, COUNT), ("a", "b", "c"), 1, [(("One?",), ""), (("Two?",), ""), ((), "flow_finished")]),
    ],
)
def test_handover(handover: dict[str, Any], texts: tuple[str, ...], minutes: int, wanted: Any) -> None:
    found = talk(bot(**handover), *texts, minutes=minutes)
    assert [(said, why if why != "message_count, flow_finished" else why) for said, why in found] == wanted


def test_a_large_file_is_refused_and_the_flow_waits() -> None:
    large = react(bot(), Memory(NOW), Incoming("", NOW, file_mb=11), NOW, most_mb=10)
    assert (large.texts, large.memory.position) == (("That file is too large: at most 10 MB can be taken.",), 0)
    assert react(bot(), large.memory, Incoming("", NOW, file_mb=10), NOW, most_mb=10).texts == ("One?",)


def test_keywords_by_weight_then_rank_then_age() -> None:
    tea = bot("1", keywords=[{"keyword": "tea", "weight": 1, "rank": 5}])
    green = bot("2", keywords=[{"keyword": "tea", "weight": 1, "rank": 1}, {"keyword": "green tea", "weight": 5}])
    plain, router = bot("3"), bot("4", kind="router")
    every = [tea, green, plain, router]
    assert choose(every, "a cup of TEA!") == green  # the same weight, a better rank
    assert choose(every, "green tea") == green
    assert choose([tea, bot("5", keywords=tea.snapshot["keywords"])], "tea") == tea
    assert choose(every, "steamboat") == router  # whole words alone
    assert choose([tea, plain], "steam") == plain
    assert choose([tea], "steam") is None
    closed = bot("1", keywords=tea.snapshot["keywords"], routing={"allowEnter": False})
    stays = bot("6", routing={"allowLeave": False})
    assert choose([closed, plain], "tea", plain) == plain
    assert choose([tea, stays], "tea", stays) == stays
    assert choose([tea, plain], "tea", plain) == tea
    assert choose([tea, green], "tea", green) == green  # no match that weighs more: nobody is passed around


def test_versions_and_moves(cast: Cast, outsiders: Cast) -> None:
    assert cast.key.put("/settings", {"manualChatbot": {"attachments": {"maxFileSizeMb": 25}}}).status == 200
    made = cast.key.post("/manual-chatbot", {"name": "  My   Bot "})
    id, path = made.data["_id"], f"/manual-chatbot/{made.data['_id']}"
    shown = made.data
    assert (shown["status"], shown["publishedVersion"], shown["latestVersion"]) == ("draft", 0, 1)
    assert (shown["normalizedName"], shown["attachments"]["maxFileSizeMb"], shown["publishedSnapshot"]) == (
        "my bot",
        25,
        None,
    )
    assert shown["routing"] == {"label": "", "allowLeave": True, "allowEnter": True}
    assert cast.key.post("/manual-chatbot", {"name": "MY bot"}).body["message"] == "Duplicate field(s): name"
    assert cast.key.post(f"{path}/publish").status == cast.key.post(f"{path}/pause").status == 400
    texts = {"conversations": [{"text": "Hello", "order": 1}]}
    assert cast.key.put(path, texts).data["latestVersion"] == 1
    published = cast.key.post(f"{path}/publish").data
    assert (published["status"], published["publishedVersion"], published["activeName"]) == ("published", 1, "My   Bot")
    changed = cast.key.put(path, {"conversations": [{"text": "Good day", "order": 1}]}).data
    assert (changed["latestVersion"], changed["publishedVersion"]) == (2, 1)
    assert changed["publishedSnapshot"]["conversations"][0]["text"] == "Hello"
    assert cast.key.put(path, {"description": "Nothing that is said"}).data["latestVersion"] == 2
    tried = {"messages": [{"text": "Hi"}]}
    assert cast.key.post(f"{path}/test", {**tried, "draft": False}).data["steps"][0]["answers"] == ["Hello"]
    assert cast.key.post(f"{path}/test", tried).data["steps"][0]["answers"] == ["Good day"]
    assert cast.key.post(f"{path}/publish").data["publishedVersion"] == 2
    assert cast.key.post(f"{path}/pause").data["status"] == "paused"
    assert cast.key.post(f"{path}/pause").status == 400
    assert cast.key.post(f"{path}/publish").data["status"] == "published"
    advice = "; pause it so that it answers no more"
    for status, more in (("published", advice), ("paused", "")):
        assert cast.key.put(path, {"status": status}).data["status"] == status
        for caller in (cast.key, cast.session):
            draft = caller.put(path, {"status": "draft"})
            assert (draft.status, draft.body["errors"][0]["field"]) == (400, "status")
            assert draft.body["warning"] == f"status: the chatbot is {status} and cannot be a draft again{more}"
    whole = cast.key.get(path).data
    again = cast.key.put(path, {**whole, "description": "Other", "status": "published"}).data
    assert (again["status"], again["description"]) == ("published", "Other")
    fixed = cast.key.put(path, {"publishedVersion": 9})
    assert (fixed.status, fixed.body["errors"][0]["field"]) == (400, "publishedVersion")
    assert outsiders.key.get(path).status == outsiders.key.post(f"{path}/publish").status == 404
    assert cast.narrow_session.get("/manual-chatbot").status == 403
    assert cast.key.delete("/manual-chatbot", {"ids": [id]}).data == {"deletedCount": 1}
    assert cast.key.delete("/manual-chatbot", {"ids": [id]}).status == cast.key.get(path).status == 404


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"conversations": [{"order": 1}]}, "conversations.0.text"),
        ({"keywords": [{"keyword": "x", "weight": -1}]}, "keywords.0.weight"),
        ({"handover": {"mode": "some"}}, "handover.mode"),
        ({"handover": {"rules": [{"type": "contains_text"}]}}, "handover.rules.0.text"),
        ({"handover": {"rules": [{"type": "magic"}]}}, "handover.rules.0.type"),
        ({"attachments": {"maxFileSizeMb": 0}}, "attachments.maxFileSizeMb"),
        ({"kind": "wizard"}, "kind"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_is_wrong_is_named(cast: Cast, body: dict[str, Any], where: str) -> None:
    answer = cast.key.post("/manual-chatbot", {"name": "Bot", **body})
    assert (answer.status, where in answer.body["warning"]) == (400, True)


def test_time_hands_over_though_nobody_writes(cast: Cast, app: ChatApp) -> None:
    given = {"name": "Night", "conversations": [{"text": "Wait a moment"}, {"text": "Still here?"}]}
    made = cast.key.post("/manual-chatbot", {**given, "handover": {"rules": [{"type": "time_based", "minutes": 5}]}})
    assert cast.key.post(f"/manual-chatbot/{made.data['_id']}/publish").status == 200
    assert tell(app, **wrote("Hello")) == 200
    work("chat-events")
    work("chatbots")
    with cast.scope():
        conversation = Conversation.objects.get()
        assert (conversation.state, conversation.bot_due_at is not None) == ("bot", True)
        past = timezone.now() - timedelta(minutes=6)
        bot = {**conversation.bot, "since": past.isoformat()}
        Conversation.objects.update(bot=bot, bot_due_at=past + timedelta(minutes=5))
    work("chatbots")
    with cast.scope():
        conversation.refresh_from_db()
    assert (conversation.state, conversation.bot_due_at) == ("queued", None)
