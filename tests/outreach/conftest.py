"""A sender with a real mail server behind it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.jobs.liveness import release_lock
from outreach.models import AiApp
from tests.kit.cast import Cast
from tests.kit.data_server import DataServer, data_server
from tests.kit.factories import SmtpFactory
from tests.kit.smtp_server import Faults, accept_any, faulty_server
from tests.outreach.helpers import Post


@pytest.fixture(autouse=True)
def _lock_of_this_process() -> Iterator[None]:
    """Give the worker's lock back, whose connection would keep the test database from being dropped."""
    yield
    release_lock()


@pytest.fixture
def mail_server() -> Iterator[tuple[Faults, int]]:
    faults = Faults()
    with faulty_server(faults, authenticator=accept_any, auth_require_tls=False) as port:
        yield faults, port


@pytest.fixture
def post(cast: Cast, mail_server: tuple[Faults, int]) -> Post:
    """The cast's sender and AI app."""
    server, port = mail_server
    with cast.scope():
        smtp = SmtpFactory(port=port, username="user", password="päss wörd")
        AiApp.objects.get_or_create(provider="offline-composer", is_default=True, defaults={"name": "Offline"})
    return Post(smtp, server, port)


@pytest.fixture(scope="session")
def _data_server() -> Iterator[DataServer]:
    with data_server() as server:
        yield server


@pytest.fixture
def people(_data_server: DataServer) -> DataServer:
    """A server of lead sources and enrichment apps, which knows nobody until it is told."""
    _data_server.asked.clear()
    return _data_server.then({})
