"""docs/settings.md lists each variable of the environment that settings read."""

from __future__ import annotations

import re
from pathlib import Path

from django.conf import settings

ROOT: Path = settings.BASE_DIR
READ = re.compile(r'\b(?:env|read_choice|base_urls|read_secret|environ\.get)(?:\.[a-z]+)?\(\s*f?"([A-Z][A-Z0-9_]+)"')
DOCUMENTED = re.compile(r"`([A-Z][A-Z0-9_]+)`")
READERS = ("env", "data_dir", "servers", "web_threads")
"""Modules of config that read the environment for the settings."""
ELSEWHERE = {"BACKUP_PASSPHRASE", "BACKUP_PASSPHRASE_FILE", "PG_BIN", "WEB_CONCURRENCY", "WORKER_CONCURRENCY"}
"""Variables that programs read themselves, not the settings."""


def read_variables() -> set[str]:
    """Return the names of the variables that settings read, but those of payment gateways."""
    files = [*(ROOT / "config" / "settings").glob("*.py"), *(ROOT / "config" / f"{name}.py" for name in READERS)]
    return {name for file in files for name in READ.findall(file.read_text(encoding="utf-8"))}


def documented_variables() -> set[str]:
    """Return the variables that the first column of the table names, but those of payment gateways."""
    rows = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8").splitlines()
    names = {name for row in rows if row.startswith("| `") for name in DOCUMENTED.findall(row.split("|")[1])}
    return {name for name in names if not name.startswith("GATEWAY_")}


def test_each_variable_that_settings_read_is_documented() -> None:
    assert len(read_variables()) > 60
    assert read_variables() - documented_variables() == set()


def test_each_documented_variable_is_read() -> None:
    assert documented_variables() - read_variables() == ELSEWHERE


def test_each_concern_contributes_its_settings() -> None:
    """Names that a module would lose without its line in config/settings/__init__.py."""
    modules = {file.stem for file in (ROOT / "config" / "settings").glob("*.py")} - {"__init__"}
    package = (ROOT / "config" / "settings" / "__init__.py").read_text(encoding="utf-8")
    assert {*re.findall(r"^from config\.settings\.(\w+) import \*$", package, re.MULTILINE)} == modules
