"""Each module that registers something is loaded when its app is ready, in a fixed order, and by nothing else."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from django.apps import AppConfig, apps
from django.conf import settings

from core.registrations import module_names
from core.reports import REPORTS
from outreach.insights.reports.serializers import TileInput
from tests.kit.import_alone import PROJECT

ROOT: Path = settings.BASE_DIR
APPS = ("core", "accounts", "billing", "crm", "outreach", "workflows")


def imports_registrations(source: str) -> bool:
    """Return whether a module imports a `registrations` module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        if any("registrations" in name.split(".") for name in names if not name.startswith("core.registrations")):
            return True
    return False


@pytest.mark.parametrize("label", APPS)
def test_an_app_loads_all_its_registrations(label: str) -> None:
    names = module_names(apps.get_app_config(label))
    paths = [*(ROOT / label).rglob("registrations.py")]
    assert len(names) == len({*names}) == len(paths) > 2
    assert {*names} <= {*sys.modules}


@pytest.mark.parametrize("label", APPS)
def test_an_app_has_the_admins_of_all_its_domains(label: str) -> None:
    names = module_names(apps.get_app_config(label), "*admin")
    assert len(names) > 2
    assert {*names} <= {*sys.modules}


def test_domains_come_in_order_and_the_app_last(tmp_path: Path) -> None:
    for name in ("b/registrations", "b/tasks", "a/c/registrations", "registrations", "z/views"):
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    class Config(AppConfig):
        name = "example"
        path = str(tmp_path)

    names = module_names(Config("example", sys.modules[__name__]))
    assert names == ["example.a.c.registrations", "example.b.registrations", "example.registrations"]


def test_views_that_read_the_registries_are_imported_when_all_apps_are_ready() -> None:
    choices = TileInput().fields["reportType"].choices
    assert [*choices] == [*REPORTS]
    assert {"leads", "outreach", "workflows"} <= {*choices}


def test_nothing_imports_registrations() -> None:
    sources = {path: path.read_text(encoding="utf-8") for app in PROJECT for path in (ROOT / app).rglob("*.py")}
    assert len(sources) > 1500
    assert [str(path.relative_to(ROOT)) for path, source in sources.items() if imports_registrations(source)] == []


@pytest.mark.parametrize(
    "source",
    ["import crm.tags.registrations", "from crm.tags import registrations", "from crm.tags.registrations import x"],
)
def test_the_guard_finds_imports(source: str) -> None:
    assert imports_registrations(source)
    assert not imports_registrations("from core.registrations import load")
