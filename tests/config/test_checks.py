"""config.checks: what a deployment is told before it starts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from accounts.api_keys.views import ApiKeyViewSet
from config.checks import operations_name_known_modules


def test_every_operation_names_known_modules() -> None:
    assert operations_name_known_modules() == []


def test_a_module_that_no_role_grants_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ApiKeyViewSet, "module", "bean")
    found = operations_name_known_modules()
    assert {message.id for message in found} == {"config.E001"}
    assert "no role can grant 'bean'" in found[0].msg


def test_a_quota_that_nothing_counts_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = ApiKeyViewSet.create.endpoint  # type: ignore[attr-defined]
    monkeypatch.setattr(ApiKeyViewSet.create, "endpoint", replace(declared, quota_module="bean"))
    assert [(message.id, message.msg) for message in operations_name_known_modules()] == [
        ("config.E002", "POST api: nothing counts 'bean'")
    ]
