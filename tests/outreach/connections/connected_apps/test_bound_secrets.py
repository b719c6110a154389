"""A stored secret goes only where it was given for: whoever changes the place gives the secret again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.fields import EncryptedTextField
from crm.models import Bucket
from outreach.connections.connected_apps.registry import CONNECTED_APPS
from outreach.models import AiApp, DataApp, Ocr, Smtp
from tests.kit.cast import Cast
from tests.kit.factories import SmtpFactory
from tests.kit.smtp_server import Faults

SECRET = "S3cret-Corp-Pw"
MAKERS: dict[type[Any], Callable[..., Any]] = {
    Smtp: lambda app: SmtpFactory(password=SECRET),
    Bucket: lambda app: Bucket.objects.create(
        name="box-1",
        endpoint="http://127.0.0.1:9",
        region="eu-west-1",
        is_active=False,
        accesskey=SECRET,
        secretkey=SECRET,
    ),
    Ocr: lambda app: Ocr.objects.create(name="ocr-space", key=SECRET),
    AiApp: lambda app: AiApp.objects.create(provider=app.provider.key, name="A", api_key=SECRET),
    DataApp: lambda app: DataApp.objects.create(
        kind=app.key, name="A", url="http://127.0.0.1:8/", header_name="X-Key", api_key=SECRET
    ),
}
BOUND = [
    (key, secret, place)
    for key, app in CONNECTED_APPS.items()
    for secret in app.secrets
    for place in app.model._meta.get_field(secret).bound_to
]
OTHER = {
    "host": "mail.attacker.example",
    "port": 26,
    "username": "somebody",
    "secure": True,
    "base_url": "http://127.0.0.1:9/v1",
    "url": "http://127.0.0.1:9/",
    "header_name": "X-Other",
    "endpoint": "http://127.0.0.1:10",
    "region": "us-east-1",
    "name": "local",
}
NAMES = {"base_url": "baseUrl", "api_key": "apiKey", "header_name": "headerName"}
"""Column -> its name in the API, where that is another."""
TAKEN = [one for one in BOUND if one[0] in ("smtp", "ai-b", "bucket", "ocr", "lead-source", "enrich")]
"""Those that a request can change: other AI apps have no address of their own."""


def test_where_a_secret_goes_is_bound_to_it() -> None:
    assert {place for key, _, place in BOUND if key == "smtp"} == {"host", "port", "username", "secure"}
    assert {place for key, _, place in BOUND if key == "bucket"} == {"endpoint", "region"}
    assert [place for key, _, place in BOUND if key == "ocr"] == ["name"]
    assert {place for key, _, place in BOUND if key.startswith("ai-")} == {"base_url"}
    assert {place for key, _, place in BOUND if key in ("lead-source", "enrich")} == {"url", "header_name"}


@pytest.mark.parametrize(("key", "secret", "place"), TAKEN)
def test_a_place_changes_only_together_with_the_secret(cast: Cast, key: str, secret: str, place: str) -> None:
    app = CONNECTED_APPS[key]
    with cast.scope():
        record = MAKERS[app.model](app)
    before, named, hidden = getattr(record, place), NAMES.get(place, place), NAMES.get(secret, secret)
    others = {one: "another" for one in app.secrets if one != secret}  # the rule holds for each of several
    for body in ({named: OTHER[place], **others}, {named: OTHER[place], hidden: "", **others}):
        answer = cast.key.put(f"/apps/{key}/{record.pk}", body)
        assert answer.status == 400
        assert answer.body["message"] == f"Validation error: {hidden} is required with a change of {named}"
        assert hidden in answer.body["warning"]
    with cast.scope():
        kept = app.model._default_manager.get(pk=record.pk)
        assert (getattr(kept, place), getattr(kept, secret)) == (before, SECRET)
    assert cast.key.put(f"/apps/{key}/{record.pk}", {named: before, "isActive": False}).status == 200


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
