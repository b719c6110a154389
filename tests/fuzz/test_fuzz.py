"""schemathesis against the whole OpenAPI schema, over HTTP: whatever is sent, no answer is a 5xx and each is as it is described.

A few examples per operation here; `make fuzz` sets FUZZ_EXAMPLES for the full run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import schemathesis
from django.core.management import call_command
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from hypothesis import HealthCheck, settings
from pytest_django.live_server_helper import LiveServer
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.kit.cast import KEY, make_cast, session_headers

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "2"))
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]
DOCUMENT = json.loads(
    OpenApiJsonRenderer().render(SchemaGenerator().get_schema(request=None, public=True), renderer_context={})
)
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)

pytestmark = pytest.mark.django_db

quick = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=EXAMPLES <= 2,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.filter_too_much,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)


@dataclass(frozen=True)
class Service:
    """A server over HTTP, and credentials for every authentication path."""

    url: str
    headers: dict[str, str]


@pytest.fixture(scope="module")
def service(django_db_setup: None, django_db_blocker: Any) -> Iterator[Service]:
    """One server and one company for all operations: what one leaves behind, the next may meet."""
    with django_db_blocker.unblock():
        cast = make_cast()
        server = LiveServer("127.0.0.1")
        try:
            yield Service(server.url, {"apikey": cast.api_key.key, **session_headers(cast.owner)})
        finally:
            server.stop()
            call_command("flush", interactive=False, verbosity=0)


def credentials(path: str, headers: dict[str, str]) -> dict[str, str]:
    names = ("apikey",) if path.startswith(KEY) else ("Authorization", "authmember")
    return {name: headers[name] for name in names}


@SCHEMA.include(path_regex=f"^{KEY}").parametrize()
@quick
def test_fuzz_the_key_door(case: Any, service: Service) -> None:
    case.call_and_validate(
        base_url=service.url, headers=credentials(case.path, service.headers), checks=CHECKS, timeout=60
    )


@SCHEMA.include(path_regex="^/api/(public|private)/").parametrize()
@quick
def test_fuzz_the_other_doors(case: Any, service: Service) -> None:
    case.call_and_validate(
        base_url=service.url, headers=credentials(case.path, service.headers), checks=CHECKS, timeout=60
    )
