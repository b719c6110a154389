"""Error texts are in people's words: choices are listed, and nothing is written as Python writes it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from rest_framework import serializers

from core.api.input import Input, _reword
from core.errors import shorten
from tests.guards.routes import Operation, operations
from tests.kit.cast import Caller, Cast
from tests.kit.examples import EVERY, walked

MISSING = "f" * 24
PYTHON = re.compile(
    r"\{'|\['|\{\"\w+\": None|\bNone\b|\bTrue\b|\bFalse\b|<class|NoneType|got type \"|\bdict\b|\btuple\b|__\w+__"
)
"""What only Python writes: a dictionary or list with single quotes, None, True, names of types."""
HOSTILE: tuple[Any, ...] = (
    *({"email": None}, ["a", None], True, None, 5.5, "zz", [{"a": ["b"]}], [["x"]], {"_id": []}, [True], "", -1, {}),
)


def callers(cast: Cast, operation: Operation) -> Caller:
    """The caller of an operation, on its path."""
    if operation.path.startswith("api/key/"):
        return Caller("", cast.key.headers)
    return Caller("", {} if operation.path.startswith("api/public/") else cast.session.headers)


def wrong_bodies(operation: Operation, turn: int, step: int) -> list[dict[str, Any]]:
    """Bodies with a hostile value in one field each."""
    fields = [*operation.endpoint.input().fields] if operation.endpoint.input else []
    return [{name: value} for place, name in enumerate(fields) for value in HOSTILE[(turn + place) % step :: step]]


def spoken(body: Any) -> str:
    """The texts of an error for people."""
    return " ".join([body["message"], body["warning"], *(one["message"] for one in body.get("errors", ()))])


def try_all(cast: Cast, subtests: pytest.Subtests, step: int) -> int:
    tried = 0
    for turn, operation in enumerate(walked(one for one in operations("api/") if "/key/" not in one.path)):
        address, caller = operation.address(*[MISSING] * len(operation.parameters)), callers(cast, operation)
        with subtests.test(str(operation)):
            for body in wrong_bodies(operation, turn, step):
                answer = caller.call(operation.method, address, body)
                tried += 1
                if answer.status >= 400 and isinstance(answer.body, dict):
                    found = PYTHON.search(spoken(answer.body))
                    assert found is None, (body, answer.body)
    return tried


@pytest.mark.undescribed("bodies that nobody would send")
def test_no_error_text_is_written_as_python_writes(cast: Cast, subtests: pytest.Subtests) -> None:
    assert try_all(cast, subtests, step=13) > 500 // EVERY


@pytest.mark.slow
@pytest.mark.undescribed("bodies that nobody would send")
def test_no_error_text_of_any_hostile_value_is_written_as_python_writes(cast: Cast, subtests: pytest.Subtests) -> None:
    assert try_all(cast, subtests, step=1) > 5000


def test_values_of_forms_are_described_in_words(cast: Cast) -> None:
    kinds = ("text", "number", "textarea", "select", "multi-select", "checkbox", "date", "email", "phone", "url")
    options = [{"label": "Red", "value": "red"}]
    keys = {
        cast.key.post(
            "/custom-field",
            {"name": f"Field {kind}", "fieldType": kind, **({"options": options} if "select" in kind else {})},
        ).data["_id"]: kind
        for kind in kinds
    }
    refused = 0
    for key, kind in keys.items():
        for value in HOSTILE:
            for path, form in (("/contact", {key: value}), ("/contact/bulk", [{"email": "a@example.com", key: value}])):
                answer = cast.key.post(path, {"formData": form})
                texts = [spoken(answer.body)] if answer.status >= 400 else []
                texts += [one["warning"] for one in (answer.body.get("data") or {}).get("failed", ())]
                for text in texts:
                    assert PYTHON.search(text) is None, (value, text)
                    assert f"{key}: Field {kind}: " in text or key not in text, text
                    refused += 1
    assert refused > 100


class Inner(Input):
    size = serializers.IntegerField()


class Body(Input):
    color = serializers.ChoiceField(choices=["red", "{blue}"])
    colors = serializers.ListField(child=serializers.ChoiceField(choices=["red"]))
    inner = Inner(required=False)
    many = Inner(many=True, required=False)
    names = serializers.DictField(required=False)


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({"color": "zz", "colors": []}, {"color": "needs to be one of red, {blue}"}),
        ({"color": {"a": 1}, "colors": "red"}, {"color": "needs to be one of", "colors": "needs to be an array"}),
        ({"color": "red", "colors": ["zz"]}, {"colors": "needs to be one of red"}),
        ({"color": "red", "colors": [], "inner": []}, {"inner": "needs to be an object"}),
        ({"color": "red", "colors": [], "many": {}}, {"many": "needs to be an array"}),
        ({"color": "red", "colors": [], "many": ["x"]}, {"many": "needs to be an object"}),
        ({"color": "red", "colors": [], "names": []}, {"names": "needs to be an object"}),
    ],
)
def test_errors_list_choices_and_name_types_as_json_does(body: dict[str, Any], errors: dict[str, str]) -> None:
    schema = Body(data=body)
    assert not schema.is_valid()
    for name, text in errors.items():
        assert text in str(schema.errors[name])


def test_very_many_choices_are_cut() -> None:
    field = serializers.ChoiceField(choices=[f"c{number}" for number in range(80)])
    _reword(field)
    assert field.error_messages["invalid_choice"].endswith("c49 … (80 in all)")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"email": None}, '{"email":null}'),
        (["a", True], '["a",true]'),
        (None, "null"),
        (True, "true"),
        (5, "5"),
        ("it's", "it's"),
    ],
)
def test_values_are_repeated_as_json(value: Any, text: str) -> None:
    assert shorten(value) == text
