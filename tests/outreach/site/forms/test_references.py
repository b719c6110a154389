"""References of forms: checked when a form is saved, and named as its problems once they are gone."""

from __future__ import annotations

from typing import Any

import pytest

from crm.models import CustomField, Lead, LeadTag, Tag
from outreach.models import Form
from tests.kit.cast import Cast
from tests.outreach.helpers import work
from tests.outreach.site.forms.test_own_forms import ANSWERS, _send


def drop_source(cast: Cast, value: str) -> None:
    """Delete an option of the field that says where leads come from."""
    with cast.scope():
        field = CustomField.objects.get(panel="lead", unique_field_id="source")
    options = [one for one in field.options if one["value"] != value]
    changed = cast.key.put(f"/custom-field/{field.pk}", {"options": options, "dropInvalid": True})
    assert changed.status in (200, 202), changed.body


@pytest.mark.parametrize("path", ["/form", "/booking-page"])
@pytest.mark.parametrize("source", ["Mars", "website2", "Website, Referral"])
def test_an_unknown_source_is_refused(cast: Cast, path: str, source: str) -> None:
    body = {"name": "Fair", **({"kind": "offline"} if path == "/booking-page" else {})}
    refused = cast.key.post(path, {**body, "leadSource": source})
    assert (refused.status, refused.body["warning"].partition(":")[0]) == (400, "leadSource")
    assert cast.key.get(path).data == []
    made = cast.key.post(path, {**body, "leadSource": "Website"})
    assert (made.status, made.data["leadSource"]) == (201, "website"), "a label stands for its value"
    place = f"{path}/{made.data['_id']}"
    assert cast.key.put(place, {"leadSource": source}).status == 400
    assert (cast.key.get(place).data["leadSource"], cast.key.get(place).data["problems"]) == ("website", [])
    assert cast.key.put(place, {"leadSource": ""}).data["leadSource"] == ""


def test_a_form_goes_on_without_what_was_deleted_and_says_so(cast: Cast, form: dict[str, Any], quick: None) -> None:
    place = f"/form/{form['_id']}"
    assert cast.key.put(place, {"leadSource": "event"}).data["problems"] == []
    with cast.scope():
        tag = Tag.objects.get().pk
        other = Tag.objects.create(name="Other").pk
    assert cast.key.put(place, {"tags": [tag, other]}).status == 200
    drop_source(cast, "event")
    assert cast.key.delete("/tag", {"ids": [tag]}).status == 200
    assert cast.key.get(place).data["problems"] == [
        "leadSource: leads have no source 'event' any more, so that new ones get none",
        "tags: 1 of them was deleted; leads get the others",
    ]
    assert [one["problems"][0][:10] for one in cast.key.get("/form").data] == ["leadSource"]
    page = cast.session.get(place).data
    assert page["status"] == "published"
    assert _send(form, ANSWERS).status_code == 303
    work("form-leads")
    with cast.scope():
        assert Lead.objects.get().source == ""
        assert [one.tag_id for one in LeadTag.objects.all()] == [other]
    kept = cast.key.put(place, {"title": "Still open", "leadSource": "event"})
    assert (kept.status, kept.data["title"]) == (200, "Still open"), "what is stored already is no reason to refuse"
    with cast.scope():
        Form.objects.update(mapping={**form["mapping"], "beans": "contact.gone"})
    assert cast.key.get(place).data["problems"][-1] == (
        "mapping.beans: the field contact.gone was deleted, so that the answer is kept with the form alone"
    )
