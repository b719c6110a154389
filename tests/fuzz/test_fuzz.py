"""schemathesis against the whole OpenAPI schema: whatever is sent, no answer is a 5xx and each is as it is described.

In the suite a few examples an operation, within the process. FUZZ_COVERAGE=1 adds the dozens of edge cases an
operation of schemathesis's
coverage phase (`make fuzz-coverage`, part of `make check`). FUZZ_EXAMPLES sets the number of examples and has everything sent over HTTP
(`make fuzz`).
"""  # noqa: E501

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, settings
from pytest_django.live_server_helper import LiveServer
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.kit.cast import KEY, make_cast, session_headers
from tests.kit.database import reset
from tests.kit.openapi import document
from tests.kit.rows import kept_for_module

OVER_HTTP = "FUZZ_EXAMPLES" in os.environ
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "2"))
COVERAGE = OVER_HTTP or bool(os.environ.get("FUZZ_COVERAGE"))
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]
CONFIG = SchemathesisConfig.from_dict({"phases": {"coverage": {"enabled": COVERAGE}}})
SCHEMA = schemathesis.openapi.from_dict(document(), config=CONFIG)

pytestmark = pytest.mark.django_db

quick = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=not OVER_HTTP,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.filter_too_much,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)


@dataclass(frozen=True)
class Service:
    """How the service is reached, and credentials for every authentication path."""

    reached: dict[str, Any]
    headers: dict[str, str]


@contextmanager
def connections_kept() -> Iterator[None]:
    """Requests leave the connection open, which is in the middle of a transaction."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.fixture(scope="module")
def service(django_db_setup: None, django_db_blocker: Any) -> Iterator[Service]:
    """One company for all operations; over HTTP, what one leaves behind, the next may meet."""
    if not OVER_HTTP:
        with kept_for_module(django_db_blocker), connections_kept():
            yield Service({"app": get_wsgi_application()}, _credentials())
        return
    with django_db_blocker.unblock():
        server = LiveServer("127.0.0.1")
        try:
            yield Service({"base_url": server.url, "timeout": 60}, _credentials())
        finally:
            server.stop()
            reset()


def _credentials() -> dict[str, str]:
    cast = make_cast()
    return {"apikey": cast.api_key.key, **session_headers(cast.owner)}


def send(case: Any, service: Service) -> None:
    names = ("apikey",) if case.path.startswith(KEY) else ("Authorization", "authmember")
    case.call_and_validate(headers={name: service.headers[name] for name in names}, checks=CHECKS, **service.reached)


@SCHEMA.include(path_regex=f"^{KEY}").parametrize()
@quick
def test_fuzz_the_key_path(case: Any, service: Service) -> None:
    send(case, service)


@SCHEMA.include(path_regex="^/api/(public|private)/").parametrize()
@quick
def test_fuzz_the_other_paths(case: Any, service: Service) -> None:
    send(case, service)
