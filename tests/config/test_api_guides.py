"""The guides of /api/docs: rendered from docs/api, safe, linked, searched; and pages that are made once."""

from __future__ import annotations

import gzip
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client
from django.urls import Resolver404, resolve

from config.api_docs import guides as guides_module
from config.api_docs import pages
from config.api_docs.calls import Call, curl
from config.api_docs.guides import GUIDES, guides
from config.api_docs.operations import KEY, groups, sections
from config.api_docs.parts import Reader, paragraphs
from core.messages.defaults import DEFAULTS
from tests.kit.html import html_of

pytestmark = pytest.mark.django_db
ALLOWED = {"h1", "h2", "h3", "p", "a", "code", "pre", "em", "strong", "ul", "ol", "li", "hr", "br"}
ALLOWED |= {"table", "thead", "tbody", "tr", "th", "td", "div"}


class Tags(HTMLParser):
    """Collects the tags, anchors and links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.anchors: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        values = dict(attrs)
        if values.get("id"):
            self.anchors.add(str(values["id"]))
        if tag == "a":
            self.links.append(str(values["href"]))


def tags_of(content: str) -> Tags:
    found = Tags()
    found.feed(content)
    return found


def test_the_index_leads_to_each_guide() -> None:
    page = Client().get("/api/docs").content.decode()
    for key, title in GUIDES.items():
        assert f'href="/api/docs/guides/{key}"' in page
        answer = Client().get(f"/api/docs/guides/{key}")
        assert (answer.status_code, f"<title>{title} · API" in answer.content.decode()) == (200, True)
        assert "script-src 'self';" in answer["Content-Security-Policy"]
    assert Client().get("/api/docs/guides/nothing").status_code == 404


def test_guides_are_the_files_of_the_folder() -> None:
    assert {path.stem for path in guides_module.FOLDER.glob("*.md")} == GUIDES.keys()


def test_links_of_guides_lead_to_pages_and_anchors_that_are_there() -> None:
    pages_tags = {guide.key: tags_of(guide.content) for guide in guides()}
    followed = 0
    for key, found in pages_tags.items():
        assert found.tags <= ALLOWED, key
        for link in found.links:
            path, _, anchor = link.partition("#")
            target = path.removeprefix("/api/docs/guides/") if path else key
            if path.startswith(("http:", "https:")):
                continue
            if path and not path.startswith("/api/docs/guides/"):
                try:
                    resolve(path)
                except Resolver404:  # pragma: no cover
                    pytest.fail(f"{key}: {link}")
                continue
            assert target in pages_tags, (key, link)
            assert not anchor or anchor in pages_tags[target].anchors, (key, link)
            followed += 1
    assert followed > 10


def test_raw_html_of_a_guide_is_shown_as_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    evil = "# Title\n\nFirst <script>alert(1)</script> [x](javascript:alert(1))\n\n<img src=x onerror=alert(1)>\n"
    (tmp_path / "quick-start.md").write_text(evil)
    monkeypatch.setattr(guides_module, "FOLDER", tmp_path)
    content = guides_module._read("quick-start").content
    assert "&lt;script&gt;" in content
    assert not {"script", "img"} & tags_of(content).tags
    assert tags_of(content).links == []


def test_a_card_shows_the_first_paragraph_without_links_and_marks_its_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "quick-start.md").write_text("# Title\n\nSend `a<b` to\n[the **API**](errors.md).\n\nMore.\n")
    monkeypatch.setattr(guides_module, "FOLDER", tmp_path)
    assert guides_module._read("quick-start").summary == "Send <code>a&lt;b</code> to the API."


def test_the_guide_of_errors_lists_every_name() -> None:
    content = next(guide.content for guide in guides() if guide.key == "errors")
    failures = {name for name, (status, _) in DEFAULTS.items() if status >= 400}
    assert len(failures) > 150
    assert all(f"<code>{name}</code>" in content for name in failures)
    assert guides_module.NAMES not in content


def test_a_search_finds_guides_too() -> None:
    page = html_of(Client().get("/api/docs", {"q": "webhook-signature"}))
    assert 'href="/api/docs/guides/webhooks"><b>Webhooks</b>' in page
    assert "1 guide." in page


def test_the_sections_have_each_group_once() -> None:
    found = [group.key for members in sections().values() for group in members]
    assert sorted(found) == sorted(groups())
    assert all(group.key.startswith("apps-") for group in sections()["Connected apps"])


@pytest.mark.parametrize("path", ["/api/docs", "/api/docs/tag?auth=session", "/api/docs/guides/errors"])
def test_pages_are_made_once_and_not_sent_twice(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Client().get(path)
    assert first["Cache-Control"] == "public, no-cache"
    monkeypatch.setattr(pages, "render_to_string", lambda *_: pytest.fail("the page is made again"))
    packed = Client().get(path, headers={"accept-encoding": "gzip"})
    assert (gzip.decompress(packed.content), packed["Vary"]) == (first.content, "Accept-Encoding")
    known = Client().get(path, headers={"if-none-match": first["ETag"], "accept-encoding": "gzip"})
    assert (known.status_code, known.content, known["ETag"]) == (304, b"", first["ETag"])


def test_the_pages_of_the_mounts_differ() -> None:
    by_key, by_session = (Client().get(f"/api/docs/tag?auth={auth}") for auth in ("key", "session"))
    assert by_key["ETag"] != by_session["ETag"]


def test_pages_of_a_closed_documentation_are_kept_by_nobody_else(settings: Any) -> None:
    settings.PUBLIC_API_DOCS = False
    assert Client().get("/api/docs/guides/errors").status_code == 404


def test_types_are_named_as_people_say() -> None:
    reader = Reader({"components": {}})
    assert reader.type_of({"type": ["string", "null"], "format": "date-time"}) == "time or null"
    assert reader.type_of({"type": ["array", "null"], "items": {"type": "string", "format": "date"}}) == (
        "list of date or null"
    )
    assert reader.type_of({}) == "any JSON value"
    assert reader.type_of({"description": "as in formData"}) == "as the field in formData"


def test_no_page_says_time_or_time_or_sends_an_empty_body() -> None:
    for key in ("contact", "lead", "genie", "webhook", "workflow"):
        page = Client().get(f"/api/docs/{key}").content.decode()
        assert "time or time" not in page
        assert "-d &#x27;{}&#x27;" not in page


def test_statuses_say_when_they_come_and_list_their_messages() -> None:
    page = Client().get("/api/docs/contact").content.decode()
    assert re.search(r"<code>ContactAlreadyExists_400</code> This contact already exists.", page)
    assert "Too many requests or attempts." in page


def test_examples_of_lists_ask_for_a_page_and_of_filters_for_a_tree() -> None:
    page = Client().get("/api/docs/contact").content.decode()
    assert "/api/key/protected/contact?p=1&amp;n=20&quot;" in page
    assert "--data-urlencode advancedFilters=&#x27;{" in page


def test_a_quote_in_a_body_ends_no_word_of_the_shell() -> None:
    command = curl(KEY, Call("POST", "tag", {}, {"name": "Ann's"}))
    assert "Ann'\\''s" in command


def test_descriptions_have_paragraphs_without_the_list_of_errors() -> None:
    assert paragraphs("One.\n\nErrors: `A_400`.\n\nTwo.") == ["One.", "Two."]
