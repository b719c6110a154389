"""A client of the addresses to try."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client, override_settings

from core.access import Actor, AuthPath, Entitlement
from tests.core.api.helpers import URLCONF, Trusting
from tests.kit.cast import Cast


@pytest.fixture
def client(cast: Cast) -> Iterator[Client]:
    """A client of the tried conf, with a key of the cast's company."""
    Trusting.actor = Actor(AuthPath.KEY, cast.owner.user_id, cast.company.pk, is_owner=True, entitlement=Entitlement())
    with override_settings(ROOT_URLCONF=URLCONF):
        yield Client()
