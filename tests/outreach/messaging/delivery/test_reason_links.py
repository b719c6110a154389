"""The links from the reasons of unsent messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest

import config.urls.web  # noqa: F401  it registers the pages
from core.web.navigation.menu import registered_pages
from outreach.messaging.delivery.pages.reason_links import LINKS, OTHERWISE, Case, link_of

MESSAGE = Case(run="run", contact="contact", smtp="smtp", recipient="ann@example.com", status="cancelled")
RUN = Case(run="run", smtp="smtp")


@dataclass
class Reader:
    """A page whose reader may open the pages of these modules."""

    modules: tuple[str, ...] = ("apps", "contact")

    def may(self, module: str, method: str = "GET") -> bool:
        return module in self.modules

    def address(self, name: str = "", *args: str, **query: Any) -> str:
        return "/".join([name, *args]) + (f"?{urlencode(query)}" if query else "")


@pytest.mark.parametrize(
    ("reason", "case", "address"),
    [
        ("address_suppressed", MESSAGE, "suppressions?q=ann%40example.com"),
        ("awaiting_approval", Case(run="run", draft="draft", status="draft"), "outreach-draft/run/draft"),
        ("awaiting_approval", RUN, "outreach-review/run"),
        ("approval_outdated", RUN, "outreach-review/run"),
        ("approval_outdated", MESSAGE, "contact/contact"),
        ("bad_address", MESSAGE, "contact/contact?edit="),
        ("limit_day", RUN, "sender/smtp"),
        ("declined", RUN, "outreach-new"),
        ("declined", MESSAGE, "outreach-run/run"),
        ("run_paused", RUN, "messages"),
        ("run_paused", Case(status="draft"), "messages"),
    ],
)
def test_a_reason_has_the_link_that_helps(reason: str, case: Case, address: str) -> None:
    assert link_of(reason, case, Reader()).address == address  # type: ignore[arg-type]


def test_readers_get_no_link_to_pages_that_they_may_not_open() -> None:
    page: Any = Reader(())
    assert link_of("sender_trouble", RUN, page).address == "senders"
    assert link_of("bounced", MESSAGE, page).address == "outreach-run/run"


def test_only_a_failed_message_is_sent_again() -> None:
    page: Any = Reader()
    failed = Case(run="run", status="failed")
    labels = [str(link_of("uncertain", case, page).label) for case in (failed, MESSAGE, RUN)]
    assert len(set(labels)) == 3
    assert labels[1:] == [str(link_of("other", case, page).label) for case in (MESSAGE, RUN)]


def test_every_page_of_the_links_exists() -> None:
    names = {page.name for page in registered_pages()}
    assert {link.page for links in (*LINKS.values(), OTHERWISE) for link in links} - names == set()
