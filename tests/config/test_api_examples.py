"""The examples of /api/docs: each printed body is taken, and each example answer has the shape of the schema."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from jsonschema_rs import Draft202012Validator

from config.api_docs.calls import PAGE, call_of, example_of
from config.api_docs.examples import BY_MOUNT, NEEDS, PARAMETER, TREE, TREES, body_of
from config.api_docs.operations import KEY, Line, Mount, describe_operations, groups, schema_of
from config.api_docs.parts import Reader
from config.api_docs.samples import Sampler
from core.api.routers import Operation
from tests.config.examples_world import ABSENT, REFUSED, ROUTERS, World, make_world, path_of
from tests.kit.cast import Answer
from tests.kit.examples import walked
from tests.kit.rows import kept_for_module, row

pytestmark = pytest.mark.django_db


def with_bodies() -> list[tuple[str, Operation, Any]]:
    """Return mount, operation and example of each operation with a body.

    They are in the order of their paths: schemas of groups take long, and the pages keep the last few.
    """
    found = []
    for mount, router in ROUTERS.items():
        for operation in sorted(router.operations(), key=lambda one: (path_of(one), one.method)):
            body = body_of(mount, operation.method, path_of(operation), bulk=operation.endpoint.bulk)
            if body is not None:
                found.append((mount, operation, body))
    return found


def sample_of(mount: str, operation: Operation, body: Mapping[str, Any]) -> Any:
    """Return the example answer that the pages print."""
    path = path_of(operation)
    group = next(
        one
        for one in groups().values()
        for line in one.lines
        if (line.method, line.path) == (operation.method, path) and one.mount(KEY).key == mount
    )
    document = schema_of(group, group.mount(KEY))
    return Sampler(document, body).answer(document["paths"][f"/{path}"][operation.method.lower()])


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    with kept_for_module(django_db_blocker):
        yield make_world()


def test_each_printed_body_is_taken(world: World, subtests: pytest.Subtests) -> None:
    """The printed answer has every key of the one that comes."""
    for mount, operation, body in walked(with_bodies()):
        with row(subtests, f"{mount} {operation}"):
            path = path_of(operation)
            answer = world.send(mount, operation.method, path, body)
            expected = REFUSED.get(f"{operation.method} {path}")
            if expected is not None:
                assert expected in str(answer.body), answer.body
                continue
            assert 200 <= answer.status < 300, answer.body
            assert keys_of(answer) <= keys_in(sample_of(mount, operation, body))


def keys_of(answer: Answer) -> set[str]:
    """Return the keys of an answer and of the record in it."""
    return keys_in(answer.body) - {"warning"} if isinstance(answer.body, dict) else set()


def keys_in(body: Any) -> set[str]:
    data = body.get("data") if isinstance(body, dict) else None
    record = data[0] if isinstance(data, list) and data else data
    return {*(body or ()), *(record if isinstance(record, dict) else ())}


def test_what_a_body_is_said_to_need_is_needed(world: World, subtests: pytest.Subtests) -> None:
    for name in walked(NEEDS):
        with row(subtests, name):
            method, _, path = name.partition(" ")
            body = {"type": "temporary"} if path == "api" else {}
            assert world.send("key", method, path, body).status == 400


def test_each_list_is_asked_for_a_page_and_takes_its_tree(world: World, subtests: pytest.Subtests) -> None:
    taken = 0
    for operation in walked(one for one in ROUTERS["key"].operations() if one.listing is not None):
        path = path_of(operation)
        if operation.method != "GET" or operation.parameters or operation.endpoint.list_parameters is not None:
            continue
        with row(subtests, path):
            tree = json.dumps(world.filled(TREES.get(path, TREE)))
            answer = world.cast.key.call("GET", f"/{path}", None, {**PAGE, "advancedFilters": tree})
            assert answer.status == 200, answer.body
            taken += 1
    assert taken > 5


def printed_reads() -> Iterator[tuple[Mount, Line, str]]:
    """Yield the commands of each operation that reads, both forms, as the pages print them."""
    for group in groups().values():
        mount = group.mount(KEY)
        document = schema_of(group, mount)
        for line, operation in describe_operations(group, mount):
            if line.method == "GET" and line.path not in ABSENT:
                names = {one.name for one in Reader(document).parameters(operation)}
                call = call_of(mount, line, operation, names, document)
                yield from ((mount, line, call[form]) for form in ("example", "filtered") if call[form])


def sent(world: World, mount: Mount, line: Line, command: str) -> Answer:
    """Send a printed command that reads, with this company's ids and headers in place of names in capitals."""
    words = shlex.split(command)
    address = urlsplit(words[-1])
    values = [words[place + 1] for place, word in enumerate(words) if word == "--data-urlencode"]
    query = dict(parse_qsl(address.query)) | dict(value.split("=", 1) for value in values)
    if "advancedFilters" in query:
        query["advancedFilters"] = json.dumps(world.filled(json.loads(query["advancedFilters"])))
    shown = address.path.removeprefix(mount.path).split("/")
    segments = line.path.split("/")
    for place, (segment, word) in enumerate(zip(tuple(segments), shown, strict=True)):
        if parameter := PARAMETER.fullmatch(segment):
            own = re.fullmatch("[A-Z_]+", word)
            segments[place] = world.parameter(mount.key, "/".join(segments[:place]), parameter[1]) if own else word
    return world.callers[mount.key].call("GET", "/" + "/".join(segments), None, world.filled(query))


