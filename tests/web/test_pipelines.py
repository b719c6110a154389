"""The pages of pipelines and of reasons for lost leads."""

from __future__ import annotations

from html import unescape
from typing import Any

import pytest
from django.test import Client

from crm.models import LostReason, Pipeline, Stage
from crm.pipelines.pages import fingerprint
from tests.crm.leads.helpers import make
from tests.crm.pipelines.helpers import default_pipeline, make_pipeline, stage_ids
from tests.kit.cast import Cast
from tests.web.helpers import at, enter, html_of, text_of, toast_of


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


def form_of(pipeline: dict[str, Any], **values: Any) -> dict[str, Any]:
    """Return what the form of a pipeline sends."""
    stages = pipeline["stages"]
    return {
        "do": "arrange",
        "opened": fingerprint(pipeline),
        "name": pipeline["name"],
        "stage": [stage["_id"] for stage in stages],
        "stage_name": [stage["name"] for stage in stages],
        "kind": [stage["kind"] for stage in stages],
        "probability": [str(stage["probability"]) for stage in stages],
        **values,
    }


def names(response: Any) -> list[str]:
    """Return the stages of the form in their order."""
    parts = html_of(response).split('name="stage_name"')[1:]
    return [part.split('value="')[1].split('"')[0] for part in parts]


def test_a_pipeline_is_added_with_stages(cast: Cast, client: Client) -> None:
    page = client.get(at(cast.owner, "settings/pipelines"))
    assert "New → Contacted → Qualified → Proposal → Won → Lost" in text_of(page)
    added = client.post(at(cast.owner, "settings/pipelines"), {"do": "add", "name": "Wholesale"})
    assert names(client.get(added["Location"])) == ["New", "Offer sent", "Won", "Lost"]
    again = client.post(at(cast.owner, "settings/pipelines"), {"do": "add", "name": "wholesale"})
    assert "already exists" in toast_of(client, again)


def test_stages_are_moved_added_and_removed_without_script(cast: Cast, client: Client) -> None:
    pipeline = make_pipeline(cast)
    path = at(cast.owner, f"settings/pipelines/{pipeline['_id']}")
    assert names(client.get(path)) == ["Asked", "Offered", "Ordered", "Gone"]
    assert names(client.post(path, form_of(pipeline, down="0"))) == ["Offered", "Asked", "Ordered", "Gone"]
    assert names(client.post(path, form_of(pipeline, up="1"))) == ["Offered", "Asked", "Ordered", "Gone"]
    assert names(client.post(path, form_of(pipeline, add="1"))) == ["Asked", "Offered", "", "Ordered", "Gone"]
    removed = client.post(path, form_of(pipeline, remove="0"))
    assert (names(removed), "Move the leads of Asked to" in text_of(removed)) == (["Offered", "Ordered", "Gone"], True)
    with cast.scope():
        assert Stage.objects.filter(pipeline=pipeline["_id"]).count() == 4


def test_saving_moves_the_leads_of_removed_stages(cast: Cast, client: Client) -> None:
    pipeline = make_pipeline(cast)
    ids = stage_ids(pipeline)
    lead = make(cast, 1, stage=ids["Asked"])
    path = at(cast.owner, f"settings/pipelines/{pipeline['_id']}")
    shorter = {**pipeline, "name": "Trade", "stages": pipeline["stages"][1:]}
    save = {"do": "save", "opened": fingerprint(pipeline), "gone": [ids["Asked"]]}
    refused = client.post(path, form_of(shorter, **save, **{f"to-{ids['Asked']}": ""}))
    assert (refused.status_code, text_of(refused).count("has leads")) == (422, 1)
    assert "Not saved yet Asked has leads; choose a stage for them." in text_of(refused)
    sent = form_of(shorter, **save, **{f"to-{ids['Asked']}": ids["Offered"]})
    sent["probability"] = ["33", "100", "0"]
    assert "Pipeline saved" in toast_of(client, client.post(path, sent))
    changed = cast.key.get(f"/pipeline/{pipeline['_id']}").data
    assert (changed["name"], changed["stages"][0]["probability"]) == ("Trade", 33)
    assert cast.key.get(f"/lead/{lead['_id']}").data["stage"]["name"] == "Offered"
    wrong = client.post(path, form_of(changed, do="save", probability=["much", "100", "0"]))
    assert wrong.status_code == 422


