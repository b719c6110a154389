"""The addresses of pages, and the menu that is built from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from django.core.exceptions import ImproperlyConfigured
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import RedirectView

from core.types import Values
from core.web.pages import MenuItem, Page, PersonPage

CLOSED = "menu"
"""The cookie with the names of closed groups, between full stops. The browser writes it (web.js)."""
_pages: list[type[Page]] = []


def page_urls(pages: Iterable[type[Page]]) -> list[URLPattern | URLResolver]:
    """Return the addresses of the pages, each company's below /c/<company id>/, and make the menu from them."""
    _pages[:] = pages
    names = [page.name for page in _pages]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ImproperlyConfigured(f"two pages are named {sorted(twice)[0]}")
    # Fixed addresses first: contacts/new is no contact.
    ordered = sorted(_pages, key=lambda page: [part.startswith("<") for part in page.path.split("/")])
    own = [path(page.path, page.as_view(), name=page.name) for page in ordered if issubclass(page, PersonPage)]
    members = [path(page.path, page.as_view(), name=page.name) for page in ordered if not issubclass(page, PersonPage)]
    # By the shape of an id alone: what else stands there may be a tracked link, or nothing.
    slash = re_path(r"^c/(?P<company>[0-9a-f]{24})\Z", RedirectView.as_view(url="/c/%(company)s/", query_string=True))
    return [*own, slash, path("c/<str:company>/", include((members, "web")))]


def registered() -> list[type[Page]]:
    """Return the pages."""
    return list(_pages)


def start_path(layout: Values) -> str:
    """Return the path below the company of the page that the person starts with, "" for home."""
    pages = (page for page in first_pages().values() if page.name == layout.get("start"))
    return next((page.path for page in pages if "<" not in page.path), "")


class Group(NamedTuple):
    """A group of the menu. One without a name has no heading."""

    name: str
    entries: list[tuple[type[Page], MenuItem]]
    is_open: bool


def first_pages() -> dict[MenuItem, type[Page]]:
    """Return the page that each item of the menu leads to: the first one that was registered."""
    first: dict[MenuItem, type[Page]] = {}
    for page in _pages:
        if page.menu:
            first.setdefault(page.menu, page)
    return first


def menu_of(page: Page) -> list[Group]:
    """Return the groups of the menu for the page's reader: pages that they may open, in order.

    Pages that share an item are all marked in the menu. A group that the browser has closed (cookie `menu`) is open on
    its own pages.
    """
    opened = [(page_class, item) for item, page_class in first_pages().items() if page.opens(page_class)]
    opened.sort(key=lambda entry: entry[1].order)
    groups: list[tuple[str, list[tuple[type[Page], MenuItem]]]] = []
    for entry in opened:
        name = entry[1].group
        group_entries = next((entries for group, entries in groups if name and group == name), None)
        if group_entries is None:
            groups.append((name, [entry]))
        else:
            group_entries.append(entry)
    closed = page.request.COOKIES.get(CLOSED, "").split(".")
    return [
        Group(
            name if len(entries) > 1 else "",
            entries,
            name.lower() not in closed or any(item == page.menu for _, item in entries),
        )
        for name, entries in groups
    ]
