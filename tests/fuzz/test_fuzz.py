"""schemathesis against the whole OpenAPI schema: whatever is sent, no answer is a 5xx and each is as it is described.

In the suite a few examples an operation, within the process. FUZZ_COVERAGE=1 adds the dozens of edge cases an operation
of schemathesis's coverage phase (`make fuzz-coverage`, part of `make check`). FUZZ_EXAMPLES sets the number of examples
and has everything sent over HTTP, with all edge cases (`make fuzz`).

A parameter or a value of bodies that many operations declare alike, as those of lists, is read by one piece of code:
outside of `make fuzz` every fifth of these operations gets its edge cases, and of two operations one. The examples have
all of them. What comes before any view, such as methods that a path does not have, is tried at every fifth operation
too, and of the five wrong types of a value every third one, so that values side by side have different ones.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from zlib import crc32

import orjson
import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, settings
from pytest_django.live_server_helper import LiveServer
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.generation.meta import CoverageScenario, TestPhase
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.python._constants.orchestrator import make_constants_value_source
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.kit.cast import KEY, make_cast, session_headers
from tests.kit.database import reset
from tests.kit.examples import walked
from tests.kit.openapi import document
from tests.kit.rows import kept_for_module

OVER_HTTP = "FUZZ_EXAMPLES" in os.environ
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "2"))
COVERAGE = OVER_HTTP or bool(os.environ.get("FUZZ_COVERAGE"))
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]
MOUNTS = (KEY + "/", "/api/public/", "/api/private/")
COMMON = 30
"""By so many operations or more a parameter is common."""
COMMON_VALUE = 3
"""By so many operations or more a value of a body is common: more than those that make and change a record."""
BEFORE_VIEWS = {
    (CoverageScenario.MALFORMED_CONTENT_TYPE, ParameterLocation.HEADER),
    (CoverageScenario.MISSING_PARAMETER, ParameterLocation.HEADER),
    (CoverageScenario.OBJECT_UNEXPECTED_PROPERTIES, ParameterLocation.QUERY),
    (CoverageScenario.UNSPECIFIED_HTTP_METHOD, None),
    (CoverageScenario.UNSUPPORTED_CONTENT_TYPE, ParameterLocation.HEADER),
}
"""Edge cases that the same code answers for all operations, and where they are in the request."""


def fuzzed() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield path and description of the operations that are tried."""
    for path, methods in document()["paths"].items():
        if path.startswith(MOUNTS):
            yield from ((path, described) for method, described in methods.items() if method != "parameters")


def declared() -> Iterator[dict[str, Any]]:
    """Yield the operations of the schema."""
    for methods in document()["paths"].values():
        yield from (operation for method, operation in methods.items() if method != "parameters")


