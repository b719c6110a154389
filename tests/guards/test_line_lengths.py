"""Lines of templates, style sheets and scripts stay short enough to be reviewed next to each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from config.data_dir import PROJECT

MAX_LENGTH = 200
"""Characters of a line of a template."""
LONG = 160
"""Characters that a line of a template passes only rarely, and one of a style sheet or script never."""
MAX_LONG_LINES = 9
"""Lines of templates that are longer than LONG. Lower it when the count falls."""
SUBJECT = ".subject.txt"
"""A subject is joined to one line. The text of a mail shows its line breaks, so its paragraphs are a line each."""


def lines(paths: Iterator[Path]) -> list[tuple[str, int]]:
    """Return (place, length) of each line."""
    return [
        (f"{path.relative_to(PROJECT)}:{number}", len(line))
        for path in sorted(paths)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]


def template_lines() -> list[tuple[str, int]]:
    folder = PROJECT / "templates"
    return lines(path for path in folder.rglob("*") if path.suffix == ".html" or path.name.endswith(SUBJECT))


def test_no_line_of_a_template_is_over_the_limit() -> None:
    counted = template_lines()
    assert len(counted) > 5_000
    assert [place for place, length in counted if length > MAX_LENGTH] == []


def test_few_lines_of_templates_are_long() -> None:
    long = [place for place, length in template_lines() if length > LONG]
    assert len(long) <= MAX_LONG_LINES, long


@pytest.mark.parametrize("suffix", [".css", ".js"])
def test_no_line_of_a_style_sheet_or_script_is_long(suffix: str) -> None:
    """Those of libraries are minified, and not the project's."""
    folders = [PROJECT / "core" / "static", PROJECT / "outreach" / "chat" / "widgets"]
    own = (path for folder in folders for path in folder.rglob(f"*{suffix}") if ".min." not in path.name)
    counted = lines(own)
    assert len(counted) > 500
    assert [place for place, length in counted if length > LONG] == []
