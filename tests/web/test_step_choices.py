"""Choices of workflow steps: a company that has none yet, and choices that are refused."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from accounts.models import Member, Role
from tests.crm.pipelines.helpers import make_pipeline, stage_ids
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import MemberFactory
from tests.kit.html import html_of
from tests.kit.html_form import form_data
from tests.web.helpers import enter, text_of
from tests.web.test_step_forms import config_of, draft

PICKERS = {
    "mail": ("config.template", "Add a template"),
    "segment": ("config.segment", "Add a segment"),
    "tags": ("config.tags", "Add a tag"),
    "campaign": ("config.campaign", "Add a campaign"),
    "http": ("config.auth.secret", "Add a secret"),
}
"""Type of a node -> the input of a choice of which there may be none, and its link."""


@pytest.mark.parametrize("type", PICKERS)
@pytest.mark.django_db
def test_a_picker_with_nothing_to_pick_says_where_to_make_one(type: str) -> None:
    name, link = PICKERS[type]
    empty = make_cast()
    browser = enter(empty.owner)
    _, place = draft(empty, type, {})
    page = browser.get(place)
    html = html_of(page)
    assert link in text_of(page)
    drawn = re.findall(rf'<(\w+)[^>]*? name="{name}"', html)
    assert drawn in ([], ["select"])
    addresses = re.findall(r'Nothing to choose. <a class="link" href="([^"]+)" target="_blank"', html)
    assert addresses
    for address in addresses:
        assert browser.get(unescape(address)).status_code == 200


@pytest.mark.django_db
def test_an_empty_list_of_segments_at_the_trigger_says_where_to_make_one() -> None:
    empty = make_cast()
    _, place = draft(empty, "trigger")
    assert "Add a segment" in text_of(enter(empty.owner).get(place))


def test_a_refused_choice_keeps_what_was_written_beside_it(cast: Cast) -> None:
    with cast.scope():
        role = Role.objects.create(name="Typist", permission={"workflow": {"GET": True, "PUT": True}})
        member: Any = MemberFactory(status=Member.Status.ACCEPTED, role=role)
    id, place = draft(cast, "mail", {})
    typist = enter(member)
    sent = form_data(html_of(typist.get(place)), "step-form")
    written = {"config.template": "Welcome", "config.subject": "Hi", "config.body": "Come"}
    answer = typist.post(place, {**sent, **written, "do": "save"})
    assert answer.status_code == 422
    assert "Enter an ID of 24 characters" in text_of(answer)
    shown = form_data(html_of(answer), "step-form")
    assert [shown[name][0] for name in written] == [*written.values()]
    again = form_data(html_of(typist.get(place)), "step-form")
    assert typist.post(place, {**again, "config.template": "", "do": "save"}).status_code == 303
    assert config_of(cast, id).items() >= {"subject": "Hi", "body": "Come"}.items()


def test_a_step_moves_leads_to_a_chosen_stage(cast: Cast) -> None:
    browser = enter(cast.owner)
    pipeline = make_pipeline(cast, "Trade")
    stages = stage_ids(pipeline)
    names = [f"Sales: {name}" for name in ("New", "Contacted", "Qualified", "Proposal", "Won", "Lost")]
    choices = cast.key.get("/workflow/choices").data["stages"]
    assert [row["name"] for row in choices] == [*names, *(f"Trade: {name}" for name in stages)]
    id, place = draft(cast, "lead", {"action": "update", "values": {"notes": "Hi"}})
    sent = form_data(html_of(browser.get(place)), "step-form")
    assert browser.post(place, {**sent, "config.stage": stages["Offered"], "do": "save"}).status_code == 303
    assert config_of(cast, id)["stage"] == stages["Offered"]
    page = browser.get(place)
    assert re.search(rf'<option value="{stages["Offered"]}"\s+selected', html_of(page))
    sent = form_data(html_of(page), "step-form")
    assert browser.post(place, {**sent, "config.updateType": "append", "do": "save"}).status_code == 303
    assert "stage" not in config_of(cast, id)


def test_a_deleted_stage_is_named_in_the_step(cast: Cast) -> None:
    _, place = draft(cast, "lead", {"action": "update", "stage": "0" * 24})
    assert "Choose another stage: this one was deleted." in text_of(enter(cast.owner).get(place))


def test_a_schedule_by_dates_offers_the_dates_of_records_by_name(cast: Cast) -> None:
    definition = cast.key.post("/custom-field", {"name": "Renewal", "fieldType": "date", "panel": "contact"})
    key = definition.data["uniqueFieldID"]
    id, place = draft(cast, "trigger")
    schedule = {"type": "field", "field": {"panel": "contact", "name": "createdAt"}}
    assert cast.key.put(f"/workflow/{id}", {"triggerEventType": "schedule", "schedule": schedule}).status == 200
    html = html_of(enter(cast.owner).get(place))
    drawn = re.search(r'<select[^>]* name="schedule.field.name".*?</select>', html, re.DOTALL)
    assert drawn is not None
    options = re.findall(r'<option value="([^"]*)"[^>]*>\s*([^<]+?)\s*<', drawn[0])
    labels = dict(options)
    assert labels["createdAt"] == "Added"
    assert labels[key] == "Contact: Renewal"
    assert labels["expectedCloseAt"] == "Lead: Expected close"
    assert "such as createdat" not in html.lower()
