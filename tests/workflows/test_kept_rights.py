"""The rights that runs keep: their values go to no version whose publisher may not read them, and to no such reader."""

from __future__ import annotations

from typing import Any

import pytest

from core.jobs import WORK
from tests.crm.meetings.helpers import new_meeting
from tests.kit.cast import Cast, make_cast
from tests.workflows.helpers import contact, edges, node, published, runs, when, work
from workflows.models import RunApproval
from workflows.triggers.enrolment import call_hook

WORKFLOWS = {"GET": True, "POST": True, "PUT": True, "DELETE": True}
PHONE = "1512345678"
HOLD = node("hold", "wait", {"for": {"amount": 3, "unit": "weeks"}})
KEEP = node("keep", "set", {"values": {"phone": "{{ contact.number }}"}})
PLAIN = node("plain", "set", {"values": {"a": 1}})


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast(permission={"workflow": WORKFLOWS})


def permit(cast: Cast, *modules: str) -> None:
    """Let the narrow role read the modules next to its workflows, and none of the others."""
    permission = {"workflow": WORKFLOWS, **{name: {"GET": name in modules} for name in ("contact", "lead", "meeting")}}
    assert cast.key.put(f"/role/{cast.narrow.role_id}", {"permission": permission}).status == 200


def asking(cast: Cast, words: str) -> dict[str, Any]:
    return node("ask", "approval", {"members": [cast.narrow.pk], "text": words})


def enrol(cast: Cast, id: str, **values: Any) -> None:
    answer = cast.key.post(f"/workflow/{id}/enrol", values or {"withoutRecord": True})
    assert (answer.status, answer.data["startedCount"]) == (201, 1), answer.body
    work()


def draw(caller: Any, id: str, nodes: list[Any], *lines: str, **values: Any) -> None:
    answer = caller.put(f"/workflow/{id}", {"nodes": nodes, "edges": edges(*lines), **values})
    assert answer.status == 200, answer.body


def publish(caller: Any, id: str, **values: Any) -> Any:
    answer = caller.post(f"/workflow/{id}/publish", values)
    assert answer.status == 200, answer.body
    return answer.data


def holding(cast: Cast) -> str:
    """Publish a workflow of the owner, and let a run of it wait that has read a contact."""
    id = published(cast, [KEEP, HOLD], edges("keep > hold"), triggerEventType="manual")
    enrol(cast, id, panel="contact", ids=[contact(cast)])
    return id


def moved(cast: Cast, id: str, nodes: list[Any], *lines: str) -> int:
    """Publish other nodes by the narrow member, with the older runs. Return how many of these have moved."""
    draw(cast.narrow_session, id, nodes, *lines)
    expected = publish(cast.narrow_session, id, dryRun=True)["runs"]["move"]
    number = publish(cast.narrow_session, id, runs="move")["runs"]["move"]
    assert number == expected
    version = cast.key.get(f"/workflow/{id}").data["version"]
    assert sum(run["version"] == version for run in cast.key.get("/workflow/runs").data) == number
    return int(number)


def test_runs_move_only_to_publishers_who_may_read_what_they_have_read(cast: Cast) -> None:
    id = holding(cast)
    assert moved(cast, id, [HOLD, asking(cast, "{{ vars.phone }}")], "hold > ask") == 0
    (run,) = runs(cast, id)
    assert (run.status, run.state["reads"]) == ("waiting", [])
    permit(cast, "contact")
    assert moved(cast, id, [HOLD, asking(cast, "Call {{ vars.phone }}?")], "hold > ask") == 1
    assert runs(cast, id)[0].state["reads"] == ["contact.GET"]
    # The version that it has now reads nothing itself, and what the run has read stays with it.
    permit(cast)
    assert moved(cast, id, [HOLD, asking(cast, "{{ vars | json }}")], "hold > ask") == 0
    assert runs(cast, id)[0].state["vars"] == {"phone": PHONE}


