"""The stage and the reason for loss in forms of leads: of one, of many, and at their place."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from accounts.models import CompanySettings
from crm.models import Contact, Lead
from tests.crm.leads.helpers import product
from tests.crm.pipelines.helpers import make_pipeline, stage_ids, stage_of_status
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of


@pytest.fixture
def client(scope: Cast) -> Any:
    return enter(scope.owner)


@pytest.fixture
def leads(scope: Cast) -> list[Lead]:
    ann, bob = ContactFactory(name="Ann Lee"), ContactFactory(name="Bob Ray")
    return [LeadFactory(contact=ann, value=10, source="event"), LeadFactory(contact=bob, status="won", value="2.5")]


def test_many_are_lost_with_a_reason(scope: Cast, leads: list[Lead], client: Any) -> None:
    CompanySettings.objects.update_or_create(defaults={"lost_reason_required": True})
    reason = scope.key.post("/lost-reason", {"name": "Price"}).data["_id"]
    pipeline = make_pipeline(scope)
    gone = stage_ids(pipeline)["Gone"]
    path, ids = at(scope.owner, "leads"), [lead.pk for lead in leads]
    bar = html_of(client.get(path)).split('class="bulk"')[1]
    assert ('aria-label="Stage"' in bar, f'<optgroup label="{pipeline["name"]}"' in " ".join(bar.split())) == (
        True,
        True,
    )
    for stage in (stage_of_status("lost").pk, gone):
        asked = html_of(client.post(f"{path}/change?q=e", {"do": "move", "stage": stage, "ids": ids}))
        assert (f'value="{stage}" selected' in asked, 'name="lostReason"' in asked) == (True, True)
        assert [f'name="ids" value="{id}"' in asked for id in ids] == [True, True]
    save = {"do": "save", "what": "stage", "how": "set", "stage": gone, "ids": ids}
    refused = client.post(f"{path}/change", save)
    assert (refused.status_code, "Choose a reason for loss." in text_of(refused)) == (422, True)
    assert "Changed 2 leads" in toast_of(client, client.post(f"{path}/change", {**save, "lostReason": reason}))
    assert set(Lead.objects.values_list("stage", "lost_reason")) == {(gone, reason)}
    won = {**save, "stage": stage_of_status("won").pk, "lostReason": reason}
    assert "Changed 2 leads" in toast_of(client, client.post(f"{path}/change", won))
    assert set(Lead.objects.values_list("status", "lost_reason")) == {("won", None)}


@pytest.mark.parametrize("required", [True, False])
def test_the_board_asks_for_a_reason_that_is_required(
    scope: Cast, leads: list[Lead], client: Any, *, required: bool
) -> None:
    CompanySettings.objects.update_or_create(defaults={"lost_reason_required": required})
    lost = stage_of_status("lost").pk
    move = {"do": "move", "id": leads[0].pk, "stage": lost, "lostReason": ""}
    path = at(scope.owner, "leads?view=board")
    if required:
        # Without any reason the refusal leads to the page where they are added.
        page = client.get(client.post(path, move)["Location"])
        assert "Choose a reason for loss. Reasons for loss" in text_of(page)
    scope.key.post("/lost-reason", {"name": "Price"})
    assert scope.session.get("/lead/board").data["lostReasonRequired"] is required
    board = html_of(client.get(path))
    assert ('name="lostReason" required>' in board, "Choose a reason<" in board) == (required, True)
    moved = client.post(path, move)
    leads[0].refresh_from_db()
    assert leads[0].status == ("new" if required else "lost")
    if required:
        page = client.get(moved["Location"])
        assert moved["Location"] == at(scope.owner, f"leads/{leads[0].pk}/move?stage={lost}")
        assert ("Why was the lead lost?" in text_of(page), "Choose a reason for loss." in text_of(page)) == (True, True)


def test_a_lead_is_made_for_somebody_new_or_known(scope: Cast, client: Any) -> None:
    roof, path = product("Roof"), at(scope.owner, "leads/new")
    new = {"name": "Cid", "email": "cid@example.org", "countryCode": "+44", "number": "7400123456", "status": "new"}
    wrong = client.post(path, {**new, "value": "much"})
    assert (wrong.status_code, 'value="much"' in html_of(wrong)) == (422, True)
    made = client.post(path, {**new, "value": "1200", "productServices": [roof.pk]})
    assert "Lead created" in toast_of(client, made)
    lead = Lead.objects.get()
    assert (lead.contact.email, lead.value, made["Location"]) == (
        "cid@example.org",
        1200,
        at(scope.owner, f"leads/{lead.pk}"),
    )
    ann = ContactFactory(name="Ann Lee")
    assert "Remove Ann Lee" in html_of(client.get(f"{path}?contact={ann.pk}"))
    client.post(f"{path}?contact={ann.pk}", {"status": "qualified"})
    assert (Lead.objects.latest("created_at").contact, Contact.objects.count()) == (ann, 2)


def test_forms_ask_for_the_stage_alone(scope: Cast, leads: list[Lead], client: Any) -> None:
    new, edit = at(scope.owner, "leads/new"), at(scope.owner, f"leads/{leads[1].pk}?edit")
    first = stage_of_status("new").pk
    for path, stage in ((new, first), (edit, stage_of_status("won").pk)):
        form = html_of(client.get(path))
        assert ('name="status"' in form, "<optgroup" in form) == (False, False), path
        assert re.findall(r'<option value="(\w+)" selected', form).count(stage) == 1, path
    stages = stage_ids(make_pipeline(scope))
    assert '<optgroup label="Wholesale"' in html_of(client.get(new))
    client.post(new, {"email": "cid@example.org", "number": "+447400123456", "stage": stages["Offered"]})
    made = Lead.objects.latest("created_at")
    assert (made.stage_id, made.status) == (stages["Offered"], "new")
    client.post(edit, {"stage": stages["Gone"], "value": "20"})
    leads[1].refresh_from_db()
    assert (leads[1].stage_id, leads[1].status) == (stages["Gone"], "lost")
    refused = client.post(edit, {"stage": "", "value": "20"})
    assert (refused.status_code, "Choose a value." in text_of(refused)) == (422, True)

    # The stage of the company's default status comes first, and a lead without a choice gets it.
    status = next(row for row in scope.key.get("/custom-field").data if row["uniqueFieldID"] == "status")
    changed = scope.key.put(f"/custom-field/{status['_id']}", {"defaultValue": "qualified"})
    assert changed.status == 200, changed.body
    assert f'value="{stage_of_status("qualified").pk}" selected' in html_of(client.get(new))
    client.post(new, {"email": "dan@example.org", "number": "+447400123457"})
    assert Lead.objects.latest("created_at").status == "qualified"


def test_the_stage_of_many_is_not_cleared(scope: Cast, leads: list[Lead], client: Any) -> None:
    path, ids = at(scope.owner, "leads/change"), [lead.pk for lead in leads]
    asked = html_of(client.post(path, {"do": "choose", "what": "stage", "ids": ids}))
    assert ('name="stage"' in asked, 'value="clear"' in asked) == (True, False)
    assert 'value="clear"' in html_of(client.post(path, {"do": "choose", "what": "expectedCloseAt", "ids": ids}))
    empty = client.post(path, {"do": "save", "what": "stage", "how": "clear", "stage": "", "ids": ids})
    assert (empty.status_code, "Choose a change." in text_of(empty)) == (422, True)
    lost = stage_of_status("lost").pk
    client.post(path, {"do": "save", "what": "stage", "stage": lost, "ids": ids})
    assert set(Lead.objects.values_list("stage", flat=True)) == {lost}


def test_the_bulk_bar_changes_nothing_by_default(scope: Cast, leads: list[Lead], client: Any) -> None:
    path, ids = at(scope.owner, "leads"), [lead.pk for lead in leads]
    before = list(Lead.objects.values_list("stage", "team_member").order_by("pk"))
    moved = client.post(f"{path}/change", {"do": "move", "stage": "", "ids": ids})
    assert "Choose a stage first" in toast_of(client, moved)
    assert "Choose a member first" in toast_of(client, client.post(path, {"do": "assign", "member": "", "ids": ids}))
    assert list(Lead.objects.values_list("stage", "team_member").order_by("pk")) == before
    client.post(path, {"do": "assign", "member": scope.owner.pk, "ids": ids})
    assert set(Lead.objects.values_list("team_member", flat=True)) == {scope.owner.pk}
    client.post(path, {"do": "assign", "member": "nobody", "ids": ids})
    assert set(Lead.objects.values_list("team_member", flat=True)) == {None}


def test_an_edited_stage_asks_for_the_reason(scope: Cast, leads: list[Lead], client: Any) -> None:
    CompanySettings.objects.update_or_create(defaults={"lost_reason_required": True})
    reason = scope.key.post("/lost-reason", {"name": "Price"}).data["_id"]
    lost, won = stage_of_status("lost").pk, stage_of_status("won").pk
    path = at(scope.owner, f"leads/{leads[0].pk}")
    for place, part in (("", {"HX-Request": "true"}), ("&at=record", {"HX-Request": "true"}), ("", {})):
        Lead.objects.filter(pk=leads[0].pk).update(status="new", stage=stage_of_status("new").pk, lost_reason=None)
        cell = f"{path}/cell?field=stage{place}"
        asked = client.post(cell, {"do": "save", "stage": lost}, headers=part)
        assert (asked.status_code, 'name="lostReason"' in html_of(asked)) == (422, True)
        assert "Choose a reason for loss." not in text_of(asked)
        refused = client.post(cell, {"do": "save", "stage": lost, "lostReason": ""}, headers=part)
        assert (refused.status_code, text_of(refused).count("Choose a reason for loss.")) == (422, 1)
        client.post(cell, {"do": "save", "stage": lost, "lostReason": reason}, headers=part)
        leads[0].refresh_from_db()
        assert (leads[0].status, leads[0].lost_reason_id) == ("lost", reason)
    client.post(f"{path}/cell?field=stage", {"do": "save", "stage": won})
    leads[0].refresh_from_db()
    assert (leads[0].status, leads[0].lost_reason_id) == ("won", None)
    wrong = client.post(f"{path}/cell?field=lostReason&at=record", {"do": "save", "lostReason": reason})
    assert (wrong.status_code, "Only a lost lead has a reason for loss." in text_of(wrong)) == (422, True)


def test_the_form_of_a_lead_has_the_reason_for_loss(scope: Cast, leads: list[Lead], client: Any) -> None:
    CompanySettings.objects.update_or_create(defaults={"lost_reason_required": True})
    reason = scope.key.post("/lost-reason", {"name": "Price"}).data["_id"]
    lost = stage_of_status("lost").pk
    path = at(scope.owner, f"leads/{leads[0].pk}")
    assert "Reason for loss" in text_of(client.get(path + "?edit"))
    wrong = client.post(path, {"do": "save", "lostReason": reason})
    assert (wrong.status_code, "Only a lost lead has a reason for loss." in text_of(wrong)) == (422, True)
    refused = client.post(path, {"do": "save", "stage": lost, "lostReason": ""})
    assert (refused.status_code, "Choose a reason for loss." in text_of(refused)) == (422, True)
    assert "Lost reason" not in text_of(refused)
    client.post(path, {"do": "save", "stage": lost, "lostReason": reason})
    leads[0].refresh_from_db()
    assert (leads[0].status, leads[0].lost_reason_id) == ("lost", reason)


def test_a_stage_edited_in_place_takes_the_reason_at_once(scope: Cast, leads: list[Lead], client: Any) -> None:
    reason = scope.key.post("/lost-reason", {"name": "Price"}).data["_id"]
    cell = f"{at(scope.owner, f'leads/{leads[0].pk}/cell')}?field=stage&at=record"
    shown = html_of(client.get(cell))
    assert ('name="lostReason"' in shown, "Only for lost leads" in shown) == (True, True)
    talk = stage_of_status("contacted").pk
    open_with_reason = client.post(cell, {"do": "save", "stage": talk, "lostReason": reason})
    assert (open_with_reason.status_code, "Only a lost lead has a reason" in text_of(open_with_reason)) == (422, True)
    lost = stage_of_status("lost").pk
    assert client.post(cell, {"do": "save", "stage": lost, "lostReason": reason}).status_code == 303
    leads[0].refresh_from_db()
    assert (leads[0].status, leads[0].lost_reason_id) == ("lost", reason)
    before = json.dumps({"stage": lost, "lostReason": reason})
    again = client.post(cell, {"do": "save", "stage": talk, "lostReason": reason, "before": before})
    leads[0].refresh_from_db()
    assert (again.status_code, leads[0].status, leads[0].lost_reason_id) == (303, "contacted", None)