def test_a_save_does_not_undo_what_another_has_saved(cast: Cast, client: Client) -> None:
    pipeline = make_pipeline(cast)
    path = at(cast.owner, f"settings/pipelines/{pipeline['_id']}")
    mine = client.post(path, form_of(pipeline, down="0"))
    assert f'name="opened" value="{fingerprint(pipeline)}"' in html_of(mine)
    stages = [{"name": "Sampled", "probability": 30}, *pipeline["stages"]]
    assert cast.key.put(f"/pipeline/{pipeline['_id']}", {"stages": stages}).status == 200
    refused = client.post(path, form_of(pipeline, do="save"))
    assert (refused.status_code, "has changed in the meantime" in text_of(refused)) == (422, True)
    assert names(refused) == ["Sampled", "Asked", "Offered", "Ordered", "Gone"]
    changed = cast.key.get(f"/pipeline/{pipeline['_id']}").data
    assert f'name="opened" value="{fingerprint(changed)}"' in html_of(refused)
    assert "Pipeline saved" in toast_of(client, client.post(path, form_of(changed, do="save", name="Trade")))


@pytest.mark.parametrize("text", ["9" * 5000, "²", "-1", "1.5", "", "١"])
def test_numbers_that_no_stage_has_are_refused(cast: Cast, client: Client, text: str) -> None:
    pipeline = make_pipeline(cast)
    page = at(cast.owner, f"settings/pipelines/{pipeline['_id']}")
    probabilities = [text, *(str(stage["probability"]) for stage in pipeline["stages"][1:])]
    refused = client.post(page, form_of(pipeline, do="save", probability=probabilities))
    assert refused.status_code == 422
    for button in ("up", "down", "remove"):
        shown = client.post(page, form_of(pipeline, **{button: text}))
        assert (shown.status_code, names(shown)) == (200, [stage["name"] for stage in pipeline["stages"]])


def test_the_default_pipeline_stays(cast: Cast, client: Client) -> None:
    pipeline = default_pipeline(cast)
    path = at(cast.owner, f"settings/pipelines/{pipeline['_id']}")
    assert "Delete pipeline" not in text_of(client.get(path))
    refused = client.post(path, {"do": "delete"})
    assert "can't be deleted" in unescape(toast_of(client, refused))
    other = make_pipeline(cast)
    path = at(cast.owner, f"settings/pipelines/{other['_id']}")
    assert "Move its leads to" in text_of(client.get(path))
    make(cast, 1, pipeline=other["_id"])
    assert "Move its 1 lead to" in text_of(client.get(path))
    make(cast, 2, pipeline=other["_id"])
    assert "Move its 2 leads to" in text_of(client.get(path))
    assert "Pipeline deleted" in toast_of(client, client.post(path, {"do": "delete", "moveTo": pipeline["_id"]}))
    with cast.scope():
        assert Pipeline.objects.count() == 1


def test_reasons_are_added_renamed_and_deleted(cast: Cast, client: Client) -> None:
    path = at(cast.owner, "settings/lost-reasons")
    assert "Reason added" in toast_of(client, client.post(f"{path}/new", {"name": "Price"}))
    with cast.scope():
        reason = LostReason.objects.get()
    assert "Reason saved" in toast_of(client, client.post(f"{path}/{reason.pk}", {"name": "Too expensive"}))
    assert "Too expensive" in text_of(client.get(path))
    assert "Reason deleted" in toast_of(client, client.post(f"{path}/{reason.pk}", {"do": "delete"}))


def test_those_who_may_not_change_settings_change_nothing(cast: Cast) -> None:
    client = enter(cast.narrow)
    for path in ("settings/pipelines", "settings/lost-reasons"):
        assert client.get(at(cast.narrow, path)).status_code == 403
