"""Texts about the problems of drafts: of every type of steps, with every wrong value, and of every code and reason."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pydantic import BaseModel, ValidationError

from core.types import JsonObject
from core.web.flows.schemas import label_of
from core.web.words.script_texts import TEXTS
from tests.kit.cast import Cast
from tests.kit.html import html_of
from tests.web.helpers import at, enter
from tests.workflows.helpers import edges, node
from workflows.definitions.pages.problem_texts import OF_SETTING, REASONS, WHOLE
from workflows.definitions.pages.problems import LABELS, anchor_of, problem_view
from workflows.graphs.problems import Problems
from workflows.graphs.settings import ErrorPolicy, Schedule, WorkflowConfig
from workflows.nodes.registry import NODE_TYPES

WRONG: tuple[Any, ...] = (
    *(None, "", "x", "x" * 400_000, "{{ nothing", "{{ other.x }}", -1, 0, 1.5, 10**9, True, [], [""], ["x"]),
    *(["x"] * 201, [{}], {}, {"a": 1}, {"amount": 0, "unit": "years"}, {"header": "host"}, [{"id": "a"}, {"id": "a"}]),
)
ROOTS: list[tuple[str, type[BaseModel]]] = [
    ("config", WorkflowConfig),
    ("schedule", Schedule),
    ("onError", ErrorPolicy),
]


def all_problems(model: type[BaseModel], root: str) -> Iterator[tuple[JsonObject, JsonObject]]:
    """Yield each problem of a model without settings, and with each wrong value of each setting."""
    names = model.model_json_schema(by_alias=True).get("properties", {})
    required = dict.fromkeys(names, "x")
    for settings in ({}, *({name: value} for name in names for value in WRONG), required):
        problems = Problems()
        try:
            model.model_validate(settings)
        except ValidationError as error:
            problems.add_invalid(error, "a", root)
        for problem in problems.found:
            yield settings, problem.as_json()


def names_in(schema: Any) -> Iterator[str]:
    """Yield the names of all properties of a schema, at any depth."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for part in schema.values():
            yield from names_in(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from names_in(part)


def raw_names(model: type[BaseModel]) -> set[str]:
    """Return the names of properties that are no labels of forms as well."""
    names = set(names_in(model.model_json_schema(by_alias=True)))
    return {name for name in names if str(LABELS.get(name) or label_of(name, {})).lower() != name}


MODELS = [(type.type, "config", type.config) for type in NODE_TYPES.values()]
MODELS += [("trigger", root, model) for root, model in ROOTS]


@pytest.mark.parametrize(("type", "root", "model"), MODELS, ids=[f"{type}-{root}" for type, root, _ in MODELS])
def test_no_problem_of_a_setting_names_the_schema(type: str, root: str, model: Any) -> None:
    raw = raw_names(model)
    for settings, problem in all_problems(model, root):
        step = {"id": "a", "type": type, "data": {root: settings}}
        text = problem_view(problem, step)["message"]
        assert not text.startswith("Needs"), (settings, text)
        assert text.endswith("."), (settings, text)
        assert not re.search(r"\w_\w|[a-z][A-Z]|config\.|%\(", text), (settings, text)
        words = set(re.findall(r"\w+", text)) - {"for", "at", "name", "then", "a"}
        assert not words & raw, (settings, problem, text)
        assert anchor_of(problem).startswith(f"at-{root}.") or problem["path"] == root


def texts_of(call: ast.Call) -> str:
    """Return the first argument of a call, if it is a text."""
    first = call.args[0] if call.args else None
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def test_each_code_and_reason_has_a_text() -> None:
    codes: set[str] = set()
    reasons: set[str] = set()
    for path in Path("workflows").glob("*/*.py"):
        for part in ast.walk(ast.parse(path.read_text())):
            if not isinstance(part, ast.Call):
                continue
            name = part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
            if name == "PydanticCustomError":
                reasons.add(texts_of(part))
            if name == "add" and ast.unparse(part.func).endswith("problems.add"):
                codes.add(texts_of(part))
                reasons |= {
                    ast.literal_eval(key.value)
                    for key in part.keywords
                    if key.arg == "reason" and isinstance(key.value, ast.Constant)
                }
    codes -= {"", "badValue", "notAdmitted", "changesUnknown"}
    reasons -= {""}
    assert len(codes) > 15
    assert len(reasons) > 30
    assert codes <= {*WHOLE, *OF_SETTING, *REASONS}
    assert reasons <= {*REASONS, *OF_SETTING}


def test_a_problem_leads_to_its_field(cast: Cast) -> None:
    body = {"name": "W", "triggerEventType": "contact.created"}
    steps = [node("trigger", "trigger"), node("a", "wait"), node("b", "note", {"notes": ""})]
    draft = cast.key.post("/workflow", {**body, "nodes": steps, "edges": edges("trigger > a", "a > b")}).data
    client: Client = enter(cast.owner)
    page = html_of(client.get(at(cast.owner, f"workflows/{draft['_id']}")))
    assert TEXTS["problems"] % {"number": 2} in " ".join(page.split())
    link = at(cast.owner, f"workflows/{draft['_id']}/step?node=b")
    assert f'href="{link}#at-config.notes"' in page
    step = html_of(client.get(link))
    assert 'id="at-config.notes"' in step
    assert "Fill in “Note”." in step
