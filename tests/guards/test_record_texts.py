"""Pages of plain records have all of the texts that they show."""

from __future__ import annotations

from config.urls.web import PAGES
from core.text.translation import PluralText
from core.web.records import EditRecord, NewRecord, RecordList


def _lacking(page: type) -> list[str]:
    """Return the names of the texts that a page shows and does not have."""
    names = []
    if issubclass(page, RecordList):
        names += ["none", *(["add_label"] if page.adds else [])]
    if issubclass(page, NewRecord):
        names += ["added"]
    if issubclass(page, EditRecord):
        names += ["saved", "tab_name", *(["deleted"] if page.removable else [])]
    return [name for name in names if not getattr(page, name, "")]


def test_pages_of_records_have_their_texts() -> None:
    pages = [page for page in PAGES if issubclass(page, RecordList | NewRecord | EditRecord)]
    assert len(pages) > 50
    assert {page.__name__: lacking for page in pages if (lacking := _lacking(page))} == {}
    lists = [page for page in pages if issubclass(page, RecordList)]
    assert [page.__name__ for page in lists if not isinstance(page.count, PluralText)] == []


def test_a_page_without_a_text_is_found() -> None:
    class NewThing(NewRecord):
        pass

    assert _lacking(NewThing) == ["added"]