def properties_of(content: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a body, not a reference to it."""
    name = content["schema"].get("$ref", "").rpartition("/")[2]
    return document()["components"]["schemas"][name] if name else content["schema"]


def fewer_values() -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return what leaves common optional values out of an operation's body, but for every fifth operation.

    A value of two operations, mostly those that make and change a record, stays at one of them in turn.
    """
    bodies = [content for _, one in fuzzed() for content in one.get("requestBody", {}).get("content", {}).values()]
    shared = Counter(
        orjson.dumps(pair) for body in bodies for pair in properties_of(body).get("properties", {}).items()
    )
    seen: Counter[bytes] = Counter()

    def keeps(pair: tuple[str, Any]) -> bool:
        text = orjson.dumps(pair)
        seen[text] += 1
        if shared[text] == 2:
            return seen[text] == crc32(text) % 2 + 1
        return shared[text] < COMMON_VALUE or seen[text] % 5 == 1

    def fewer(operation: dict[str, Any]) -> dict[str, Any]:
        if "requestBody" not in operation:
            return operation
        content = {}
        for mime, body in operation["requestBody"]["content"].items():
            schema = properties_of(body)
            required = schema.get("required", [])
            kept = dict(pair for pair in schema.get("properties", {}).items() if pair[0] in required or keeps(pair))
            content[mime] = {**body, "schema": {**schema, "properties": kept} if "properties" in schema else schema}
        return {**operation, "requestBody": {**operation["requestBody"], "content": content}}

    return fewer


@cache
def without_most_common() -> dict[str, Any]:
    """Return the schema with common parameters and values of bodies at every fifth of their operations alone."""
    counts = Counter(orjson.dumps(one) for operation in declared() for one in operation.get("parameters", []))
    seen: Counter[bytes] = Counter()

    def keeps(parameter: dict[str, Any]) -> bool:
        text = orjson.dumps(parameter)
        seen[text] += 1
        return counts[text] < COMMON or parameter.get("required", False) or seen[text] % 5 == 1

    fewer = fewer_values()
    paths: dict[str, Any] = {path: dict(methods) for path, methods in document()["paths"].items()}
    for path, methods in paths.items():
        for method, described in methods.items():
            if method == "parameters":
                continue
            parameters = [one for one in described.get("parameters", []) if keeps(one)]
            methods[method] = {**(fewer(described) if path.startswith(MOUNTS) else described), "parameters": parameters}
    return {**document(), "paths": paths}


@cache
def examples() -> Any:
    """Return the schema of the examples; over HTTP, that of all cases."""
    return _schema(document()) if OVER_HTTP else _schema(document(), coverage={"enabled": False})


@cache
def edge_cases() -> Any:
    """Return the schema of the edge cases."""
    off = {"enabled": False}
    return _schema(without_most_common(), examples=off, fuzzing=off, coverage={"enabled": True})


def schemas() -> list[Any]:
    """Return the schema of the examples, and that of the edge cases where they are asked for."""
    return [examples()] if OVER_HTTP or not COVERAGE else [examples(), edge_cases()]


class Turns:
    """The edge cases of one operation that are tried outside of `make fuzz`."""

    def __init__(self, operation: str) -> None:
        self._operation = operation
        self._wrong_types = 0

    def has(self, case: Any) -> bool:
        """Return whether it is the case's turn."""
        if OVER_HTTP or case.meta.phase.name is not TestPhase.COVERAGE:
            return True
        data = case.meta.phase.data
        if data.scenario is CoverageScenario.INCORRECT_TYPE:
            self._wrong_types += 1
            return self._wrong_types % 3 == 1
        if (data.scenario, data.parameter_location) in BEFORE_VIEWS:
            return crc32(f"{self._operation} {data.scenario}".encode()) % 5 == 0
        return True


def _schema(described: dict[str, Any], **phases: dict[str, Any]) -> Any:
    return schemathesis.openapi.from_dict(described, config=SchemathesisConfig.from_dict({"phases": phases}))


@cache
def constants() -> FeedbackSources:
    """Return the values in our sources that examples may try."""
    return FeedbackSources(constants_value_source=make_constants_value_source(examples()))


def operations(*mounts: str) -> list[tuple[str, str]]:
    """Return method and path of each operation below the mounts."""
    return [
        (method.upper(), path)
        for path, methods in document()["paths"].items()
        for method in methods
        if path.startswith(mounts) and method != "parameters"
    ]


pytestmark = [pytest.mark.django_db, pytest.mark.hypothesis]

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
    # Answers of a WSGI application are not unpacked.
    headers = {"Accept-Encoding": "identity", **{name: service.headers[name] for name in names}}
    case.call_and_validate(headers=headers, checks=CHECKS, **service.reached)


def fuzz(method: str, path: str, service: Service) -> None:
    """Send the cases of one operation, which are made here.

    schemathesis's own parametrize() makes those of all operations when tests are collected, in every process.
    """
    turns = Turns(f"{method} {path}")

    def send_in_turn(case: Any, service: Service) -> None:
        if turns.has(case):
            send(case, service)

    for schema in schemas():
        test = build_operation_test(
            config=schema.config,
            operation=schema[path][method],
            test_func=send_in_turn,
            given_kwargs={},
            feedback=constants(),
            explicit_settings=quick,
        )
        test(service=service)


@pytest.mark.parametrize(("method", "path"), walked(operations(KEY + "/")))
def test_fuzz_the_key_path(method: str, path: str, service: Service) -> None:
    fuzz(method, path, service)


@pytest.mark.parametrize(("method", "path"), walked(operations("/api/public/", "/api/private/")))
def test_fuzz_the_other_paths(method: str, path: str, service: Service) -> None:
    fuzz(method, path, service)
