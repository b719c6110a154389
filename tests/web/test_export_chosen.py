"""Export of the records that are chosen in a list."""

from __future__ import annotations

import pytest

from accounts.models import Member
from crm.models import Export
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory, LeadFactory
from tests.kit.html import html_of
from tests.web.helpers import at, enter


@pytest.fixture
def owner(cast: Cast) -> Member:
    return cast.owner


@pytest.mark.parametrize(("place", "format"), [("contacts", "csv"), ("contacts", "xlsx"), ("leads", "csv")])
def test_the_chosen_rows_become_a_file(owner: Member, cast: Cast, place: str, format: str) -> None:
    with cast.scope():
        make = LeadFactory if place == "leads" else ContactFactory
        records = [make() for _ in range(4)]
    browser, path = enter(owner), at(owner, f"{place}?sort=-createdAt")
    page = html_of(browser.get(path))
    bar = page[page.index('<div class="bulk"') :]
    assert ('value="export"' in bar, 'value="xlsx"' in bar) == (True, True)
    for ids, sent, expected in (
        ([records[0].pk, records[2].pk], {}, 2),
        ([records[0].pk], {"all": "1"}, 4),
        ([], {}, 4),
    ):
        answer = browser.post(path, {"do": "export", "format": format, "ids": ids, **sent})
        assert "/exports/" in answer["Location"]
        job = cast.key.get(f"/export/{answer['Location'].rpartition('/')[2]}").data
        assert (job["format"], job["resource"]) == (format, place.removesuffix("s"))
        with cast.scope():
            conditions = Export.objects.get(pk=job["_id"]).query.get("advancedFilters")
        assert (str(records[0].pk) in str(conditions)) == (expected == 2)
        assert (str(records[1].pk) in str(conditions)) is False


def test_who_may_not_export_sees_no_button(db: None) -> None:
    cast = make_cast({"contact": {"GET": True, "PUT": True}})
    with cast.scope():
        contact = ContactFactory()
    browser = enter(cast.narrow)
    page = html_of(browser.get(at(cast.narrow, "contacts")))
    assert ('<div class="bulk"' in page, 'value="export"' in page) == (True, False)
    refused = browser.post(at(cast.narrow, "contacts"), {"do": "export", "ids": contact.pk})
    assert "/exports/" not in refused["Location"]
