"""The guides: Markdown files of docs/api, rendered once, with links that lead within the pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import PurePosixPath
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.api.refusals import NAMES as NAMES_WITHOUT_TEXT
from core.messages.defaults import DEFAULTS

FOLDER = settings.BASE_DIR / "docs" / "api"
GUIDES = {
    "quick-start": "Quick start",
    "authentication": "Authentication",
    "errors": "Errors",
    "lists": "Lists: pages and order",
    "filters": "Filters and search",
    "idempotency": "Repeating a request",
    "concurrency": "Not overwriting others",
    "limits": "Limits",
    "webhooks": "Webhooks",
    "feed": "The feed of events",
    "files": "Files and imports",
    "clients": "Clients",
    "changes": "Changes and versions",
}
"""Names of the files and titles, in the order of reading."""
NAMES = "NAMES-OF-ERRORS"
"""The paragraph of a guide in whose place the table of names stands."""
TABLE = '<div class="table" tabindex="0" role="region" aria-label="%s">'
ELSEWHERE = re.compile(r"[a-z]+:|/|#")


@dataclass(frozen=True)
class Guide:
    """A guide as the pages show it."""

    key: str
    title: str
    summary: SafeString
    """Its first paragraph, without links."""
    content: SafeString
    headings: tuple[tuple[str, str], ...]
    """Anchors and titles."""
    text: str

    def has(self, terms: list[str]) -> bool:
        """Return whether all of the words are in it."""
        return all(word in self.text for word in terms)


@cache
def guides() -> list[Guide]:
    """Return all guides."""
    return [_read(key) for key in GUIDES]


def page_of(key: str) -> Guide | None:
    """Return the guide of this name."""
    return next((guide for guide in guides() if guide.key == key), None)


def _read(key: str) -> Guide:
    text = (FOLDER / f"{key}.md").read_text(encoding="utf-8")
    # No raw HTML passes: `html` escapes it.
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    headings = list(_add_anchors(tokens))
    for token in _with_children(tokens):
        if token.type == "link_open":
            token.attrSet("href", _address(str(token.attrGet("href"))))
    _make_scrollable(parser)
    content = parser.renderer.render(tokens, parser.options, {}).replace(f"<p>{NAMES}</p>", _names())
    summary = next(
        _render_without_links(token)
        for token, before in zip(tokens[1:], tokens, strict=False)
        if before.type == "paragraph_open"
    )
    plain = f"{GUIDES[key]} {text}".lower()
    return Guide(key, GUIDES[key], summary, mark_safe(content), tuple(headings), plain)  # noqa: S308  files of ours


def _with_children(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from token.children or ()


def _render_without_links(paragraph: Token) -> SafeString:
    """Return a paragraph as HTML in which only code is marked, to stand within a link."""
    pieces = []
    for token in paragraph.children or ():
        text = " " if token.type in ("softbreak", "hardbreak") else escape(token.content)
        pieces.append(f"<code>{text}</code>" if token.type == "code_inline" else text)
    return mark_safe("".join(pieces))  # noqa: S308  escaped here


def _add_anchors(tokens: list[Token]) -> Iterator[tuple[str, str]]:
    """Give each heading an anchor, and yield those of the second level."""
    for token, after in zip(tokens, tokens[1:], strict=False):
        if token.type == "heading_open":
            anchor = slugify(after.content)
            token.attrSet("id", anchor)
            if token.tag == "h2":
                yield anchor, after.content.replace("`", "")


def _address(link: str) -> str:
    """Return where a link of a file leads on the pages: to another guide, or to the operations."""
    if ELSEWHERE.match(link):
        return link
    path, _, anchor = link.partition("#")
    key = PurePosixPath(path).stem
    target = reverse("docs-guide", args=[key]) if key in GUIDES else reverse("docs")
    return f"{target}#{anchor}" if anchor else target


def _make_scrollable(parser: MarkdownIt) -> None:
    """Wrap wide tables, and let keys reach code that is wider than its box."""

    def fence(renderer: Any, tokens: list[Token], position: int, options: Any, env: Any) -> str:
        language = tokens[position].info.strip() or "text"
        return (
            f'<pre tabindex="0" role="region" aria-label="{escape(language)}">{escape(tokens[position].content)}</pre>'
        )

    parser.add_render_rule("fence", fence)
    parser.add_render_rule("table_open", lambda *_: f"{TABLE % 'Table'}<table>")
    parser.add_render_rule("table_close", lambda *_: "</table></div>")


def _names() -> str:
    """Return the table of the errors' names, with their statuses and texts."""
    catalogue = [(status, name, text) for name, (status, text) in DEFAULTS.items() if status >= 400]
    others = [(int(name.rpartition("_")[2]), name, meaning) for name, meaning in NAMES_WITHOUT_TEXT.items()]
    failures = sorted([*catalogue, *others])
    rows = "".join(
        f'<tr><th scope="row"><code>{escape(name)}</code></th><td>{status}</td><td>{escape(text)}</td></tr>'
        for status, name, text in failures
    )
    head = '<tr><th scope="col">Name</th><th scope="col">Status</th><th scope="col">Text</th></tr>'
    return f"{TABLE % 'Names'}<table><thead>{head}</thead><tbody>{rows}</tbody></table></div>"
