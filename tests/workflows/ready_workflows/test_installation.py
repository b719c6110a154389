"""Ready workflows are installed with their emails, once for each request, and refuse what does not fit."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from core.access import Entitlement
from outreach.messaging.delivery.settings.models import GenieSettings
from outreach.models import EmailTemplate, Smtp
from tests.kit.cast import Cast, make_cast
from tests.kit.plans import allow
from tests.workflows.helpers import contact
from tests.workflows.ready_workflows.conftest import READY
from workflows.definitions.starters import templates
from workflows.models import Workflow


@pytest.mark.parametrize("key", READY)
def test_each_is_installed_with_its_emails_and_can_run(cast: Cast, key: str) -> None:
    answer = cast.key.post(f"/workflow/templates/{key}/install", {})
    assert answer.status == 201, answer.body
    template = templates()[key]
    assert answer.data["validation"] == {"errors": [], "warnings": []}
    assert answer.data["status"] == "unpublished"
    assert [one["name"] for one in answer.data["templates"]] == [
        f"{template['name']}: {email['name']}" for email in template["emails"]
    ]
    with cast.scope():
        ids = set(EmailTemplate.objects.values_list("pk", flat=True))
    named = {node["data"]["config"]["template"] for node in answer.data["nodes"] if node["type"] == "mail"}
    assert named == {one["_id"] for one in answer.data["templates"]} <= ids
    assert "@" not in str([node["data"].get("config") for node in answer.data["nodes"]])


def test_a_template_that_breaks_is_seen(cast: Cast) -> None:
    """The walk depends on what steps do: a broken setting is a problem of the workflow, which is then not published."""
    key = "mail-win-back"
    broken = [dict(node) for node in templates()[key]["nodes"]]
    broken[1] = {**broken[1], "data": {"label": "x", "config": {"template": "f" * 24}}}
    answer = cast.key.post("/workflow", {"template": key, "nodes": broken})
    assert "back" in {problem["nodeId"] for problem in answer.data["validation"]["errors"]}
    assert cast.key.post(f"/workflow/{answer.data['_id']}/publish").status == 400


def test_a_second_installation_has_names_of_its_own_and_a_repeated_one_is_the_first(cast: Cast) -> None:
    first = cast.key.post("/workflow/templates/mail-win-back/install", {"requestId": "a"}).data
    again = cast.key.post("/workflow/templates/mail-win-back/install", {"requestId": "a"}).data
    other = cast.key.post("/workflow/templates/mail-win-back/install", {"requestId": "b"}).data
    different = cast.key.post("/workflow/templates/mail-re-engagement/install", {"requestId": "a"}).data
    assert different["_id"] not in (first["_id"], other["_id"])
    assert (again["_id"], again["templates"]) == (first["_id"], first["templates"])
    assert (other["name"], [one["name"] for one in other["templates"]]) == (
        f"{first['name']} (2)",
        [f"{one['name']} (2)" for one in first["templates"]],
    )
    assert cast.key.delete(f"/workflow/{first['_id']}").status == 200
    with cast.scope():
        before = (Workflow.objects.count(), EmailTemplate.objects.count())
    for _ in range(2):
        third = cast.key.post("/workflow/templates/mail-win-back/install", {"requestId": "a"})
        assert (third.status, third.body["name"], "requestId" in third.body["warning"]) == (
            *(400, "InvalidInput_400"),
            True,
        )
    with cast.scope():
        assert (Workflow.objects.count(), EmailTemplate.objects.count()) == before
    assert cast.key.post("/workflow/templates/mail-win-back/install", {"requestId": "c"}).status == 201


def test_a_template_names_its_workflows_that_are_on(cast: Cast) -> None:
    key, name = "mail-win-back", templates()["mail-win-back"]["name"]
    with cast.scope():
        for number, (called, status, is_deleted) in enumerate(
            (
                (name, "published", False),
                (f"{name.upper()} (2)", "published", False),
                (f"{name} (3)", "paused", False),
                (f"{name} (4)", "published", True),
                (f"{name} of mine", "published", False),
            )
        ):
            Workflow.objects.create(id=f"{number:024x}", name=called, status=status, is_deleted=is_deleted)
    for caller in (cast.key, cast.session):
        assert caller.get(f"/workflow/templates/{key}").data["running"] == [
            {"_id": f"{0:024x}", "name": name},
            {"_id": f"{1:024x}", "name": f"{name.upper()} (2)"},
        ]
        assert caller.get("/workflow/templates/mail-re-engagement").data["running"] == []


def test_an_unknown_template_is_not_found(cast: Cast) -> None:
    for caller in (cast.key, cast.session):
        for answer in (
            caller.get("/workflow/templates/none"),
            caller.post("/workflow/templates/none/install", {}),
            caller.post("/workflow/templates/none/install", {"settings": {"sender": "x"}}),
        ):
            assert (answer.status, answer.body["name"]) == (404, "NotFound_404")
        assert caller.post("/workflow", {"template": "none"}).status == 400


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"colour": 1}, "settings.colour"),
        ({"quietDays": 0}, "settings.quietDays"),
        ({"quietDays": "many"}, "settings.quietDays"),
        ({"sender": "0" * 24}, "settings.sender"),
        ({"segment": "0" * 24}, "settings.segment"),
    ],
)
def test_settings_that_do_not_fit_are_refused_and_leave_nothing(cast: Cast, settings: Any, field: str) -> None:
    answer = cast.key.post("/workflow/templates/mail-win-back/install", {"settings": settings})
    assert (answer.status, answer.body["name"], field in answer.body["warning"]) == (400, "InvalidInput_400", True)
    with cast.scope():
        assert not EmailTemplate.objects.exists()
        assert not Workflow.objects.exists()


def test_a_date_of_another_kind_is_refused(cast: Cast) -> None:
    for field in ("name", "surprise"):
        answer = cast.key.post("/workflow/templates/mail-anniversary/install", {"settings": {"field": field}})
        assert (answer.status, "settings.field" in answer.body["warning"]) == (400, True)


def test_sunset_needs_opens_to_be_tracked(cast: Cast) -> None:
    with cast.scope():
        GenieSettings.objects.update(track_opens=False)
    path = "/workflow/templates/mail-re-engagement"
    assert cast.session.get(path).data["missing"] == ["opensOff"]
    answer = cast.session.post(f"{path}/install", {"publish": True})
    assert (answer.status, "opens" in answer.body["warning"]) == (400, True)
    with cast.scope():
        assert not Workflow.objects.exists()
    assert cast.session.post(f"{path}/install", {}).status == 201


def test_without_a_sender_the_detail_says_so_and_nothing_is_switched_on(cast: Cast) -> None:
    with cast.scope():
        Smtp.objects.all().delete()
    path = "/workflow/templates/mail-welcome-series"
    shown = cast.session.get(path).data
    assert shown["missing"] == ["senderMissing"]
    assert [one["name"] for one in shown["settings"]] == ["sender", "segment"]
    assert all("<" in one["html"] and "{{contact.firstName}}" in one["text"] for one in shown["emails"])
    assert cast.session.post(f"{path}/install", {"publish": True}).status == 400
    assert cast.session.post(f"{path}/install", {"publish": False}).status == 201


def test_an_installation_needs_the_permission_for_templates(db: None) -> None:
    cast = make_cast(permission={"workflow": {"GET": True, "POST": True}})
    answer = cast.narrow_session.post("/workflow/templates/mail-welcome-series/install", {})
    assert (answer.status, "template.POST" in answer.body["warning"]) == (403, True)
    assert cast.narrow_session.post("/workflow/templates/reply/install", {}).status == 201


def test_a_plan_without_room_leaves_nothing_half_made(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(monkeypatch, Entitlement(limits={"template": 2}))
    answer = cast.session.post("/workflow/templates/mail-welcome-series/install", {})
    assert (answer.status, answer.body["name"]) == (403, "PlanLimitExceeded_403")
    with cast.scope():
        assert (EmailTemplate.objects.count(), Workflow.objects.count()) == (0, 0)


@pytest.mark.parametrize("key", READY)
def test_each_is_tried_with_a_contact(cast: Cast, key: str) -> None:
    id = cast.session.post(f"/workflow/templates/{key}/install", {}).data["_id"]
    person = contact(cast)
    body: dict[str, Any] = {"subject": {"panel": "contact", "_id": person}}
    if key == "mail-lead-not-called":
        lead = cast.key.post("/lead", {"contact": person, "formData": {"status": "new"}}).data["_id"]
        body = {"subject": {"panel": "lead", "_id": lead}}
    if key == "mail-meeting-reminder":
        start = timezone.now() + timedelta(days=3)
        meeting = {"title": "Demo", "startsAt": start.isoformat(), "durationMinutes": 30, "contact": person}
        body = {"record": cast.key.post("/meeting", meeting).data["_id"]}
    tried = cast.session.post(f"/workflow/{id}/test", body).data
    assert (tried["status"], tried["problems"]) == ("completed", [])
    assert any(step["type"] == "mail" and step["effect"] for step in tried["steps"]) or key == "mail-lead-not-called"
