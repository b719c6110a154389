"""A stored secret goes only where it was given for: whoever changes the place gives the secret again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.fields import EncryptedTextField
from outreach.connected_apps.registry import CONNECTED_APPS
from outreach.models import AiApp, Smtp
from tests.kit.cast import Cast
from tests.kit.factories import SmtpFactory
from tests.kit.smtp_server import Faults

SECRET = "S3cret-Corp-Pw"
MAKERS: dict[type[Any], Callable[..., Any]] = {
    Smtp: lambda app: SmtpFactory(password=SECRET),
    AiApp: lambda app: AiApp.objects.create(provider=app.provider.key, name="A", api_key=SECRET),
}
BOUND = [
    (key, secret, place)
    for key, app in CONNECTED_APPS.items()
    for secret in app.secrets
    for place in app.model._meta.get_field(secret).bound_to
]
OTHER = {"host": "mail.attacker.example", "port": 26, "username": "somebody", "secure": True}


def test_where_an_smtp_password_goes_is_bound_to_it() -> None:
    assert {place for key, _, place in BOUND if key == "smtp"} == OTHER.keys()


@pytest.mark.parametrize(("key", "secret", "place"), BOUND)
def test_a_place_changes_only_together_with_the_secret(cast: Cast, key: str, secret: str, place: str) -> None:
    app = CONNECTED_APPS[key]
    with cast.scope():
        record = MAKERS[app.model](app)
    before = getattr(record, place)
    for body in ({place: OTHER[place]}, {place: OTHER[place], secret: ""}):
        answer = cast.key.put(f"/apps/{key}/{record.pk}", body)
        assert answer.status == 400
        assert answer.body["message"] == f"Validation error: {secret} is required with a change of {place}"
        assert secret in answer.body["warning"]
    with cast.scope():
        kept = app.model._default_manager.get(pk=record.pk)
        assert (getattr(kept, place), getattr(kept, secret)) == (before, SECRET)
    assert cast.key.put(f"/apps/{key}/{record.pk}", {place: before, "name": "Renamed"}).status == 200


def test_the_password_does_not_reach_another_server(cast: Cast, mail_server: tuple[Faults, int]) -> None:
    server, port = mail_server
    with cast.scope():
        mine = SmtpFactory(host="127.0.0.1", port=1, password=SECRET)
    for caller in (cast.key, cast.session):
        assert caller.put(f"/apps/smtp/{mine.pk}", {"port": port}).status == 400
    assert server.connections == 0
    answer = cast.key.put(f"/apps/smtp/{mine.pk}", {"port": port, "password": "another"})
    assert (answer.status, server.connections) == (200, 1)


def test_the_rule_holds_for_any_app_that_binds_its_secret(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    field = AiApp._meta.get_field("api_key")
    assert isinstance(field, EncryptedTextField)
    monkeypatch.setattr(field, "bound_to", ("selected_model",))
    made = cast.key.post("/apps/ai-offline", {"name": "A", "apiKey": SECRET, "selectedModel": "a"}).data
    answer = cast.key.put(f"/apps/ai-offline/{made['_id']}", {"selectedModel": "b"})
    assert answer.status == 400
    assert answer.body["message"] == "Validation error: apiKey is required with a change of selectedModel"
    assert cast.key.put(f"/apps/ai-offline/{made['_id']}", {"selectedModel": "b", "apiKey": "new"}).status == 200
    keyless = cast.key.post("/apps/ai-offline", {"name": "B"}).data["_id"]
    assert cast.key.put(f"/apps/ai-offline/{keyless}", {"selectedModel": "b"}).status == 200
