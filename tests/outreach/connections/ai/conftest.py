"""A stand-in for the servers of AI models."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from outreach.connections.ai.providers import model
from tests.kit.ai_server import AiServer, ai_server


@pytest.fixture(scope="module")
def _served() -> Iterator[AiServer]:
    with ai_server() as server:
        yield server


@pytest.fixture
def server(_served: AiServer, monkeypatch: pytest.MonkeyPatch) -> AiServer:
    """A server that writes well until it is told otherwise. Nobody waits between tries."""
    monkeypatch.setattr(model, "pause", lambda failures, left: None)
    _served.asked.clear()
    return _served.then()
