"""Addresses and tokens by which others write to an app are shown to who may change apps, and to nobody else."""

from __future__ import annotations

from typing import Any

import pytest

from outreach.models import ChatApp, SocialAApp
from tests.kit.cast import make_cast

APPS: dict[str, tuple[Any, dict[str, Any], tuple[str, ...]]] = {
    "chatapp": (ChatApp, {"phone_number_id": "1", "waba_id": "2", "app_secret": "s"}, ("webhookUrl", "verifyToken")),
    "messenger": (ChatApp, {"vendor": "messenger", "phone_number_id": "1"}, ("webhookUrl",)),
    "social-b": (ChatApp, {"vendor": "social-b", "phone_number_id": "1"}, ("webhookUrl", "verifyToken")),
    "social-a": (SocialAApp, {"app_id": "1"}, ("webhookUrl", "verifyToken")),
}


@pytest.mark.parametrize("kind", APPS)
def test_only_who_may_change_it_sees_them(db: None, kind: str) -> None:
    model, values, names = APPS[kind]
    cast = make_cast({"apps": {"GET": True}})
    with cast.scope():
        one = model.objects.create(name="One", hook_salt="salt", **values)
    for place in (f"/apps/{kind}", f"/apps/{kind}/{one.pk}"):
        for caller, sees in ((cast.session, True), (cast.narrow_session, False)):
            answer = caller.get(place)
            assert answer.status == 200, answer.body
            shown = answer.data[0] if isinstance(answer.data, list) else answer.data
            assert [bool(shown[name]) for name in names] == [sees] * len(names), (place, sees)
