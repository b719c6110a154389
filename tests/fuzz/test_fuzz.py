"""schemathesis against the whole OpenAPI schema, over HTTP: whatever is sent, no answer is a 5xx and each is as it is described.

A few examples per operation here; `make fuzz` sets FUZZ_EXAMPLES for the full run.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
import schemathesis
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance

from tests.cast import KEY, make_cast, session_headers

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "4"))
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]
DOCUMENT = json.loads(OpenApiJsonRenderer().render(SchemaGenerator().get_schema(request=None, public=True), renderer_context={}))
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)

quick = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=EXAMPLES <= 4,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.filter_too_much,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)


@pytest.fixture
def headers(transactional_db: None) -> dict[str, str]:
    """Credentials of every door; each request takes those of its own."""
    cast = make_cast()
    return {"apikey": cast.api_key.key, **session_headers(cast.owner)}


def credentials(path: str, headers: dict[str, str]) -> dict[str, str]:
    names = ("apikey",) if path.startswith(KEY) else ("Authorization", "authmember")
    return {name: headers[name] for name in names}


@SCHEMA.include(path_regex=f"^{KEY}").parametrize()
@quick
def test_fuzz_the_key_door(case: Any, live_server: Any, headers: dict[str, str]) -> None:
    case.call_and_validate(base_url=live_server.url, headers=credentials(case.path, headers), checks=CHECKS, timeout=60)


@SCHEMA.include(path_regex="^/api/(public|private)/").parametrize()
@quick
def test_fuzz_the_other_doors(case: Any, live_server: Any, headers: dict[str, str]) -> None:
    case.call_and_validate(base_url=live_server.url, headers=credentials(case.path, headers), checks=CHECKS, timeout=60)
