"""Drafts that are written anew or edited, and the languages that they are written in."""

from __future__ import annotations

from typing import Any

import pytest

from crm.models import Contact, CustomField
from outreach.connections.ai.languages import language_code, language_of
from outreach.connections.ai.providers import model
from tests.kit.ai_server import AiServer, Raw, Say, ai_server, message
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.outreach.connections.ai.test_model_apps import connected
from tests.outreach.helpers import Post, planned, run_of, statuses, work
from tests.outreach.runs.genie.review.helpers import PATH, ids, shown


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(model, "pause", lambda failures, left: None)
    with ai_server() as found:
        yield found


def test_a_draft_is_written_anew_with_a_hint_once(cast: Cast, post: Post, server: AiServer) -> None:
    connected(cast, server, timeoutSeconds=5)
    run = planned(cast, 2, aiType="ai-b", draft=True, prompt="Invite them on 12 May")
    one, two = ids(cast, run)
    before, ended = shown(cast, one), run_of(cast, run).finished_at
    body = {"hint": "Shorter, and offer 10 % off", "contentHash": before["contentHash"]}
    for path_body in ({"hint": "x" * 1001}, {"hints": "x"}):
        assert cast.key.post(f"{PATH}/{one}/regenerate", path_body).status == 400
    assert cast.key.post(f"{PATH}/{one}/regenerate", {**body, "contentHash": "0" * 64}).status == 409
    for _ in range(2):
        answer = cast.session.post(f"{PATH}/{one}/regenerate", body)
        assert (answer.status, answer.data["status"], answer.data["reason"]) == (200, "planned", "written_anew")
        assert (answer.data["text"], answer.data["hint"]) == (before["text"], body["hint"])
    assert cast.key.post(f"{PATH}/{one}/regenerate", {"hint": "Another"}).status == 400
    assert cast.key.put(f"{PATH}/{one}", {"text": "Mine"}).status == 400
    assert cast.key.post(f"{PATH}/{one}/approve").status == 400
    with cast.scope():
        late = ContactFactory(custom={}).pk
    asked = len(server.asked)
    said = message(
        subject="Green Fields again",
        body="Green Fields gives you 10 % off.",
        claims=[{"text": "Green Fields gives you", "source": "prompt"}, {"text": "10 % off", "source": "hint"}],
    )
    server.then(Say(said.replace("Green Fields", cast.company.name)))
    work("genie")
    after = shown(cast, one)
    assert (after["status"], after["reason"], after["subject"]) == (
        "draft",
        "awaiting_approval",
        f"{cast.company.name} again",
    )
    assert ("10 % off", "hint") in {(one["text"], one["source"]) for one in after["evidence"]}
    (sent,) = server.asked[asked:]
    assert body["hint"] in sent.texts[0]
    assert before["text"] in sent.texts[0].replace("\\n", "\n")
    steps = [(step["to"], step["reason"], step["detail"], step["actorName"]) for step in after["transitions"]]
    assert steps[-2] == ("planned", "written_anew", body["hint"], cast.owner.name)
    assert steps[-1][:2] == ("draft", "awaiting_approval")
    found = run_of(cast, run)
    assert (found.status, found.rewriting, found.finished_at) == ("completed", False, ended)
    assert late not in [shown(cast, id)["contact"]["_id"] for id in ids(cast, run)]
    assert cast.session.post(f"{PATH}/{one}/regenerate", body).status == 409, "the same request, too late"
    assert shown(cast, two)["status"] == "draft"

    # What can't be written leaves the words as they were, and says why.
    server.then(Raw(401, b'{"error": {"message": "no"}}'), lasting=True)
    cast.key.post(f"{PATH}/{one}/regenerate")
    work("genie")
    kept = shown(cast, one)
    assert (kept["status"], kept["text"], "refuses the key" in kept["error"]) == ("draft", after["text"], True)
    cast.key.post(f"/genie/{run}/cancel")
    assert cast.key.post(f"{PATH}/{two}/regenerate").status == 400


def test_what_the_offline_composer_cannot_follow_is_told(cast: Cast, post: Post) -> None:
    run = planned(cast, 1, draft=True)
    (one,) = ids(cast, run)
    body = {"hint": "Shorter, offer 10 % off, and mention that we open on 12 May"}
    for _ in range(2):
        asked = cast.key.post(f"{PATH}/{one}/regenerate", body)
        assert (asked.status, "ignores “offer 10 % off”" in asked.body["warning"]) == (200, True)
    work("genie")
    found = shown(cast, one)
    assert "One more thing: we open on 12 May." in found["text"]
    assert ("we open on 12 May", "hint") in {(each["text"], each["source"]) for each in found["evidence"]}
    assert "warning" not in cast.key.post(f"{PATH}/{one}/regenerate", {"hint": "longer"}).body


