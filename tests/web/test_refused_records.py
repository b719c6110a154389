"""Refusals that are about another record name it by a link, and never by its id."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from core.web.words.cures import REMEDIES
from tests.kit.cast import Cast
from tests.kit.html import html_of
from tests.web.helpers import at, enter, text_of, toast_of

ID = re.compile(r"\b[0-9a-f]{24}\b")


ANN = {"name": "Ann Lee", "email": "ann@example.org", "countryCode": "+44", "number": "7400123456"}


@pytest.mark.parametrize("values", [{}, {"email": "ANN@example.org", "name": "Bea", "number": "7400123457"}])
def test_a_new_contact_with_a_known_address(cast: Cast, values: dict[str, str]) -> None:
    contact = cast.key.post("/contact", {"formData": ANN}).data["_id"]
    client: Client = enter(cast.owner)
    page = client.post(at(cast.owner, "contacts/new"), {**ANN, **values})
    assert page.status_code == 422
    assert "Another contact has this email address." in text_of(page)
    assert not ID.search(text_of(page))
    assert f'href="{at(cast.owner, f"contacts/{contact}")}">Open the contact</a>' in html_of(page)


def test_a_second_lead_of_a_contact(cast: Cast) -> None:
    first = cast.key.post("/lead", {"formData": ANN}).data["_id"]
    client: Client = enter(cast.owner)
    sent = client.post(at(cast.owner, "leads/new"), {**ANN, "name": "Bea"})
    toast = toast_of(client, sent)
    assert "This contact has another open lead." in toast
    assert "The contact already exists and keeps its own values." in toast
    assert not ID.search(re.sub(r"<[^>]+>", " ", toast))
    cast.key.put("/settings", {"duplicateLeads": "refuse"})
    page = client.post(at(cast.owner, "leads/new"), ANN)
    assert page.status_code == 422
    assert "This contact already has an open lead." in text_of(page)
    assert not ID.search(text_of(page))
    assert 'href="' + at(cast.owner, f"leads/{first}") + '">Open the lead</a>' in html_of(page)


def test_many_leads_that_open_again(cast: Cast) -> None:
    first = cast.key.post("/lead", {"formData": ANN}).data["_id"]
    cast.key.delete("/lead", {"ids": [first]})
    cast.key.post("/lead", {"formData": ANN})
    client: Client = enter(cast.owner)
    sent = client.post(at(cast.owner, "recycle-bin/leads"), {"do": "restore", "ids": [first]})
    toast = toast_of(client, sent)
    assert "Restored 1 lead. Some of the leads have a contact with another open lead." in toast
    assert not ID.search(re.sub(r"<[^>]+>", " ", toast))


def test_the_fallback_team_is_kept(cast: Cast) -> None:
    client: Client = enter(cast.owner)
    team = next(team for team in cast.key.get("/team").data if team["isDefault"])
    sent = client.post(at(cast.owner, f"teams/{team['_id']}"), {"do": "delete"})
    toast = toast_of(client, sent)
    assert str(REMEDIES["CannotDeleteDefaultTeam_400"].text).replace("'", "&#x27;") in toast
    assert not ID.search(re.sub(r"<[^>]+>", " ", toast))