def test_runs_that_hold_nothing_move_to_each_publisher(cast: Cast) -> None:
    id = published(cast, [PLAIN, HOLD], edges("plain > hold"), triggerEventType="manual")
    enrol(cast, id)
    assert moved(cast, id, [HOLD, asking(cast, "{{ vars.a }}")], "hold > ask") == 1


def test_inputs_and_payloads_of_runs_do_not_move_to_publishers_without_contacts_and_leads(cast: Cast) -> None:
    id = published(cast, [HOLD], [], triggerEventType="webhook")
    call_hook(cast.key.get(f"/workflow/{id}").data["hookPath"].rpartition("/")[2], {"street": "Quay Street"})
    enrol(cast, id, withoutRecord=True, input={"street": "Quay Street"})
    changed = [HOLD, asking(cast, "{{ trigger | json }}")]
    permit(cast, "lead")
    assert moved(cast, id, changed, "hold > ask") == 0
    permit(cast, "lead", "contact")
    assert moved(cast, id, [*changed, PLAIN], "hold > ask") == 2


def test_an_unchanged_draft_takes_runs_along_in_the_name_of_who_moves_them(cast: Cast) -> None:
    id = holding(cast)
    draw(cast.key, id, [HOLD, asking(cast, "{{ vars.phone }}")], "hold > ask")
    publish(cast.key, id)
    assert publish(cast.narrow_session, id)["version"] == 2
    answer = publish(cast.narrow_session, id, runs="move")
    assert (answer["version"], answer["runs"]) == (3, {"keep": 1, "move": 0, "cancel": 0})
    answer = publish(cast.key, id, runs="move")
    assert (answer["version"], answer["runs"]) == (4, {"keep": 0, "move": 1, "cancel": 0})


def restart(caller: Any, id: str, **values: Any) -> Any:
    return caller.post(f"/workflow/runs/{id}/restart", {"from": "start", "version": "latest", **values})


def questions(cast: Cast) -> list[str]:
    work()
    with cast.scope():
        return list(RunApproval.objects.values_list("text", flat=True))


def test_runs_restart_only_in_versions_of_publishers_who_may_read_their_events(cast: Cast) -> None:
    id = published(cast, [PLAIN], [], triggerEventType="meeting.created")
    new_meeting(cast, title="Secret talk")
    work()
    (run,) = runs(cast, id)
    permit(cast, "contact", "lead")
    words = "{{ trigger.payload | json }}"
    draw(cast.narrow_session, id, [asking(cast, words)], triggerEventType="manual")
    publish(cast.narrow_session, id)
    refused = restart(cast.narrow_session, run.pk)
    assert (refused.status, "meeting.GET" in refused.body["warning"]) == (403, True), refused.body
    # The owner's rights are not those of who has published the version.
    refused = restart(cast.key, run.pk)
    assert (refused.status, "meeting.GET" in refused.body["warning"]) == (400, True), refused.body
    assert restart(cast.narrow_session, run.pk, version="same").status == 200
    assert questions(cast) == []
    permit(cast, "contact", "lead", "meeting")
    assert restart(cast.narrow_session, run.pk).status == 200
    (question,) = questions(cast)
    assert "Secret talk" in question
    # Its version now has no event, and the run keeps the right to its own.
    permit(cast, "contact", "lead")
    draw(cast.narrow_session, id, [asking(cast, words), PLAIN])
    publish(cast.narrow_session, id)
    assert restart(cast.narrow_session, run.pk, **{"from": "ask"}).status == 403


def test_a_job_that_restarts_runs_asks_for_their_rights(cast: Cast) -> None:
    id = published(cast, [KEEP], [], triggerEventType="manual")
    enrol(cast, id, panel="contact", ids=[contact(cast)])
    (run,) = runs(cast, id)
    draw(cast.narrow_session, id, [asking(cast, "{{ vars | json }}")])
    publish(cast.narrow_session, id)
    body = {"ids": [run.pk], "from": "ask", "version": "latest"}

    def redriven() -> tuple[int, str]:
        answer = cast.narrow_session.post("/workflow/runs/redrive", body)
        assert answer.status == 200, answer.body
        WORK["bulk-job"].drain(float("inf"))
        job = cast.key.get(f"/bulk-job/{answer.body['bulkJob']}").data
        return job["changed"], str(job["report"])

    changed, report = redriven()
    assert (changed, "contact.GET" in report) == (0, True)
    assert questions(cast) == []
    permit(cast, "contact")
    assert redriven()[0] == 1
    assert PHONE in questions(cast)[0]


