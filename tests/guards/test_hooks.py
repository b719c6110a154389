"""Each hook of the project has a purpose and listeners, and docs/hooks.md lists them all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command

from core.hooks import HOOKS, Hook
from tests.kit.import_alone import PROJECT

ROOT: Path = settings.BASE_DIR
DECLARATION = re.compile(r"^(\w+): Hook\[.*\] = Hook\(", re.MULTILINE)
NAME = re.compile(r"[a-z]+(_[a-z]+)+")


def declared() -> Iterator[str]:
    """Yield the paths of the hooks that modules declare."""
    for app in PROJECT:
        for path in (ROOT / app).rglob("*.py"):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            yield from (f"{module}.{name}" for name in DECLARATION.findall(path.read_text(encoding="utf-8")))


@pytest.fixture
def hook() -> Iterator[Hook[[int], int | None]]:
    yield Hook(__name__, "number_given", "For the tests of hooks.")
    del HOOKS[f"{__name__}.number_given"]


def test_hooks_are_attributes_of_their_modules() -> None:
    paths = [*declared()]
    assert len(paths) > 25
    assert sorted(paths) == sorted(HOOKS)
    for hook in HOOKS.values():
        assert getattr(import_module(hook.module), hook.name) is hook
        assert NAME.fullmatch(hook.name), hook.path


def test_hooks_have_a_purpose_and_listeners() -> None:
    for hook in HOOKS.values():
        assert re.fullmatch(r"(After|Before|When) .+\.", hook.purpose), hook.path
        assert hook.listeners, hook.path
        assert len({*hook.listeners}) == len(hook.listeners), hook.path
        names = [listener.__qualname__ for listener in hook.listeners]
        assert not [name for name in names if "<" in name], hook.path


def test_a_page_lists_the_hooks() -> None:
    output = StringIO()
    call_command("list_hooks", stdout=output)
    assert output.getvalue().count("\n| `") == len(HOOKS)
    assert (ROOT / "docs" / "hooks.md").read_text(encoding="utf-8") == output.getvalue()


def test_listeners_are_called_in_order(hook: Hook[[int], int | None]) -> None:
    def double(number: int) -> int | None:
        return number * 2 or None

    @hook.connect
    def negative(number: int) -> int | None:
        return -number

    assert hook.connect(double) is double
    hook.connect(negative)
    assert hook.listeners == [negative, double]
    assert hook.send(3) == [-3, 6]


def test_the_first_answer_counts(hook: Hook[[int], int | None]) -> None:
    assert hook.first(1) is None
    calls: list[str] = []

    def answer_with(name: str, value: int | None) -> Any:
        def listener(number: int) -> int | None:
            calls.append(name)
            return value

        return listener

    for name, value in (("none", None), ("zero", 0), ("one", 1)):
        hook.connect(answer_with(name, value))
    assert hook.first(1) == 0
    assert calls == ["none", "zero"]


def test_an_exception_reaches_the_sender(hook: Hook[[int], int | None]) -> None:
    @hook.connect
    def refuse(number: int) -> int | None:
        raise ValueError(number)

    with pytest.raises(ValueError, match="7"):
        hook.send(7)


def test_a_name_is_taken_once_in_a_module(hook: Hook[[int], int | None]) -> None:
    with pytest.raises(ValueError, match="two hooks"):
        Hook(hook.module, hook.name, "Another one.")
