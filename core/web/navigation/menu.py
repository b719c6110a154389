"""The addresses of pages, and the navigation that is built from them: side bar, tabs and the list of settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from django.core.exceptions import ImproperlyConfigured
from django.urls import URLPattern, URLResolver, include, path, re_path, reverse
from django.views.generic import RedirectView

from core.types import Values
from core.web.navigation.places import NOTIFICATIONS, PLACES, SETTINGS, SETTINGS_GROUPS, MenuItem, Place
from core.web.pages import Page, PersonPage

_pages: list[type[Page]] = []


def page_urls(pages: Iterable[type[Page]]) -> list[URLPattern | URLResolver]:
    """Return the addresses of the pages, each company's below /c/<company id>/, and make the menu from them."""
    _pages[:] = pages
    first_pages.cache_clear()
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


def registered_pages() -> list[type[Page]]:
    """Return the pages."""
    return list(_pages)


def start_path(layout: Values) -> str:
    """Return the path below the company of the page that the person starts with, "" for home."""
    pages = (page for page in first_pages().values() if page.name == layout.get("start"))
    return next((page.path for page in pages if "<" not in page.path and not issubclass(page, PersonPage)), "")


@cache
def first_pages() -> dict[MenuItem, type[Page]]:
    """Return the page that each entry leads to: the first one that was registered. Entries are in their order."""
    first: dict[MenuItem, type[Page]] = {}
    for page in _pages:
        if page.menu:
            first.setdefault(page.menu, page)
    return dict(sorted(first.items(), key=lambda entry: _position(entry[0])))


def _position(item: MenuItem) -> tuple[int, int, int]:
    place = PLACES.index(item.place) if item.place in PLACES else len(PLACES)
    return place, SETTINGS_GROUPS.index(item.group), item.order


@dataclass(frozen=True)
class Link:
    """A link of the navigation."""

    label: str
    icon: str
    address: str
    is_current: bool
    purpose: str = ""
    place: Place | None = None
    """Set for the links of the side bar."""


@dataclass(frozen=True)
class Navigation:
    """The navigation around a page, with links to pages that its reader may open."""

    groups: list[tuple[str, list[Link]]]
    """The groups of the side bar. One without a name has no heading."""
    bell: Link | None
    tabs: list[Link]
    """The tabs of the page's place, for pages that are a tab; none where there is only one."""
    settings: list[tuple[str, list[Link]]]
    """The list of settings under its headings, for pages of settings."""


def address_of(page: Page, target: type[Page]) -> str:
    """Return the address of a page without parameters, as seen from a page: of its company, or of the person."""
    return reverse(target.name) if issubclass(target, PersonPage) else page.address(target.name)


def opened_items(page: Page) -> list[tuple[MenuItem, type[Page]]]:
    """Return the entries that the page's reader may open, each with its first page, in order.

    Without a company there are only the pages of the person.
    """
    items = first_pages().items()
    is_member = page.reader.member is not None
    return [
        (item, target)
        for item, target in items
        if (is_member or issubclass(target, PersonPage))
        and page.may_open(target)
        and (item.needs == "GET" or page.may(target.module, item.needs))
    ]


def navigation_of(page: Page) -> Navigation:
    """Return the navigation around a page."""
    items = opened_items(page)
    place = page.menu_place or (page.menu.place if page.menu else None)
    firsts: dict[Place, type[Page]] = {}
    for item, target in items:
        firsts.setdefault(item.place, target)
    links = {
        shown: Link(shown.label, shown.icon, address_of(page, target), shown == place, place=shown)
        for shown, target in firsts.items()
        if page.reader.member is not None
    }
    return Navigation(
        groups=_group_links((shown.group, links[shown]) for shown in PLACES if shown in links),
        bell=links.get(NOTIFICATIONS),
        tabs=_tabs(page, items),
        settings=settings_of(page, items) if place == SETTINGS else [],
    )


def settings_of(page: Page, items: list[tuple[MenuItem, type[Page]]] | None = None) -> list[tuple[str, list[Link]]]:
    """Return the list of settings under its headings. `items` are those that the reader may open, if known."""
    opened = opened_items(page) if items is None else items
    return _group_links((item.group, _link(page, item, target)) for item, target in opened if item.place == SETTINGS)


def _tabs(page: Page, items: list[tuple[MenuItem, type[Page]]]) -> list[Link]:
    """Return the tabs of the page's place, if the page is one of them and there are several."""
    if page.menu is None or page.menu.place in (SETTINGS, NOTIFICATIONS):
        return []
    tabs = [(item, target) for item, target in items if item.place == page.menu.place]
    # Pages that extend a tab, such as the inbox with an open conversation, keep the row.
    is_tab = any(isinstance(page, target) for _, target in tabs)
    return [_link(page, item, target) for item, target in tabs] if is_tab and len(tabs) > 1 else []


def _link(page: Page, item: MenuItem, target: type[Page]) -> Link:
    return Link(item.label, item.icon, address_of(page, target), item == page.menu, target.purpose)


def _group_links(links: Iterable[tuple[str, Link]]) -> list[tuple[str, list[Link]]]:
    """Gather links that follow each other under the same heading."""
    groups: list[tuple[str, list[Link]]] = []
    for heading, link in links:
        if not groups or groups[-1][0] != heading:
            groups.append((heading, []))
        groups[-1][1].append(link)
    return groups
