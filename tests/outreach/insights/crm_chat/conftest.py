"""An AI app that calls nobody, and a stand-in for the server of one that does."""

from __future__ import annotations

import pytest

from outreach.models import AiApp
from tests.kit.cast import Cast
from tests.outreach.connections.ai.conftest import _served, server

__all__ = ["_served", "server"]


@pytest.fixture
def offline(cast: Cast) -> AiApp:
    with cast.scope():
        return AiApp.objects.create(provider="offline-composer", name="Offline", is_default=True)
