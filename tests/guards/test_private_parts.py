"""Private parts of libraries stand in a few marked modules, which say the version that was read."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from inspect import isclass, isroutine
from pkgutil import walk_packages
from typing import Any

import pytest

from config.data_dir import PROJECT
from tests.guards.test_names import PRODUCT

PUBLIC = {
    "_asdict": "collections.namedtuple",
    "_base_manager": "Django, Managers",
    "_db": "Django, Managers",
    "_default_manager": "Django, Managers",
    "_exit": "os",
    "_fields": "collections.namedtuple",
    "_make": "collections.namedtuple",
    "_meta": "Django, Model _meta API",
    "_replace": "collections.namedtuple",
    "_state": "Django, Model instance reference",
}
"""Name -> the documentation by which it is public, despite its underscore."""
MARK = re.compile(r"Private parts of ([\w-]+) (\d[\w.]*)")
MARKED_TWICE = {"django": "a database backend overrides methods in its own class"}
"""Library with two marked modules -> reason."""
FIRST_ARGUMENTS = {"self", "cls"}

Access = tuple[int, str]


def is_private(name: str) -> bool:
    """Return whether a name is private; those of the form _name_ are Python's own, of enums."""
    return name.startswith("_") and not name.startswith("__") and not name.endswith("_") and name not in PUBLIC


def defined(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a module defines: functions, classes, variables and attributes of self."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_own(node.value):
            yield node.attr


def _is_own(value: ast.expr) -> bool:
    """Return whether an attribute is one of the object itself: of self, cls or super()."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id == "super"
    return isinstance(value, ast.Name) and value.id in FIRST_ARGUMENTS


def foreign(tree: ast.AST, own: set[str], everywhere: set[str]) -> Iterator[Access]:
    """Yield (line, name) of each use of a private name that the module (own) or the product does not define."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            if node.attr not in (everywhere if _is_own(node.value) else own):
                yield node.lineno, node.attr
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] not in PRODUCT:
            for part in (*(node.module or "").split("."), *(alias.name for alias in node.names)):
                if is_private(part):
                    yield node.lineno, part
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("attr"):
            for argument in node.args[1:2]:
                name = argument.value if isinstance(argument, ast.Constant) else ""
                if isinstance(name, str) and is_private(name) and name not in own:
                    yield node.lineno, name


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    paths = (path for package in PRODUCT for path in sorted((PROJECT / package).rglob("*.py")))
    return {path.relative_to(PROJECT).as_posix(): ast.parse(path.read_text()) for path in paths}


@pytest.fixture(scope="module")
def marks(trees: dict[str, ast.Module]) -> dict[str, list[tuple[str, str]]]:
    """Return module -> the libraries and versions that its docstring names."""
    found = {module: MARK.findall(ast.get_docstring(tree) or "") for module, tree in trees.items()}
    return {module: libraries for module, libraries in found.items() if libraries}


def test_private_names_of_libraries_are_used_in_marked_modules(
    trees: dict[str, ast.Module], marks: dict[str, list[tuple[str, str]]]
) -> None:
    own = {module: set(defined(tree)) for module, tree in trees.items()}
    everywhere = set().union(*own.values())
    used = {
        module: [f"{module}:{line} {name}" for line, name in foreign(tree, own[module], everywhere)]
        for module, tree in trees.items()
        if "/migrations/" not in module
    }
    assert sorted(use for module, uses in used.items() if module not in marks for use in uses) == []
    assert sum(len(uses) for module, uses in used.items() if module in marks) >= 15, "the guard finds nothing"


def test_a_library_has_one_marked_module(marks: dict[str, list[tuple[str, str]]]) -> None:
    modules = Counter(library for libraries in marks.values() for library, _ in libraries)
    assert {library for library, number in modules.items() if number > 1} == MARKED_TWICE.keys()


def test_the_version_that_was_read_is_the_installed_one(marks: dict[str, list[tuple[str, str]]]) -> None:
    pins = dict(re.findall(r"^([\w.-]+)(?:\[[^]]*\])?==(\S+)", (PROJECT / "requirements.txt").read_text(), re.M))
    read = {(module, library, version) for module, libraries in marks.items() for library, version in libraries}
    outdated = [
        f"{module}: {library} {version}, now {pins.get(library)}"
        for module, library, version in sorted(read)
        if pins.get(library) != version.rstrip(".")
    ]
    assert outdated == [], "read what these modules use again, and name the version"


def _own_routines(module: Any) -> Iterator[tuple[type, str]]:
    """Yield the classes of a module with their private methods."""
    for candidate in vars(module).values():
        if isclass(candidate) and candidate.__module__ == module.__name__:
            for name, value in vars(candidate).items():
                if is_private(name) and (isroutine(value) or isinstance(value, property | classmethod | staticmethod)):
                    yield candidate, name


def test_private_methods_of_libraries_are_overridden_in_marked_modules(marks: dict[str, list[tuple[str, str]]]) -> None:
    overridden: dict[str, list[str]] = {}
    for package in PRODUCT:
        for info in walk_packages(import_module(package).__path__, f"{package}."):
            path = f"{info.name.replace('.', '/')}.py"
            if info.ispkg or info.name.endswith("__main__") or not (PROJECT / path).exists():
                continue
            for owner, name in _own_routines(import_module(info.name)):
                libraries = (base for base in owner.__mro__[1:] if base.__module__.split(".")[0] not in PRODUCT)
                if any(name in vars(base) for base in libraries):
                    overridden.setdefault(path, []).append(f"{path}: {owner.__name__}.{name}")
    assert sorted(line for path, lines in overridden.items() if path not in marks for line in lines) == []
    assert "core/tenancy/postgresql/base.py" in overridden, "the guard finds nothing"


@pytest.mark.parametrize(
    "code",
    [
        "request._request.POST",
        "response._content = b''",
        "class Client(Base):\n    def ask(self):\n        return self._fetch_hidden()",
        "from library._core import thing",
        "getattr(output, '_declared_fields', {})",
    ],
)
def test_the_guard_finds_a_private_name(code: str) -> None:
    tree = ast.parse(code)
    own = set(defined(tree))
    assert len(list(foreign(tree, own, own))) == 1


@pytest.mark.parametrize(
    "code",
    ["Contact._meta.get_field('name')", "class Pool:\n    def __init__(self):\n        self._size = 1\n\nPool()._size"],
)
def test_the_guard_accepts_documented_and_own_names(code: str) -> None:
    tree = ast.parse(code)
    own = set(defined(tree))
    assert list(foreign(tree, own, own)) == []