def test_each_printed_command_that_reads_is_answered(world: World, subtests: pytest.Subtests) -> None:
    for mount, line, command in walked(printed_reads()):
        with row(subtests, f"{mount} {line.path} {'filtered' if '-G' in command else 'example'}"):
            answer = sent(world, mount, line, command)
            expected = REFUSED.get(f"GET {line.path}")
            if expected is not None:
                assert expected in str(answer.body), answer.body
            else:
                assert 200 <= answer.status < 300, answer.body.get("warning")


def test_example_answers_and_bodies_have_the_shape_of_the_schema(subtests: pytest.Subtests) -> None:
    checked = 0
    for group in walked(groups().values()):
        mount = group.mount(KEY)
        document = schema_of(group, mount)
        for line, operation in describe_operations(group, mount):
            with subtests.test(f"{mount} {line.method} {line.path}"):
                names = {one.name for one in Reader(document).parameters(operation)}
                body = example_of(mount, line, names).body
                answer = Sampler(document, body or {}).answer(operation)
                if answer is not None:
                    success = next(one for status, one in sorted(operation["responses"].items()) if status < "3")
                    check(answer, success["content"]["application/json"]["schema"], document)
                    checked += 1
    assert checked > 60


def check(value: Any, schema: Mapping[str, Any], document: Mapping[str, Any]) -> None:
    """Raise unless the value is as the schema of a document says."""
    validator = Draft202012Validator({**schema, "components": document.get("components", {})}, validate_formats=True)
    errors = [f"{'/'.join(map(str, one.instance_path))}: {one.message:.200}" for one in validator.iter_errors(value)]
    assert errors == []


def test_no_example_is_left_of_an_operation_that_is_gone() -> None:
    for mount, router in ROUTERS.items():
        known = {f"{one.method} {path_of(one)}" for one in router.operations()}
        assert BY_MOUNT[mount].keys() <= known, mount
    assert REFUSED.keys() <= {
        f"{one.method} {path_of(one)}" for mount in ROUTERS.values() for one in mount.operations()
    }


def test_each_operation_that_needs_a_body_has_an_example() -> None:
    without = [
        f"{mount} {operation}"
        for mount, router in ROUTERS.items()
        for operation in router.operations()
        if operation.endpoint.input is not None
        and not operation.endpoint.multipart
        and any(field.required for field in operation.endpoint.input().fields.values())
        and body_of(mount, operation.method, path_of(operation), bulk=operation.endpoint.bulk) is None
    ]
    assert without == []
