"""A number is connected once: within a company, and across companies by whom the vendor's token proves to hold it."""

from __future__ import annotations

import pytest

from outreach.connections.chat_apps.services import create_app
from outreach.models import ChatApp
from tests.kit.cast import Cast, make_cast
from tests.kit.chat_vendor import APP, PHONE_ID, SECRET, TOKEN, WABA, ChatVendor
from tests.kit.threads import at_once

NUMBER = {"phoneNumberId": PHONE_ID, "wabaId": WABA, "appId": APP, "accessToken": TOKEN, "appSecret": SECRET}


def test_a_number_is_connected_once(cast: Cast, outsiders: Cast, vendor: ChatVendor) -> None:
    path = "/apps/chatapp"
    guess = outsiders.key.post(path, {**NUMBER, "accessToken": "guess", "verified": False})
    assert guess.status == 201  # an unproved guess locks nobody out
    made = cast.key.post(path, NUMBER)
    assert made.status == 201
    for company, given in ((cast, NUMBER), (cast, {**NUMBER, "verified": False}), (outsiders, NUMBER)):
        again = company.key.post(path, given)
        assert (again.status, again.body["message"]) == (400, "Duplicate field(s): phoneNumberId")
        assert again.body["warning"].startswith("phoneNumberId:")

    # Whoever has guessed it cannot prove it while it is held.
    theirs = f"{path}/{guess.data['_id']}"
    assert outsiders.key.put(theirs, {"accessToken": TOKEN, "verified": False}).status == 200
    assert outsiders.key.put(theirs, {"verified": True}).status == 400
    found = outsiders.key.post(f"{theirs}/test").data
    assert (found["ok"], "connected already" in found["detail"]) == (False, True)
    assert outsiders.key.get(theirs).data["verified"] is False

    mine = f"{path}/{made.data['_id']}"
    assert cast.key.put(mine, {"isActive": False}).status == 200
    assert outsiders.key.post(f"{theirs}/test").data["ok"] is True
    assert cast.key.put(mine, {"isActive": True}).status == 400


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_gets_the_number() -> None:
    cast = make_cast()
    given = {"phone_number_id": "77", "waba_id": WABA, "access_token": TOKEN}

    def connect(_: int) -> str:
        create_app(member_id=cast.owner.pk, verified=False, **given)
        return "connected"

    assert sorted(at_once(4, cast.company.pk, connect)) == ["DuplicateField"] * 3 + ["connected"]
    with cast.scope():
        assert ChatApp.objects.count() == 1