def test_a_worker_that_is_killed_while_it_writes_anew_loses_nothing(cast: Cast, post: Post, server: AiServer) -> None:
    connected(cast, server)
    run = planned(cast, 1, aiType="ai-b", draft=True)
    (one,) = ids(cast, run)
    cast.key.post(f"{PATH}/{one}/regenerate", {"hint": "Shorter"})

    def die(*_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("outreach.runs.genie.writing.writer.Writer._store", die)
        with pytest.raises(KeyboardInterrupt):
            work("genie")
    assert statuses(cast, run) == {"planned": 1}
    with cast.scope():  # as the sweeper does with rows of a dead worker
        run_of(cast, run).__class__.objects.update(status="queued", lease=None, worker=None)
    work("genie")
    steps = [step["to"] for step in shown(cast, one)["transitions"]]
    assert (statuses(cast, run), steps) == ({"draft": 1}, ["planned", "draft", "planned", "draft"])


def test_messages_whose_words_could_not_be_made_are_written_anew(cast: Cast, post: Post, server: AiServer) -> None:
    connected(cast, server)
    server.then(Say("", "refused"), lasting=True)
    run = planned(cast, 2, aiType="ai-b")
    assert statuses(cast, run) == {"failed": 2}
    server.then()
    answer = cast.key.post(f"/genie/{run}/retry-failed", {})
    assert (answer.status, answer.data["changedCount"]) == (200, 2)
    assert cast.key.get(f"/genie/{run}").data["phase"] == "planning"
    work("genie")
    assert statuses(cast, run) == {"draft": 2}  # the model's words are not all proved
    assert run_of(cast, run).status == "completed"


def test_an_edit_is_checked_again_and_kept_in_the_log(cast: Cast, post: Post) -> None:
    with cast.scope():
        ann = ContactFactory(name="Ann Lee", custom={}).pk
    body = {"contactIds": [ann], "prompt": "Invite them to our open day on 12 May", "draft": True, "tone": "formal"}
    run = cast.key.post("/genie/from-contacts", body).data["_id"]
    work("genie")
    (one,) = ids(cast, run)
    old = shown(cast, one)
    text = f"{old['text']}\n\nCome on 12 May. We give 30 % off. It will be lovely. See https://evil.example now."
    changed = cast.session.put(f"{PATH}/{one}", {"text": text}).data
    found = {entry["text"]: entry["source"] for entry in changed["evidence"]}
    assert changed["unproved"] is True
    assert (found["Come on 12 May."], found["It will be lovely."]) == ("person", "person")
    assert (found["We give 30 % off."], found["See https://evil.example now."]) == ("", "")
    step = changed["transitions"][-1]
    assert [step[name] for name in ("from", "to", "reason", "detail", "actor", "actorName", "sentence")] == [
        *("draft", "draft", "edited", "text", cast.owner.pk, cast.owner.name, "The text was edited.")
    ]
    assert cast.session.put(f"{PATH}/{one}", {"text": text}).data["transitions"][-1] == step, "nothing has changed"
    # The name that the greeting rests on is another one by now.
    with cast.scope():
        Contact.objects.update(name="Zoe Quill")
    named = [entry for entry in old["evidence"] if entry["source"] == "contact.name" and entry["part"] == "text"]
    again = cast.session.put(f"{PATH}/{one}", {"subject": "S"}).data["evidence"]
    assert [entry["source"] for entry in again if entry["text"] == named[0]["text"]][:1] == [""]


def test_languages_are_told(cast: Cast, post: Post, server: AiServer) -> None:
    connected(cast, server)
    with cast.scope():
        field = CustomField.objects.create(
            panel="contact", name="Language", unique_field_id="language", value_type="text", order=9
        )
        french = ContactFactory(custom={field.unique_field_id: "Français"}).pk
        plain = ContactFactory(custom={}).pk

    def rules(contact: str, **body: Any) -> str:
        server.asked.clear()
        answer = cast.key.post("/genie/from-contacts", {"contactIds": [contact], "aiType": "ai-b", **body})
        assert answer.status == 201, answer.body
        work("genie")
        return server.asked[0].rules

    assert "Write in the language of the request" in rules(plain)
    assert "Write in this language: French." in rules(french)
    assert cast.session.put("/genie/settings", {"language": "Deutsch"}).data["language"] == "de"
    assert "Write in this language: German." in rules(plain)
    assert "Write in this language: French." in rules(french)
    assert "Write in this language: Spanish." in rules(french, language="es-MX")
    assert cast.key.get("/genie", n="1", p="1").data[0]["language"] == "es"
    for path, body in (("/genie/settings", {"language": "Klingon"}), ("/genie/settings", {"language": 5})):
        assert cast.session.put(path, body).status == 400
    refused = cast.key.post("/genie/from-contacts", {"contactIds": [plain], "language": "xx"})
    assert (refused.status, "language" in refused.body["warning"]) == (400, True)
    server.asked.clear()
    cast.key.post("/genie/draft-preview", {"contactIds": [french], "aiType": "ai-b"})
    assert "Write in this language: French." in server.asked[0].rules


def test_what_fields_tell_of_a_language() -> None:
    assert [language_code(words) for words in ("DE", "de_AT", "german", "Deutsch", "no", "", "Latin")] == [
        *("de", "de", "de", "de", "nb", "", "")
    ]
    for fields, code in (
        ({"Preferred language": "Dutch", "Country": "France"}, "nl"),
        ({"Country": "Österreich"}, "de"),
        ({"country": "Switzerland"}, ""),
        ({"Language": "?", "Land": "de"}, "de"),
        ({"City": "de"}, ""),
    ):
        assert language_of(fields) == code
