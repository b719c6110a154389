"""The search over everything, which is also the command palette, and the list of keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.text.folding import fold
from core.types import Values
from core.web.menu import first_pages, registered
from core.web.pages import Page
from core.web.settings import SettingsPage

MAX_SEARCH_LENGTH = 200
LAST = 1000
"""Position of pages that are not in the menu."""
MAX_PAGES = 6
"""Maximum number of pages and actions shown next to records."""
EVERYWHERE = (
    (("Ctrl", "K"), "Search, go somewhere, do something"),
    (("?",), "Show the keys"),
    (("/",), "Search the list"),
)
LISTS = (
    (("J",), "Next row"),
    (("K",), "Row before"),
    (("X",), "Choose the row"),
    (("Enter",), "Open the row"),
    (("C",), "New one"),
)
RECORDS = ((("E",), "Edit"), (("N",), "Write a note"))
INBOX = (
    (("O",), "Open the first conversation"),
    (("J",), "Next conversation"),
    (("K",), "Conversation before"),
    (("R",), "Answer"),
    (("A",), "Assign"),
    (("S",), "Snooze, or wake"),
    (("E",), "Close, or open again"),
)
REVIEW = (
    (("A",), "Approve the draft"),
    (("E",), "Edit it"),
    (("W",), "Have it written anew"),
    (("X",), "Don't send it"),
    (("J",), "Next draft"),
    (("K",), "Draft before"),
)


@dataclass(frozen=True)
class Hit:
    """A search result with its address. `number` is unique on the page."""

    title: str
    text: str
    address: str
    icon: str
    number: int = 0


class Search(Page):
    """Records, pages and actions that match a text; without one, all actions and pages."""

    path = name = "search"
    title = "Search"
    template = "web/search/search.html"

    def show(self) -> Values:
        text = " ".join(self.request.GET.get("q", "").split())[:MAX_SEARCH_LENGTH]
        groups = [("Go to", self.places(text)), ("Do", self.actions(text))]
        groups = [*groups, *self.records(text)] if text else groups[::-1]
        numbered, count = [], 0
        for label, hits in groups:
            if hits:
                numbered.append((label, [Hit(**{**vars(hit), "number": count + at}) for at, hit in enumerate(hits)]))
                count += len(hits)
        return {"sought": text, "search_found": numbered, "search_count": count}

    def places(self, text: str) -> list[Hit]:
        """Return the pages of the menu and the tabs of settings whose labels match."""
        menu = sorted(first_pages().items(), key=lambda entry: entry[0].order)
        candidates = [(item.label, page, item.icon, "") for item, page in menu]
        tabs = [page for page in registered() if issubclass(page, SettingsPage) and page.tab]
        candidates += [(page.tab, page, page.icon, "Settings") for page in tabs if text]
        hits = [
            Hit(label, beside, self.address(page.name), icon)
            for label, page, icon, beside in candidates
            if matches(text, label) and self.opens(page)
        ]
        return hits[:MAX_PAGES] if text else hits

    def actions(self, text: str) -> list[Hit]:
        """Return the reader's actions whose labels match."""
        # Addresses decide the order of the pages themselves; people know that of the menu.
        pages = sorted(registered(), key=lambda page: page.menu.order if page.menu else LAST)
        found = [
            Hit(page.action, "", self.address(page.name), "plus")
            for page in pages
            if page.action and matches(text, page.action) and self.opens(page) and self.may(page.module, "POST")
        ]
        return found[:MAX_PAGES] if text else found

    def records(self, text: str) -> list[tuple[str, list[Hit]]]:
        """Return the records that the API finds, by kind, each with the way to all of them if there are more."""
        answer = self.ask("GET", "search", {"q": text})
        pages = {page.record_kind[0]: page for page in registered()}
        lists = first_pages()
        groups = []
        for group in answer.data["groups"] if answer.ok else ():
            page = pages.get(group["kind"])
            if page is None or page.menu is None or not self.opens(page):
                continue
            icon, label = page.menu.icon, page.record_kind[1]
            hits = [
                Hit(record["title"] or record["text"], record["text"], self.address(page.name, record["_id"]), icon)
                for record in group["records"]
            ]
            if group["hasMore"] and not issubclass(page, SettingsPage):
                address = self.address(lists[page.menu].name, q=text)
                hits.append(Hit(f"All {label.lower()} with “{text}”", "", address, "search"))
            groups.append((label, hits))
        return groups


class Keys(Page):
    """The list of keyboard keys."""

    path = "help/keys"
    name = "keys-help"
    title = "Keys"
    template = "web/search/keys.html"

    def show(self) -> Values:
        go = [
            (("G", item.key.upper()), item.label)
            for item, page in sorted(first_pages().items(), key=lambda entry: entry[0].order)
            if item.key and self.opens(page)
        ]
        groups = [("Everywhere", EVERYWHERE), ("Go to", go), ("In lists", LISTS), ("On a record", RECORDS)]
        if self.may("genie") or self.may("chatapp"):
            groups.append(("Inbox", INBOX))
        return {"groups": [*groups, ("Review of drafts", REVIEW)] if self.may("genie") else groups}


def matches(text: str, label: str) -> bool:
    """Return whether each word of the text begins a word of the label."""
    return all(any(label_word.startswith(word) for label_word in words(label)) for word in words(text))


def words(text: str) -> Iterable[str]:
    return fold(text).replace("-", " ").split()


PAGES = [Search, Keys]
