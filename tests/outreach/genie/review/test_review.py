"""Approvals that end or are outdated, batches with a sample, drafts that are written anew, languages."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from core.jobs import WORK
from core.tenancy import unscoped
from crm.models import Contact, CustomField
from outreach.ai.languages import language_code, language_of
from outreach.ai.providers import model
from outreach.delivery import services
from outreach.delivery.approvals import hold_lapsed
from outreach.delivery.claims import claim
from outreach.delivery.context import SendContext
from outreach.delivery.decision import Stop, decide
from outreach.delivery.endings import never_goes
from outreach.delivery.reasons import sentence_of
from outreach.genie.review import message_jobs
from outreach.models import SendJob, Suppression
from tests.kit.ai_server import AiServer, Raw, Say, ai_server, message
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory
from tests.kit.sending import commit_intent
from tests.outreach.ai.test_model_apps import connected
from tests.outreach.helpers import Post, planned, run_of, statuses, work
from tests.web.helpers import at, enter, text_of

PATH = "/genie/send-jobs"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(model, "pause", lambda failures, left: None)
    with ai_server() as found:
        yield found


def ids(cast: Cast, run: str) -> list[str]:
    with cast.scope():
        return list(SendJob.objects.filter(run_id=run).order_by("id").values_list("pk", flat=True))


def shown(cast: Cast, id: str) -> dict[str, Any]:
    return dict(cast.key.get(f"{PATH}/{id}").data)


def test_an_outdated_approval_is_told_at_once_and_not_renewed_unseen(cast: Cast, post: Post) -> None:
    run = planned(cast, 3, draft=True)
    one, two, _ = ids(cast, run)
    assert cast.key.post(f"/genie/{run}/approve-all").data["changedCount"] == 3
    with cast.scope():
        Contact.objects.filter(send_jobs__pk=one).update(email="new@example.net", email_key="new@example.net")
        SendJob.objects.update(due_at=timezone.now() + timedelta(days=1))  # nothing claims them
    listed = cast.key.get(PATH, run=run, filters={"reason": "approval_outdated"}).data
    assert [(row["_id"], row["status"], row["reason"]) for row in listed] == [(one, "approved", "approval_outdated")]
    assert "approved again" in listed[0]["sentence"]
    detail = cast.key.get(f"/genie/{run}").data
    assert (detail["lapsedCount"], detail["reasons"][0]["reason"], detail["reasons"][0]["count"]) == (
        1,
        "approval_outdated",
        1,
    )
    # Neither holding all and approving all, nor the tick in between, approves it for others than it was read for.
    assert cast.key.post(f"/genie/{run}/draft-all").data["changedCount"] == 3
    assert WORK["periodic:outreach.lapsed_approvals"].run is hold_lapsed
    again = cast.key.post(f"/genie/{run}/approve-all")
    assert [again.data[name] for name in ("changedCount", "leftCount", "outdatedCount")] == [2, 1, 1]
    assert "1 draft was left: its contact or sender is another one since the approval" in again.body["warning"]
    with cast.scope():
        Contact.objects.filter(send_jobs__pk=two).update(name="Somebody Else")
    with unscoped(reason="test"):
        assert hold_lapsed() is False
    assert statuses(cast, run) == {"draft": 2, "approved": 1}
    assert shown(cast, two)["transitions"][-1]["reason"] == "approval_outdated"
    seen = shown(cast, one)["contentHash"]
    assert cast.key.post(f"{PATH}/{one}/approve", {"contentHash": seen}).data["reason"] == ""


def test_an_approval_ends(cast: Cast, post: Post) -> None:
    assert cast.session.put("/genie/settings", {"approvalDays": 3}).data["approvalDays"] == 3
    for wrong in (0, 366, "3"):
        refused = cast.session.put("/genie/settings", {"approvalDays": wrong})
        assert (refused.status, "approvalDays" in refused.body["warning"]) == (400, True)
    run, unasked = planned(cast, 2, draft=True), planned(cast, 1)
    one, two = ids(cast, run)
    cast.key.post(f"{PATH}/{one}/approve")
    approved = cast.session.post(f"{PATH}/{two}/approve").data
    assert approved["approvalEndsAt"][:10] == (timezone.now() + timedelta(days=3)).date().isoformat()
    assert shown(cast, ids(cast, unasked)[0])["approvalEndsAt"] is None, "nobody has read it: the run was the approval"
    with cast.scope():
        ended = timezone.now() - timedelta(seconds=1)
        SendJob.objects.filter(pk=one).update(approval_ends_at=ended)
    assert [shown(cast, one)[name] for name in ("status", "reason")] == ["approved", "approval_expired"]
    assert shown(cast, one)["decision"]["reason"] == "approval_expired"
    assert len(cast.key.get(PATH, filters={"reason": "approval_expired"}).data) == 1
    with unscoped(reason="test"):
        hold_lapsed()
    assert [shown(cast, one)[name] for name in ("status", "reason", "approvalEndsAt")] == [
        "draft",
        "approval_expired",
        None,
    ]
    assert "has expired" in shown(cast, one)["sentence"]
    # It ends between the claim and the sending: the statement that commits the intent looks again.
    with cast.scope():
        (job,) = [job for job in claim(post.smtp.pk).jobs if job.pk == two]
        SendJob.objects.filter(pk=two).update(approval_ends_at=ended)
        assert not commit_intent(job, recipient=job.contact.email)
        SendJob.objects.filter(run_id=run, status="claimed").update(status="approved", lease=None)
    work("send")
    assert statuses(cast, run) == {"draft": 2}
    assert cast.key.post(f"{PATH}/{one}/approve").data["status"] == "approved"
    work("send")
    assert statuses(cast, run) == {"draft": 1, "sent": 1}


def test_all_are_approved_as_the_sample_showed_them(cast: Cast, post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    run = planned(cast, 8, draft=True)
    left, other, *_ = ids(cast, run)
    with cast.scope():
        claim_of = {"part": "text", "start": 0, "end": 1, "text": "H", "source": "", "value": ""}
        SendJob.objects.filter(pk=left).update(evidence=[claim_of])
    place = f"/genie/{run}/approval-sample"
    found = cast.session.get(place).data
    assert (found["count"], found["leftCount"], found["outdatedCount"], len(found["sample"])) == (7, 1, 0, 5)
    assert found["sample"][0]["subject"]
    assert cast.session.get(place).data["sample"] == found["sample"]
    assert cast.key.get(place, walk="1").status == 400
    assert cast.key.get(f"/genie/{'0' * 24}/approval-sample").status == 404
    for change in (
        lambda: cast.key.put(f"{PATH}/{other}", {"text": "Other words."}),
        lambda: cast.key.put("/contact/" + shown(cast, other)["contact"]["_id"], {"formData": {"name": "New Name"}}),
        lambda: cast.key.post(f"{PATH}/{other}/cancel"),
    ):
        assert change().status == 200
        refused = cast.session.post(f"/genie/{run}/approve-all", {"contentHash": found["contentHash"]})
        assert (refused.status, refused.body["warning"].partition(":")[0]) == (409, "contentHash")
        assert statuses(cast, run).get("approved") is None
        found = cast.session.get(place).data
    seen = {"contentHash": found["contentHash"]}
    monkeypatch.setattr(message_jobs, "AT_ONCE", 2)
    queued = cast.session.post(f"/genie/{run}/approve-all", seen)
    assert queued.body["bulkJob"]
    late = ids(cast, run)[3]
    cast.key.put(f"{PATH}/{late}", {"text": "Words that nobody has looked at."})
    work("bulk-job")
    assert statuses(cast, run) == {"draft": 2, "approved": 5, "cancelled": 1}
    assert shown(cast, late)["status"] == "draft"

    done = cast.session.post(f"/genie/{run}/approve-all", seen)
    assert (done.status, done.data["changedCount"], statuses(cast, run)["approved"]) == (200, 0, 5)


def test_the_same_approval_twice_is_one(cast: Cast, post: Post) -> None:
    run = planned(cast, 2, draft=True)
    seen = {"contentHash": cast.session.get(f"/genie/{run}/approval-sample").data["contentHash"]}
    assert [cast.session.post(f"/genie/{run}/approve-all", seen).data["changedCount"] for _ in range(2)] == [2, 0]
    refused = cast.session.post(f"/genie/{run}/approve-all", {"contentHash": "0" * 64})
    assert (refused.status, "approval-sample" in refused.body["warning"]) == (409, True)
    work("send")
    assert cast.session.post(f"/genie/{run}/approve-all", seen).data["changedCount"] == 0
    assert statuses(cast, run) == {"sent": 2}


def test_a_draft_that_a_person_cancels_meanwhile_keeps_their_decision(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cast.scope():
        job = SendJob.objects.create(contact=ContactFactory(is_deleted=True), status="draft", text="Hello")
        rows = SendJob.objects.filter(pk=job.pk)
        decide_late = services.final_state

        def meanwhile(reason: str) -> Any:
            rows.update(status="cancelled", reason="declined")
            return decide_late(reason)

        monkeypatch.setattr(services, "final_state", meanwhile)
        assert services.approve_together(rows, None) == 0
        assert rows.values_list("status", "reason").get() == ("cancelled", "declined")
        assert not job.transitions.exists()


def test_what_would_never_go_is_not_approved(cast: Cast, post: Post) -> None:
    run = planned(cast, 7, draft=True)
    listed, gone, left, unaddressed, replied, tired, live = found = ids(cast, run)
    now = timezone.now()
    with cast.scope():
        contacts = {pk: Contact.objects.filter(send_jobs__pk=pk) for pk in found}
        Suppression.objects.create(email=contacts[listed].get().email.lower())
        contacts[gone].update(is_deleted=True)
        contacts[left].update(unsubscribed_at=now)
        contacts[unaddressed].update(email=None, email_key=None)
        contacts[replied].update(replied_at=now)
        SendJob.objects.filter(pk=tired).update(attempts=5)
        jobs = list(SendJob.objects.filter(pk__in=found).select_related("contact", "run", "smtp").order_by("pk"))
        decided = SendContext.load().decision_inputs(jobs, {}, now)
        expected = [one.reason if isinstance(one := decide(decided[pk], now), Stop) else None for pk in found]
        rows = SendJob.objects.filter(pk__in=found).order_by("pk")
        assert list(rows.values_list(never_goes(), flat=True)) == expected
    counts = [{"reason": one, "sentence": sentence_of(one), "count": 1} for one in sorted(filter(None, expected))]
    assert len(counts) == 6
    sample = cast.session.get(f"/genie/{run}/approval-sample").data
    assert (sample["count"], sample["leftCount"], sample["skipped"], len(sample["sample"])) == (1, 0, counts, 1)
    refused = cast.key.post(f"{PATH}/{listed}/approve", {"contentHash": shown(cast, listed)["contentHash"]})
    assert (refused.status, "do-not-contact list" in refused.body["warning"]) == (400, True)
    approved = cast.session.post(f"/genie/{run}/approve-all", {"contentHash": sample["contentHash"]})
    assert (approved.data["changedCount"], approved.data["skipped"]) == (1, counts)
    assert "1 draft was skipped, since it would never go: The contact was deleted" in approved.body["warning"]
    assert statuses(cast, run) == {"approved": 1, "cancelled": 2, "suppressed": 2, "failed": 2}
    with cast.scope():
        ended = SendJob.objects.filter(pk__in=found).exclude(status="approved").order_by("pk")
        assert [one.reason for one in ended] == [one for one in expected if one]
    with cast.scope():
        contacts[live].update(is_deleted=True)
    held = cast.session.post(f"/genie/{run}/draft-all")
    assert held.data["changedCount"] == 1
    page = enter(cast.owner).get(at(cast.owner, f"outreach/{run}/approve"))
    assert "No messages would go" in text_of(page)
    sent = enter(cast.owner).post(at(cast.owner, f"outreach/{run}/approve"), {"do": "approve", "contentHash": ""})
    assert (sent.status_code, statuses(cast, run).get("draft")) == (303, None)


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
        assert (asked.status, "nothing about “offer 10 % off”" in asked.body["warning"]) == (200, True)
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
        patch.setattr("outreach.genie.writing.writer.Writer._store", die)
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
        *("draft", "draft", "edited", "text", cast.owner.pk, cast.owner.name, "A person has changed its words.")
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
