"""Names of invisible characters only are empty: refused where a name is required."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from accounts.pages.forms import plain_name
from core.text.folding import shows_nothing
from crm.models import Lead
from outreach.site.forms.kinds import BadAnswer, read_answer
from tests.crm.contacts.helpers import form
from tests.kit.cast import Caller, Cast
from tests.kit.factories import ContactFactory, LeadFactory

pytestmark = pytest.mark.django_db
HIDING = ("Sales\u200b", "\ufeffSales", "Sa\u202eles", "\u2066Sales\u2069", "\u00ad Sales \u2060")
TURNS = dict.fromkeys((0x202E, 0x2066, 0x2069))
INVISIBLE = ("\u200b", "\u2060\u200d", "\ufeff", " \u00ad ", "\u3164", "\u2800", "\ufe0f\u034f")
VISIBLE = ("\U0001f469\u200d\U0001f4bb", "می\u200cخواهم", "क्\u200dष", "❤\ufe0f", "a\u200bb", "\u0627")
STAGES = [{"name": "Asked"}, {"name": "Ordered", "kind": "won"}, {"name": "Declined", "kind": "lost"}]


def bodies(name: str) -> dict[str, Any]:
    """Return the path of a resource -> the body of a new record with this name."""
    return {
        "/tag": {"name": name},
        "/contact-category": {"name": name},
        "/team": {"name": name},
        "/segment": {"name": name, "filters": {"name": "Ann"}},
        "/pipeline": {"name": name, "stages": STAGES},
        "/lost-reason": {"name": name},
        "/workflow": {"name": name},
        "/dashboard": {"name": name, "tiles": []},
        "/custom-field": {"name": name, "fieldType": "text"},
        "/custom-section": {"name": name},
        "/role": {"name": name, "permission": {}},
        "/template/email": {"name": name, "subject": "Hello", "body": "Hello"},
        "/product-service": {"formData": {"name": name}},
        "/organization": {"formData": {"name": name}},
    }


@pytest.mark.parametrize("text", INVISIBLE)
def test_invisible_text_shows_nothing(text: str) -> None:
    assert shows_nothing(text)


@pytest.mark.parametrize("text", VISIBLE)
def test_joiners_within_words_and_emoji_show(text: str) -> None:
    assert not shows_nothing(text)


@pytest.mark.parametrize("name", INVISIBLE)
@pytest.mark.parametrize("path", ["key", "session"])
def test_no_record_gets_an_invisible_name(cast: Cast, path: str, name: str) -> None:
    caller: Caller = getattr(cast, path)
    for address, body in bodies(name).items():
        answer = caller.post(address, body)
        assert answer.status == 400, (address, answer.body)
        assert "name" in str(answer.body), (address, answer.body)


def test_visible_names_are_kept_as_they_are(cast: Cast) -> None:
    for name in VISIBLE:
        answer = cast.key.post("/tag", {"name": name})
        assert (answer.status, answer.data["name"]) == (201, name)


@pytest.mark.parametrize("name", HIDING)
@pytest.mark.parametrize("path", ["key", "session"])
def test_hidden_characters_make_no_second_name(cast: Cast, path: str, name: str) -> None:
    caller: Caller = getattr(cast, path)
    assert caller.post("/tag", {"name": "Sales"}).status == 201
    assert caller.post("/tag", {"name": name}).status == 400
    assert caller.post("/team", {"name": name}).data["name"] == "Sales"
    contact = caller.post("/contact", {"formData": {**form(1), "name": name}})
    assert contact.data["formData"]["name"].translate(TURNS) == "Sales"  # shown apart from other text


@pytest.mark.parametrize("path", ["key", "session"])
def test_titles_of_tasks_and_stages_are_visible(cast: Cast, path: str) -> None:
    caller: Caller = getattr(cast, path)
    with cast.scope():
        lead: Lead = LeadFactory()
    due = {"lead": lead.pk, "dueAt": "2090-01-01T10:00:00Z"}
    refused = caller.post("/lead-activity/follow-up", {**due, "title": "\u200b"})
    assert (refused.status, refused.body["errors"][0]["field"]) == (400, "title")
    task = caller.post("/lead-activity/follow-up", {**due, "title": "Call"}).data["_id"]
    assert caller.call("PATCH", f"/lead-activity/follow-up/{task}", {"title": "\u2060"}).status == 400
    hidden = [{"name": "\u3164"}, *STAGES[1:]]
    assert caller.post("/pipeline", {"name": "Trade", "stages": hidden}).status == 400


@pytest.mark.parametrize("path", ["key", "session"])
def test_an_invisible_name_empties_that_of_a_contact(cast: Cast, path: str) -> None:
    caller: Caller = getattr(cast, path)
    with cast.scope():
        contact = ContactFactory(name="Ann")
    changed = caller.put(f"/contact/{contact.pk}", {"formData": {"name": "\u200b\u2060"}})
    assert (changed.status, changed.data["name"]) == (200, "")
    organization = caller.post("/organization", {"formData": {"name": "Acme"}}).data["_id"]
    assert caller.put(f"/organization/{organization}", {"formData": {"name": "\ufeff"}}).status == 400


@pytest.mark.parametrize("text", INVISIBLE)
def test_registration_and_public_forms_refuse_names_that_show_nothing(text: str) -> None:
    with pytest.raises(ValidationError):
        plain_name(text)
    field = {"key": "name", "type": "text", "required": True, "options": [], "value": ""}
    with pytest.raises(BadAnswer):
        read_answer(field, text)
    assert read_answer({**field, "required": False}, text) == ""
    assert read_answer(field, VISIBLE[0]) == VISIBLE[0]
