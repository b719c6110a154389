"""The registry of connected apps: what holds for each spec, and the routes that are made from it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.core.exceptions import ImproperlyConfigured

from core.api.routers import ResourceRouter
from core.fields import EncryptedTextField
from core.messages.defaults import DEFAULTS
from outreach.connections.ai.providers import AiProvider
from outreach.connections.connected_apps.registry import CONNECTED_APPS, Capability, ConnectedApp, register_app
from outreach.connections.connected_apps.selectors import counted_apps
from outreach.connections.connected_apps.views import app_viewset
from outreach.models import AiApp
from tests.kit.cast import Cast
from tests.kit.factories import SmtpFactory


def test_the_registry_has_entries() -> None:
    assert {"smtp", "ai-offline"} <= CONNECTED_APPS.keys()


@pytest.mark.parametrize("app", CONNECTED_APPS.values(), ids=CONNECTED_APPS.keys())
class TestSpec:
    def test_its_secrets_are_encrypted_and_never_go_out(self, app: ConnectedApp) -> None:
        encrypted = {field.name for field in app.model._meta.get_fields() if isinstance(field, EncryptedTextField)}
        assert set(app.secrets) == encrypted
        assert encrypted
        read = {*app.output.columns().values(), *app.output.reads}
        assert not encrypted & {column for column in read if isinstance(column, str)}
        assert not encrypted & {str(field.expression) for field in app.fields.fields.values()}

    def test_it_says_what_it_can_do(self, app: ConnectedApp) -> None:
        assert app.capabilities
        if Capability.COMPOSE in app.capabilities:
            assert app.provider is not None
            assert issubclass(app.provider, AiProvider)

    def test_its_errors_are_known(self, app: ConnectedApp) -> None:
        assert app.not_found().name in DEFAULTS
        assert app.nothing_selected in ("", *DEFAULTS)

    def test_it_has_the_routes_of_its_operations(self, app: ConnectedApp) -> None:
        path = f"apps/{app.key}"
        router = ResourceRouter("api/protected", None)
        router.register(path, app_viewset(app))
        found = {f"{each.method} {each.path}" for each in router.operations()}
        wanted = {f"GET {path}", f"POST {path}", f"GET {path}/<str:id>", f"PUT {path}/<str:id>"}
        wanted |= {f"DELETE {path}"} if app.delete else set()
        wanted |= {f"POST {path}/<str:id>/test"} if app.test else set()
        assert found == wanted
        assert {each.modules for each in router.operations()} == {("apps",)}


def test_a_key_is_registered_once() -> None:
    with pytest.raises(ImproperlyConfigured, match="two connected apps have the key smtp"):
        register_app(replace(CONNECTED_APPS["smtp"]))


def test_apps_that_are_switched_on_count_against_the_plan(cast: Cast) -> None:
    with cast.scope():
        before = counted_apps().count()
        SmtpFactory()
        SmtpFactory(is_active=False)
        AiApp.objects.create(provider="offline-composer", name="A")
        AiApp.objects.create(provider="offline-composer", name="B", is_active=False)
        assert counted_apps().count() == before + 2