def test_a_run_keeps_the_rights_of_the_run_that_started_it(cast: Cast) -> None:
    callee = published(cast, [PLAIN], [], name="Callee", triggerEventType="manual")
    given = {"workflow": callee, "input": {"m": "{{ trigger.payload.title }}"}}
    published(cast, [node("run", "workflow", given)], [], name="Caller", triggerEventType="meeting.created")
    new_meeting(cast, title="Secret talk")
    work()
    work()
    (run,) = runs(cast, callee)
    assert (run.trigger["input"], run.state["reads"]) == ({"m": "Secret talk"}, ["meeting.GET"])
    permit(cast, "contact", "lead")
    draw(cast.narrow_session, callee, [asking(cast, "{{ trigger.input.m }}")])
    publish(cast.narrow_session, callee)
    assert restart(cast.narrow_session, run.pk).status == 403
    shown = cast.narrow_session.get(f"/workflow/runs/{run.pk}").data
    assert sorted(shown["trigger"]) == ["happenedAt", "kind"]
    permit(cast, "contact", "lead", "meeting")
    assert cast.narrow_session.get(f"/workflow/runs/{run.pk}").data["trigger"]["input"] == {"m": "Secret talk"}
    assert restart(cast.narrow_session, run.pk).status == 200
    work()
    assert questions(cast) == ["Secret talk"]


def test_values_of_events_are_for_who_may_read_the_events(cast: Cast) -> None:
    nodes = [node("keep", "set", {"values": {"title": "{{ trigger.payload.title }}"}}), node("end", "stop")]
    id = published(cast, nodes, edges("keep > end"), triggerEventType="meeting.created")
    new_meeting(cast, title="Secret talk")
    work()
    (run,) = runs(cast, id)
    pages = [f"/workflow/runs/{run.pk}", f"/workflow/runs/{run.pk}/steps"]
    for modules, is_shown in ((("contact", "lead"), False), (("contact", "lead", "meeting"), True)):
        permit(cast, *modules)
        answers = [cast.narrow_session.get(page) for page in pages]
        answers.append(cast.narrow_session.get(f"/workflow/{id}/references", node="end"))
        assert [answer.status for answer in answers] == [200] * 3
        assert ["Secret talk" in str(answer.body) for answer in answers] == [is_shown] * 3


def test_a_dry_run_shows_no_values_of_disabled_nodes(cast: Cast) -> None:
    nodes = [{**KEEP, "data": {**KEEP["data"], "disabled": True}}]
    body = {"name": "D", "triggerEventType": "manual", "nodes": nodes, "edges": []}
    id = cast.narrow_session.post("/workflow", body).data["_id"]
    lead = cast.key.post("/lead", {"contact": contact(cast), "formData": {}}).data["_id"]
    permit(cast, "lead")
    tried = cast.narrow_session.post(f"/workflow/{id}/test", {"subject": {"panel": "lead", "_id": lead}})
    assert tried.status == 200, tried.body
    shown = {step["node"]: (step["status"], step["input"]) for step in tried.data["steps"]}
    assert shown["keep"] == ("done", None)
    assert PHONE not in str(tried.body)


