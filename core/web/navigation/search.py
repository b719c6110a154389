"""The search over everything, which is also the command palette, and the list of keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext

from core.reports import REPORTS
from core.text.folding import fold
from core.text.translation import gettext_lazy
from core.types import Values
from core.web.navigation.menu import address_of, first_pages, opened_items, registered_pages
from core.web.navigation.places import NOTIFICATIONS, PLACES, SETTINGS, MenuItem, Place
from core.web.navigation.recent import recent_records
from core.web.pages import Page

MAX_SEARCH_LENGTH = 200
MAX_PAGES = 6
"""Maximum number of pages and actions shown next to records."""
EVERYWHERE = (
    (("Ctrl", "K"), gettext_lazy("Search records, pages and actions")),
    (("?",), gettext_lazy("Show the keys")),
    (("/",), gettext_lazy("Search the list")),
    (("Z",), gettext_lazy("Undo the last change")),
)
LISTS = (
    (("J",), gettext_lazy("Next row")),
    (("K",), gettext_lazy("Previous row")),
    (("X",), gettext_lazy("Select the row")),
    (("Enter",), gettext_lazy("Open the row")),
    (("C",), gettext_lazy("New record")),
)
RECORDS = ((("E",), gettext_lazy("Edit")), (("N",), gettext_lazy("Write a note")))
INBOX = (
    (("O",), gettext_lazy("Open the first conversation")),
    (("J",), gettext_lazy("Next conversation")),
    (("K",), gettext_lazy("Previous conversation")),
    (("R",), gettext_lazy("Reply")),
    (("A",), gettext_lazy("Assign")),
    (("S",), gettext_lazy("Snooze or unsnooze")),
    (("E",), gettext_lazy("Close or reopen")),
)
REVIEW = (
    (("A",), gettext_lazy("Approve the draft")),
    (("E",), gettext_lazy("Edit the draft")),
    (("W",), gettext_lazy("Rewrite the draft")),
    (("X",), gettext_lazy("Don't send the draft")),
    (("J",), gettext_lazy("Next draft")),
    (("K",), gettext_lazy("Previous draft")),
    (("Ctrl", "Enter"), gettext_lazy("Save the draft, or approve it")),
    (("Esc",), gettext_lazy("Close the form")),
)


OTHER_WORDS = gettext_lazy("add create")
"""Words that people use for "New" in the label of an action."""


@dataclass(frozen=True)
class Hit:
    """A search result with its address. `number` is unique on the page."""

    title: str
    text: str
    address: str
    icon: str
    number: int = 0


@dataclass(frozen=True)
class Candidate:
    """A page that the search may find. `words` are its label and other words for it."""

    hit: Hit
    item: MenuItem
    words: str


class Search(Page):
    """Records, pages and actions that match a text; without one, recent records, all actions and all pages."""

    path = name = "search"
    title = gettext_lazy("Search")
    template = "web/search/search.html"

    def show(self) -> Values:
        text = " ".join(self.request.GET.get("q", "").split())[:MAX_SEARCH_LENGTH]
        if text:
            pages = (gettext("Pages"), self.places(text))
            actions = self.actions(text)
            is_prefix = any(fold(hit.title).startswith(fold(text)) for hit in actions)
            of_actions = (gettext("Actions"), actions)
            groups = [*([of_actions, pages] if is_prefix else [pages, of_actions]), *self.records(text)]
        else:
            groups = [(gettext("Recent"), self.recent()), (gettext("Actions"), self.actions()), *self.all_places()]
        numbered, count = [], 0
        for label, hits in groups:
            if hits:
                numbered.append((label, [Hit(**{**vars(hit), "number": count + at}) for at, hit in enumerate(hits)]))
                count += len(hits)
        return {"sought": text, "search_found": numbered, "search_count": count}

    def recent(self) -> list[Hit]:
        """Return the records that the reader opened last in this browser."""
        pages = {page.name: page for page in registered_pages()}
        opened = [
            (pages[name], record_id, title)
            for name, record_id, title in recent_records(self.request, self.reader.company_id)
            if name in pages
        ]
        return [
            Hit(title, page.record_kind[1], self.address(page.name, record_id), page.menu.icon if page.menu else "")
            for page, record_id, title in opened
            if self.may_open(page)
        ]

    def candidates(self) -> list[Candidate]:
        """Return the places, tabs and settings that the reader may open, in the order of the navigation."""
        candidates: list[Candidate] = []
        places: set[Place] = set()
        for item, page in opened_items(self):
            is_first = item.place not in places
            places.add(item.place)
            place = item.place.label
            label = place if is_first else item.label
            hit = Hit(label, "" if label == place else place, address_of(self, page), item.icon)
            candidates.append(Candidate(hit, item, f"{item.label} {item.keywords} {place} {item.group}"))
        return candidates

    def all_places(self) -> list[tuple[str, list[Hit]]]:
        """Return all pages of the navigation, and all settings, under their headings."""
        candidates = self.candidates()
        pages = [candidate.hit for candidate in candidates if candidate.item.place != SETTINGS]
        settings = [candidate.hit for candidate in candidates if candidate.item.place == SETTINGS]
        return [
            (gettext("Pages"), pages),
            (gettext("Settings"), [Hit(**{**vars(hit), "text": ""}) for hit in settings]),
        ]

    def places(self, text: str) -> list[Hit]:
        """Return the pages that match by their label, reports, and then pages that match by other words for them."""
        candidates = self.candidates()
        by_label = [candidate.hit for candidate in candidates if matches(text, candidate.hit.title)]
        by_label += self.reports(text)
        by_words = [candidate.hit for candidate in candidates if matches(text, candidate.words)]
        return list(dict.fromkeys([*by_label, *by_words]))[:MAX_PAGES]

    def reports(self, text: str) -> list[Hit]:
        """Return the reports that match by their title, also with the word for reports after it."""
        page = next(page for page in registered_pages() if page.name == "reports")
        if page.menu is None or not self.may_open(page):
            return []
        return [
            Hit(report.title, page.menu.label, self.address(page.name, reportType=report.name), page.menu.icon)
            for report in sorted(REPORTS.values(), key=lambda report: report.place)
            if matches(text, f"{report.title} {page.menu.label}")
            and any(matches(word, report.title) for word in words(text))
            and all(map(self.may, report.modules))
        ]

    def actions(self, text: str = "") -> list[Hit]:
        """Return the reader's actions whose labels match."""
        # Addresses decide the order of the pages themselves; people know that of the navigation.
        order = {item: position for position, item in enumerate(first_pages())}
        pages = sorted(
            registered_pages(), key=lambda page: order.get(page.menu, len(order)) if page.menu else len(order)
        )
        hits = [
            Hit(page.action, "", self.address(page.name), "plus")
            for page in pages
            if page.action and matches(text, f"{page.action} {OTHER_WORDS}")
            if self.may_open(page) and self.may(page.module, "POST")
        ]
        hits.sort(key=lambda hit: fold(hit.title) != fold(text))
        return hits[:MAX_PAGES] if text else hits

    def records(self, text: str) -> list[tuple[str, list[Hit]]]:
        """Return the records that the API finds, by kind, each with the way to all of them if there are more."""
        answer = self.ask("GET", "search", {"q": text})
        pages = {page.record_kind[0]: page for page in registered_pages()}
        lists = first_pages()
        groups = []
        for group in answer.data["groups"] if answer.ok else ():
            page = pages.get(group["kind"])
            if page is None or page.menu is None or not self.may_open(page):
                continue
            icon, label = page.menu.icon, page.record_kind[1]
            hits = [
                Hit(record["title"] or record["text"], record["text"], self.address(page.name, record["_id"]), icon)
                for record in group["records"]
            ]
            if group["hasMore"]:
                address = self.address(lists[page.menu].name, q=text)
                hits.append(
                    Hit(
                        gettext("All results for “%(text)s”") % {"text": text},
                        "",
                        address,
                        "search",
                    )
                )
            groups.append((label, hits))
        return groups


class Keys(Page):
    """The list of keyboard keys."""

    path = "help/keys"
    name = "keys-help"
    title = gettext_lazy("Keys")
    template = "web/search/keys.html"

    def show(self) -> Values:
        places = {item.place for item, _ in opened_items(self)}
        go = [(("G", place.key.upper()), place.label) for place in (*PLACES, NOTIFICATIONS) if place in places]
        groups = [
            (gettext("Everywhere"), EVERYWHERE),
            (gettext("Go to"), go),
            (gettext("In lists"), LISTS),
            (gettext("On a record"), RECORDS),
        ]
        if self.may("genie") or self.may("chatapp"):
            groups.append((gettext("Inbox"), INBOX))
        return {"groups": [*groups, (gettext("Review of drafts"), REVIEW)] if self.may("genie") else groups}


def matches(text: str, label: str) -> bool:
    """Return whether each word of the text begins a word of the label."""
    return all(any(label_word.startswith(word) for label_word in words(label)) for word in words(text))


def words(text: str) -> Iterable[str]:
    return fold(text).replace("-", " ").split()


PAGES = [Search, Keys]
