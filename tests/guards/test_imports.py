"""Each module of the project can be imported first in a process: no two need each other while they are imported."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from django.conf import settings

from tests.kit.examples import walked
from tests.kit.import_alone import PROJECT

EVERY = 150
"""Of how many modules one is imported alone: that takes a second for each, and the graph of imports covers all."""
Graph = Mapping[str, set[str]]


@cache
def modules() -> dict[str, Path]:
    """Return the modules of the project by their names, without migrations."""
    found = (path for app in PROJECT for path in (settings.BASE_DIR / app).rglob("*.py"))
    named = {path: path.relative_to(settings.BASE_DIR).with_suffix("").parts for path in found}
    return {
        ".".join(parts).removesuffix(".__init__"): path for path, parts in named.items() if "migrations" not in parts
    }


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports that run while a module is imported: none of functions, none for type checkers alone."""
    for one in body:
        if isinstance(one, ast.Import | ast.ImportFrom):
            yield one
        elif isinstance(one, ast.If) and "TYPE_CHECKING" in ast.unparse(one.test):
            yield from statements(one.orelse)
        elif not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            for part in ("body", "orelse", "finalbody"):
                yield from statements(getattr(one, part, ()))
            for handler in getattr(one, "handlers", ()):
                yield from statements(handler.body)


def needed(name: str, source: str, known: Iterable[str]) -> set[str]:
    """Return the modules that one needs before it is complete, with the packages that these are in.

    The packages that it is in itself are left out: they begin before it, and need not have ended. The URL confs that
    `include` names are imported as well.
    """
    found = set(re.findall(r'\binclude\("([\w.]+)"\)', source))
    for one in statements(ast.parse(source).body):
        if isinstance(one, ast.Import):
            names = [alias.name for alias in one.names]
        else:
            inner = [f"{one.module}.{alias.name}" for alias in one.names]
            names = [each if each in known else str(one.module) for each in inner]
        for each in names:
            parts = each.split(".")
            packages = {".".join(parts[:length]) for length in range(1, len(parts))}
            found |= {each, *(package for package in packages if not name.startswith(f"{package}."))}
    return {one for one in found if one in known and one != name}


def circle_in(graph: Graph) -> list[str]:
    """Return modules that need each other in a circle, or nothing."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_need_each_other() -> None:
    known = modules()
    graph = {name: needed(name, path.read_text(), known) for name, path in known.items()}
    assert len(graph) > 1500
    assert sum(map(len, graph.values())) > 8000
    assert {"workflows.engine.plans", "workflows.engine.writing"} <= graph["workflows.engine.limits.places"]
    assert circle_in(graph) == []


@pytest.mark.parametrize(
    ("sources", "found"),
    [
        ({"p.a": "from p.b import x", "p.b": "from p import a"}, {"p.a", "p.b"}),
        (
            {"p.a": "try:\n import p.b\nexcept E: pass", "p.b": "from p.c import x", "p.c": "import p.a"},
            {"p.a", "p.b", "p.c"},
        ),
        ({"p": "from p.a import x", "p.a": "from p import y"}, {"p", "p.a"}),
        ({"p": "from p.a import x", "p.a": "y = 1"}, set()),
        ({"p.a": "from p.b import x", "p.b": 'include("p.a")'}, {"p.a", "p.b"}),
        ({"p.a": "from p.b import x", "p.b": "def f():\n from p import a"}, set()),
        ({"p.a": "from p.b import x", "p.b": "if TYPE_CHECKING:\n from p import a"}, set()),
        ({"p.a": "import os", "p.b": "from p import a"}, set()),
    ],
)
def test_circles_are_found(sources: dict[str, str], found: set[str]) -> None:
    known = {"p", *sources}
    assert {*circle_in({name: needed(name, source, known) for name, source in sources.items()})} == found


def test_modules_are_imported_alone(tmp_path: Path) -> None:
    """And a pair that needs each other is refused, so that the way of trying is right."""
    (tmp_path / "first_of_two.py").write_text("from second_of_two import one\n\nother = 1\n")
    (tmp_path / "second_of_two.py").write_text("from first_of_two import other\n\none = 1\n")
    names = walked(sorted(modules())[::EVERY])
    assert len(names) >= 3
    path = os.pathsep.join([str(tmp_path), str(settings.BASE_DIR)])
    done = subprocess.run(
        [sys.executable, "-m", "tests.kit.import_alone", *names, "first_of_two"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["first_of_two"], done.stdout


@pytest.mark.parametrize(
    "program", ["crm/imports/readers/convert.py", "outreach/connections/ocr/providers/local_process.py"]
)
def test_programs_that_run_by_their_path_import_nothing_of_the_project(program: str) -> None:
    tree = ast.parse((settings.BASE_DIR / program).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {name.name for node in imports if isinstance(node, ast.Import) for name in node.names}
    names |= {node.module or "" for node in imports if isinstance(node, ast.ImportFrom)}
    assert len(names) > 3
    assert {name.partition(".")[0] for name in names} & {*PROJECT} == set()
