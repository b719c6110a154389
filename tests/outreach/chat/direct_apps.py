"""Helpers for tests of messenger apps and accounts of the second social platform."""

from __future__ import annotations

from typing import Any

from outreach.models import ChatApp, Conversation, SendJob
from tests.kit.cast import Cast
from tests.kit.direct_vendors import (
    ACCESS_TOKEN,
    ACCOUNT,
    APP_SECRET,
    BOT_TOKEN,
)


def connected(cast: Cast, kind: str) -> ChatApp:
    """Connect an app; returns it."""
    body = {"botToken": BOT_TOKEN} if kind == "messenger" else {"accountId": ACCOUNT, "accessToken": ACCESS_TOKEN}
    body |= {} if kind == "messenger" else {"appSecret": APP_SECRET}
    answer = cast.key.post(f"/apps/{kind}", body)
    assert (answer.status, answer.data["verified"], answer.data["lastError"]) == (201, True, ""), answer.body
    with cast.scope():
        return ChatApp.objects.get(pk=answer.data["_id"])


def answered(cast: Cast, text: str = "Good day", **more: Any) -> str:
    with cast.scope():
        place = f"/conversation/{Conversation.objects.latest('last_inbound_at').pk}/messages"
    answer = cast.key.post(place, {"text": text, **more} if text else more)
    assert answer.status == 201, answer.body
    return str(answer.data["sendJob"])


def status(cast: Cast, job: str) -> tuple[str, str]:
    with cast.scope():
        return SendJob.objects.values_list("status", "reason").get(pk=job)
