"""Documents: links lead somewhere, modules that they name exist, and the tree of the architecture is complete."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from posixpath import normpath

import pytest
from django.conf import settings

from tests.kit.import_alone import PROJECT

ROOT: Path = settings.BASE_DIR
FOLDERS = ("docs", "clients")
"""Folders with documents, in addition to the repository's root."""
GENERATED = {"__pycache__", "node_modules", "migrations"}
CODE_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
ELSEWHERE = re.compile(r"[a-z]+:")
MODULE = re.compile(r"[\w./-]+\.(?:py|html|js|css|toml|conf)")
NAMED_DOCUMENT = re.compile(r"\bdocs/[\w/-]+\.md\b")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
TREE = re.compile(r"^## The tree$.*?^```\n(.*?)^```", re.MULTILINE | re.DOTALL)
FOLDER = re.compile(r"(?<![\w/])([\w-]+)/(?=[\s,;]|$)")
EXAMPLES = {"web/labels/list.html", "tests/web/test_labels.py"}
"""Files of examples in guides."""


@cache
def documents() -> dict[str, str]:
    """Return path -> text of the documents."""
    paths = [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))]
    own = [path for path in paths if not GENERATED & {*path.parts}]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in own}


def anchors(text: str) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a document."""
    titles = HEADING.findall(CODE_BLOCK.sub("", text))
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).strip().lower() for title in titles)
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in plain}


def links() -> Iterator[tuple[str, str]]:
    """Yield (document, target) of each relative link."""
    for name, text in documents().items():
        prose = CODE.sub("", CODE_BLOCK.sub("", text))
        yield from ((name, link) for link in LINK.findall(prose) if not ELSEWHERE.match(link))


def is_broken(document: str, link: str) -> bool:
    """Return whether the link's file or anchor is missing."""
    path, _, anchor = link.partition("#")
    target = normpath(PurePosixPath(document).parent / path) if path else document
    if not (ROOT / target).exists():
        return True
    return bool(anchor) and target in documents() and anchor not in anchors(documents()[target])


@cache
def files() -> tuple[str, ...]:
    """Return the paths of the project's code, templates and settings."""
    folders = [*PROJECT, "tests", "templates", "benchmarks", "clients", "docs"]
    paths = [*ROOT.glob("*.*"), *(path for folder in folders for path in (ROOT / folder).rglob("*.*"))]
    return tuple(f"/{path.relative_to(ROOT)}" for path in paths)


def packages(app: str) -> set[str]:
    """Return the folders right inside an app that hold modules, and those inside the themes of outreach."""
    folders = [path for path in (ROOT / app).iterdir() if path.name not in GENERATED and [*path.glob("*.py")]]
    themes = folders if app == "outreach" else []
    inside = [path for theme in themes for path in theme.iterdir() if (path / "__init__.py").exists()]
    return {path.name for path in [*folders, *inside]}


def drawn(text: str) -> dict[str, set[str]]:
    """Return top-level folder -> the folders in it, by the tree of the architecture's page."""
    tree = TREE.search(text)
    assert tree, "the page has no tree"
    folders: dict[str, set[str]] = {}
    app = ""
    for line in tree[1].splitlines():
        names = FOLDER.findall(line)
        if not line.startswith(" "):
            app = names.pop(0)
            folders[app] = set()
        folders[app] |= {*names}
    return folders


def test_links_lead_to_files_and_headings() -> None:
    known = [*links()]
    assert len(known) > 300
    assert [f"{document}: {link}" for document, link in known if is_broken(document, link)] == []


@pytest.mark.parametrize("link", ["missing.md", "web.md#missing", "#missing", "../missing/"])
def test_the_guard_finds_broken_links(link: str) -> None:
    assert is_broken("docs/web.md", link)
    assert not is_broken("docs/web.md", "web.md#rules")


def test_modules_that_documents_name_exist() -> None:
    named = {
        (document, name)
        for document, text in documents().items()
        for name in CODE.findall(CODE_BLOCK.sub("", text))
        if MODULE.fullmatch(name) and name not in EXAMPLES
    }
    assert len(named) > 300
    missing = [f"{document}: {name}" for document, name in named if not any(f.endswith(f"/{name}") for f in files())]
    assert sorted(missing) == []


def test_documents_that_modules_name_exist() -> None:
    named = {
        (str(path.relative_to(ROOT)), name)
        for app in PROJECT
        for path in (ROOT / app).rglob("*.py")
        for name in NAMED_DOCUMENT.findall(path.read_text(encoding="utf-8"))
    }
    assert len(named) > 20
    assert [f"{module}: {name}" for module, name in sorted(named) if not (ROOT / name).exists()] == []


def test_the_architecture_draws_each_folder() -> None:
    tree = drawn(documents()["docs/architecture.md"])
    for app in PROJECT:
        assert len(packages(app)) > 5
        assert packages(app) - tree[app] == set(), app


def test_the_architecture_draws_no_folder_that_is_gone() -> None:
    for app, folders in drawn(documents()["docs/architecture.md"]).items():
        present = {path.name for path in (ROOT / app).rglob("*") if path.is_dir()}
        assert folders - present == set(), app


def test_the_guard_reads_trees() -> None:
    text = "## The tree\nBelow.\n```\ncore/   the base\n  api/ lists/   views\ndocs/   a page, api/\n```\n"
    assert drawn(text) == {"core": {"api", "lists"}, "docs": {"api"}}