def test_questions_to_others_show_no_values_to_who_may_not_read_them(cast: Cast) -> None:
    words = "Ring {{ contact.number }}?"
    others = node("others", "approval", {"members": [cast.owner.pk], "text": words})
    published(cast, [others, asking(cast, words)], edges("trigger > others", "trigger > ask"))
    id = contact(cast)
    work()

    def texts(caller: Any, **query: Any) -> dict[str, Any]:
        return {row["node"]: row for row in caller.get("/workflow/approvals", **query).data}

    assert {row["text"] for row in texts(cast.session, whose="all").values()} == {f"Ring {PHONE}?"}
    by_text = {"filters": {"text": f"Ring {PHONE}?"}}
    for modules in ((), ("contact",)):
        permit(cast, *modules)
        every = texts(cast.narrow_session, whose="all")
        assert {name: row["text"] for name, row in every.items()} == {"ask": f"Ring {PHONE}?", "others": ""}
        assert {str(row["contact"]) for row in every.values()} == {str({"_id": id, "name": "", "email": None})}
        one = cast.narrow_session.get(f"/workflow/approvals/{every['others']['_id']}").data
        assert (one["text"], one["contact"]["email"]) == ("", None)
        for query in (by_text, {"searchValue": PHONE}):
            assert cast.narrow_session.get("/workflow/approvals", whose="all", **query).status == 400
        assert list(texts(cast.narrow_session, **by_text)) == ["ask"]
        answered = f"/workflow/approvals/{every['ask']['_id']}/answer"
        assert cast.narrow_session.post(answered, {"approved": True}).data["contact"]["name"] == ""
    permit(cast, "contact", "lead")
    shown = texts(cast.narrow_session, whose="all", **by_text)
    assert {name: row["contact"]["name"] for name, row in shown.items()} == dict.fromkeys(shown, "Ann Example")
    assert sorted(shown) == ["ask", "others"]


def test_a_campaign_that_is_joined_by_address_takes_the_right_to_read_contacts(cast: Cast) -> None:
    role = {"workflow": WORKFLOWS, "campaign": {"PUT": True}}
    assert cast.key.put(f"/role/{cast.narrow.role_id}", {"permission": role}).status == 200
    needs = {}
    for to in ("", "ann@example.org", "{{ trigger.input.who }}"):
        nodes = [node("join", "campaign", {"campaign": "0" * 24, "to": to})]
        body = {"name": "C", "triggerEventType": "manual", "nodes": nodes, "edges": []}
        errors = cast.narrow_session.post("/workflow", body).data["validation"]["errors"]
        needs[to] = [error["message"].split()[-1] for error in errors if error["code"] == "notAllowed"]
    assert needs == {"": [], "ann@example.org": ["contact.GET"], "{{ trigger.input.who }}": ["contact.GET"]}


def test_a_goal_reads_no_values_of_runs_that_have_not_moved(cast: Cast) -> None:
    id = holding(cast)
    config = {"goal": {"filter": when("vars.phone", "startsWith", "151")}}
    draw(cast.narrow_session, id, [HOLD], config=config)
    assert publish(cast.narrow_session, id, runs="move")["runs"]["move"] == 0
    work()
    assert [run.status for run in runs(cast, id)] == ["waiting"]


def test_what_quotes_events_is_for_those_who_may_read_them(cast: Cast) -> None:
    owners = node("ask", "approval", {"members": [cast.owner.pk], "text": "About {{ trigger.payload.title }}"})
    published(cast, [owners], [], name="Asks", triggerEventType="meeting.created")
    number = node("number", "set", {"values": {"n": "{{ trigger.payload.title | number }}"}})
    published(cast, [number], [], name="Fails", triggerEventType="meeting.created")
    new_meeting(cast, title="Secret talk")
    work()
    questions, failed = "/workflow/approvals?whose=all", "/workflow/runs?filters=" + '{"status":"failed"}'
    for modules, is_shown in ((("contact", "lead"), False), (("contact", "lead", "meeting"), True)):
        permit(cast, *modules)
        (question,) = cast.narrow_session.get(questions).data
        (run,) = cast.narrow_session.get(failed).data
        detail = cast.narrow_session.get(f"/workflow/runs/{run['_id']}").data
        shown = [question["text"], run["failure"]["message"], detail["failure"]["message"]]
        assert ["Secret talk" in text for text in shown] == [is_shown] * 3
        search = cast.narrow_session.get(f"{questions}&searchValue=Secret")
        assert (search.status, is_shown) in ((200, True), (400, False))
