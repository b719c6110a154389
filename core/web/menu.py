"""The addresses of pages, and the menu that is made from them."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.exceptions import ImproperlyConfigured
from django.urls import URLPattern, URLResolver, include, path

from core.web.pages import MenuItem, Page, PersonPage

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
    return [*own, path("c/<str:company>/", include((members, "web")))]


def registered() -> list[type[Page]]:
    """Return the pages."""
    return list(_pages)


def menu_of(page: Page) -> list[tuple[str, list[tuple[type[Page], MenuItem]]]]:
    """Return (group, its pages in order) of the menu that the page's reader sees: what they may open.

    Pages that share an item are all marked in the menu; it leads to the first one that was registered.
    """
    first: dict[MenuItem, type[Page]] = {}
    for one in _pages:
        if one.menu:
            first.setdefault(one.menu, one)
    found = [(one, item) for item, one in first.items() if page.opens(one)]
    found.sort(key=lambda entry: entry[1].order)
    groups: dict[str, list[tuple[type[Page], MenuItem]]] = {}
    for entry in found:
        groups.setdefault(entry[1].group, []).append(entry)
    return list(groups.items())
