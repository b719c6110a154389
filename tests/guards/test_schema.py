"""The published schema speaks of the API, in words of its users, and gives generated clients models with names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from config.api_docs.programs import of_programs
from tests.kit.check_schema import problems
from tests.kit.openapi import document

INTERNAL = re.compile(
    r"snake_case|camelCase|allowlist|serializer|queryset|dataclass|docstring|raw body|__|<class"
    r"|\b(?:Python|Django|DRF|None|self|def)\b"
    r"|\b(?:core|accounts|billing|crm|outreach|workflows|config)\.[a-z_]+\.[A-Za-z_]+"
)
"""Words of the code, and paths of its modules."""


def texts(part: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield where each text for readers is, and the text."""
    if isinstance(part, dict):
        for name, inner in part.items():
            if name in ("description", "summary", "title") and isinstance(inner, str):
                yield path, inner
            else:
                yield from texts(inner, f"{path}/{name}")
    elif isinstance(part, list):
        for index, inner in enumerate(part):
            yield from texts(inner, f"{path}/{index}")


def keys(part: Any) -> Iterator[str]:
    """Yield the names of all members."""
    if isinstance(part, dict):
        for name, inner in part.items():
            yield name
            yield from keys(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from keys(inner)


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    return [(method, path, found) for path, item in document()["paths"].items() for method, found in item.items()]


def test_no_text_speaks_of_the_code() -> None:
    found = list(texts(document()))
    assert len(found) > 3000
    assert [(path, text[:100]) for path, text in found if INTERNAL.search(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "A body: camelCase names become snake_case, an unknown key is an error.",
        "hand the raw body to core.lists.BulkSelection.parse.",
        "None: the default.",
    ],
)
def test_words_of_the_code_are_recognized(text: str) -> None:
    assert INTERNAL.search(text)


def test_there_are_no_marks_of_the_generator() -> None:
    assert {name for name in keys(document()) if name.startswith("x-")} == set()


def test_every_operation_is_described_tagged_and_says_how_it_authenticates() -> None:
    tags = {tag["name"]: tag["description"] for tag in document()["tags"]}
    assert all(tags.values())
    for method, path, operation in operations():
        where = f"{method} {path}"
        assert operation["summary"], where
        assert operation["description"], where
        assert set(operation["tags"]) <= tags.keys(), where
        assert bool(operation["security"]) is not path.startswith("/api/public/"), where
    ids = [operation["operationId"] for _, _, operation in operations()]
    assert len(set(ids)) == len(ids)


def test_the_schema_names_its_server_and_who_runs_it(settings: Any) -> None:
    assert [server["url"] for server in document()["servers"]] == [settings.BASE_URL]
    assert document()["info"]["contact"]["url"] == settings.BASE_URL


def test_bodies_and_answers_are_components_with_names() -> None:
    found = 0
    for method, path, operation in operations():
        for part in (operation.get("requestBody", {}), *operation["responses"].values()):
            for media, content in part.get("content", {}).items():
                if media == "application/json":
                    assert content["schema"].keys() == {"$ref"}, f"{method} {path}"
                    found += 1
    assert found > 2000


def test_no_boolean_is_a_constant() -> None:
    def constants(part: Any) -> Iterator[Any]:
        if isinstance(part, dict):
            yield from (value for value in (part.get("const"), *part.get("enum", ())) if isinstance(value, bool))
            for inner in part.values():
                yield from constants(inner)
        elif isinstance(part, list):
            for inner in part:
                yield from constants(inner)

    # Examples of parameters may have such members as data.
    assert list(constants(document()["components"]["schemas"])) == []


def test_a_filter_tree_is_one_recursive_component() -> None:
    schemas = document()["components"]["schemas"]
    tree = {"$ref": "#/components/schemas/FilterTree"}
    assert schemas["FilterGroup"]["properties"]["conditions"]["items"] == tree
    assert [one["$ref"].rpartition("/")[2] for one in schemas["FilterTree"]["oneOf"]] == [
        "FilterCondition",
        "FilterGroup",
    ]
    inline = [name for name, schema in schemas.items() if "conditions" in schema.get("properties", {})]
    assert inline == ["FilterGroup"]
    assert schemas["SegmentCreateRequest"]["properties"]["advancedFilters"]["allOf"] == [tree]


def test_the_part_of_programs_is_valid_and_the_validator_sees_repeated_types() -> None:
    part = of_programs(document())
    small = {**part, "paths": {path: item for path, item in part["paths"].items() if path.endswith("/tag")}}
    assert problems(small) == []
    wrong = {"type": ["string", "null", "null"]}
    broken = {**small, "components": {**small["components"], "schemas": {**small["components"]["schemas"], "X": wrong}}}
    assert len(problems(broken)) == 1
