"""The contract's names of messages and its permission modules: each is used, or docs/deviations.md says why not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from django.conf import settings

from core.messages.defaults import FAILURES
from tests.guards.routes import operations
from tests.guards.test_routes import MODULES

APPS = ("core", "accounts", "billing", "crm", "outreach", "workflows", "config")
BEING_BUILT = {
    "MessengerAppNotFound_404",
    "SocialBAccountNotFound_404",
    "SocialBAppNotFound_404",
    "SocialBNoAccessToken_400",
}
"""Names of apps that are on their way."""
MODULES_BEING_BUILT = {"calendar", "my-calendar", "my-videocall", "offline-meeting", "videocall"}
"""Modules of meetings that are on their way."""
ROW = re.compile(r"^\| (\w+_\d{3}) \| (.+) \|$", re.MULTILINE)


class Names(ast.NodeVisitor):
    """The texts of a module, and patterns of those that it puts together; declared `errors` of endpoints aside."""

    def __init__(self) -> None:
        self.texts: set[str] = set()
        self.patterns: set[str] = set()

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg != "errors":
            self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.texts.add(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        parts = (re.escape(str(one.value)) if isinstance(one, ast.Constant) else "[A-Z]" for one in node.values)
        self.patterns.add("".join(parts))
        self.generic_visit(node)


def named() -> Names:
    found = Names()
    for app in APPS:
        for path in (settings.BASE_DIR / app).rglob("*.py"):
            place = path.relative_to(settings.BASE_DIR).parts
            if "migrations" not in place and place[:2] != ("core", "messages"):
                found.visit(ast.parse(path.read_text()))
    return found


def unraised() -> Iterator[str]:
    names = named()
    patterns = [re.compile(one) for one in names.patterns if re.search(r"_\d{3}\Z", one)]
    assert len(patterns) >= 3
    for name in sorted(FAILURES):
        if name not in names.texts and not any(one.fullmatch(name) for one in patterns):
            yield name


def test_every_name_of_the_catalogue_is_raised_or_listed_with_the_reason() -> None:
    listed = dict(ROW.findall((settings.BASE_DIR / "docs" / "deviations.md").read_text()))
    assert len(FAILURES) > 190
    assert set(unraised()) - BEING_BUILT == set(listed)
    assert all(len(reason) > 20 for reason in listed.values())


def test_every_permission_module_opens_an_operation() -> None:
    opened = {module for one in operations("api/protected/") for module in one.modules}
    assert len(MODULES) == 38
    assert set(MODULES) - opened <= MODULES_BEING_BUILT
