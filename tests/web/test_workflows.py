"""The pages of workflows: the list, the drawing as a nested list, steps, runs."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.kit.cast import Cast
from tests.web.helpers import at, enter, text_of


@pytest.fixture
def client(cast: Cast) -> Client:
    return enter(cast.owner)


def test_smoke(cast: Cast, client: Client) -> None:
    new = at(cast.owner, "workflows/new")
    made = client.post(new, {"name": "Welcome", "triggerEventType": "contact.created"})
    assert made.status_code == 303, text_of(made)
    place = made["Location"]
    page = client.get(place)
    assert page.status_code == 200, text_of(page)
    print(text_of(page))
    for type in ("condition", "wait", "note", "contact", "switch", "set", "split", "tags", "followUp", "loop"):
        added = client.post(place + "/add", {"do": "add", "at": "trigger/out", "type": type})
        assert added.status_code == 303, text_of(added)
        shown = client.get(added["Location"])
        assert shown.status_code == 200
        if type in ("condition", "wait", "switch", "contact"):
            print(text_of(shown))
    print(text_of(client.get(place)))
    shown = client.get(place + "/step?node=trigger")
    print(text_of(shown))
    for tab in ("settings", "versions", "runs", "live"):
        assert client.get(f"{place}/{tab}").status_code == 200
    assert client.get(at(cast.owner, "workflows")).status_code == 200
    assert client.get(at(cast.owner, "workflows/runs")).status_code == 200
    raise AssertionError
