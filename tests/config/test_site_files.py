"""Pages of errors, which must not need what has failed, and what every site has: robots.txt, an icon, licences."""

from __future__ import annotations

import gzip
import io
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.templatetags.static import StaticNode
from django.test import Client

from accounts.settings.branding import company_pages_scope
from config.serving.headers import WEB
from config.serving.site_files import SERVED, licences
from config.slow_clients import refuse
from core.api.handler import error_page
from core.logs import log_context
from tests.kit.cast import make_cast


@pytest.mark.parametrize("status", [400, 403, 404, 429, 500, 503])
def test_error_pages_need_neither_database_nor_static_files(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    page = error_page(status)
    text = page.content.decode()
    assert page.status_code == status
    assert 'class="frame"' in text
    assert ("<h1>" in text, 'href="/"' in text) == (True, True)

    def fail(path: str) -> str:
        raise ValueError(f"Missing staticfiles manifest entry for {path!r}")

    monkeypatch.setattr(StaticNode, "handle_simple", fail)
    bare = error_page(status)
    assert (bare.status_code, b"<h1>" in bare.content, b'href="/"' in bare.content) == (status, True, True)


def test_the_page_of_an_error_of_ours_has_its_number() -> None:
    with log_context(request="66f0c0ffee"):
        assert "Error number: <code>66f0c0ffee</code>" in error_page(500).content.decode()
    assert "Error number" not in error_page(500).content.decode()


@pytest.mark.parametrize(
    ("path", "kind"), [("/c/x/contacts", "text/html"), ("/api/key/protected/tag", "application/json")]
)
def test_too_many_requests_are_told_as_one_asks(path: str, kind: str) -> None:
    told: list[Any] = []
    [content] = refuse({"PATH_INFO": path, "wsgi.input": io.BytesIO()}, lambda *head: told.append(head))
    status, headers = told[0]
    assert status == "429 Too Many Requests"
    assert dict(headers)["Content-Type"].startswith(kind)
    assert dict(headers)["Content-Security-Policy"] == WEB
    assert b"Too many requests at once" in content


def test_search_engines_get_public_pages_alone() -> None:
    rules = Client().get("/robots.txt").content.decode().splitlines()
    assert rules[0] == "User-agent: *"
    assert rules[-1] == "Disallow: /"
    assert "Allow: /login$" in rules
    assert not any("/c" in rule or "/api" in rule or "token" in rule for rule in rules)


def test_the_icon_is_there() -> None:
    answer = Client().get("/favicon.ico")
    assert (answer.status_code, answer["Location"].startswith("/static/")) == (301, True)
    assert finders.find(answer["Location"].removeprefix("/static/"))


def test_licences_are_those_of_the_packages() -> None:
    page = Client().get("/licences").content.decode()
    found = licences()
    assert len(found) == len(SERVED)
    for one in found:
        assert one.name in page
        assert (len(one.text) > 500, one.kind) != (False, "see below"), one.name
    assert "SIL OPEN FONT LICENSE" in page.upper()


def test_files_that_were_not_collected_are_compressed_too() -> None:
    whole = Client().get("/static/web/web.css")
    packed = Client().get("/static/web/web.css", headers={"accept-encoding": "gzip"})
    content = b"".join(packed.streaming_content)
    assert (packed.status_code, packed["Content-Encoding"]) == (200, "gzip")
    assert gzip.decompress(content) == b"".join(whole.streaming_content)
    assert "Content-Encoding" not in whole
    font = Client().get("/static/unfold/fonts/inter/Inter-Medium.woff2", headers={"accept-encoding": "gzip"})
    assert (font.status_code, "Content-Encoding" in font) == (200, False)


@pytest.mark.django_db
def test_errors_on_a_companys_own_host_have_its_brand(django_assert_num_queries: Any) -> None:
    company = make_cast().company
    with company_pages_scope(company.pk):
        assert f"</span>{company.name}</header>" in error_page(404).content.decode()
        with django_assert_num_queries(0):  # the database may be what has failed
            assert "</span>Leadwright</header>" in error_page(500).content.decode()
    assert "</span>Leadwright</header>" in error_page(404).content.decode()
