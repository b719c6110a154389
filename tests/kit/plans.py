"""What the plans of companies allow in a test."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.access import Entitlement, entitlement_source, entitlements


def allow(monkeypatch: pytest.MonkeyPatch, allowed: Entitlement | None) -> None:
    """Let every company be allowed this in its members' sessions; None: it has no subscription."""
    monkeypatch.setattr(entitlements, "_source", replace(entitlement_source(), of=lambda company: allowed))
