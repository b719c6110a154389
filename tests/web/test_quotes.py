"""The pages of quotes: the list, the editor with its lines, sending, versions, settings."""

from __future__ import annotations

import re
from typing import Any

import pytest

from accounts.models import Member
from outreach.models import Quote, QuoteSettings
from tests.kit.cast import Cast
from tests.kit.factories import MemberFactory, RoleFactory
from tests.kit.html import html_of
from tests.outreach.helpers import Post, work
from tests.outreach.site.quotes.helpers import make_lead, make_quote, sent_quote
from tests.web.helpers import at, enter, text_of, toast_of

VALUES = {"title": "Website", "validUntil": "2090-03-09", "currency": "EUR", "owner": "", "notes": "Hi", "terms": ""}


def lines(*rows: dict[str, str]) -> dict[str, list[str]]:
    """Return the inputs of lines as browsers send them."""
    names = ("product", "name", "description", "unit", "quantity", "unitPrice", "discount", "tax")
    return {f"line-{name}": [row.get(name, "") for row in rows] for name in names}


@pytest.fixture
def owner(cast: Cast) -> Member:
    return cast.owner


def stored(cast: Cast, id: str) -> Quote:
    with cast.scope():
        quote: Quote = Quote.objects.get(pk=id)
        return quote


def test_a_quote_is_made_on_a_lead_and_edited(owner: Member, cast: Cast) -> None:
    browser = enter(owner)
    lead = make_lead(cast)
    assert "Ada Lovelace" in text_of(browser.get(at(owner, "quotes/new"), {"q": "lovelace"}))
    assert "No leads match" in text_of(browser.get(at(owner, "quotes/new"), {"q": "zzz"}))
    place = f"{at(owner, 'quotes/new')}?lead={lead}"
    assert "The quote goes to Ada Lovelace." in text_of(browser.get(place))
    assert "New quote" in html_of(browser.get(at(owner, f"leads/{lead}/related")))
    assert "Quote created" in toast_of(browser, browser.post(place, {"do": "save", "lead": lead}))
    with cast.scope():
        quote = Quote.objects.get()
    page = at(owner, f"quotes/{quote.pk}")
    row = {"name": "Design", "quantity": "2,5", "unitPrice": "99.99", "discount": "10", "tax": "19"}
    saved = browser.post(page, {"do": "save", **VALUES, **lines(row, {}, {"name": "Hosting"})})
    assert "Quote saved" in toast_of(browser, saved)
    quote = stored(cast, quote.pk)
    assert (quote.title, quote.notes, quote.owner_id, str(quote.net)) == ("Website", "Hi", None, "224.9800")
    assert [line["name"] for line in quote.lines] == ["Design", "Hosting"]
    shown = text_of(browser.get(page))
    assert "Tax 19%" in shown
    listed = text_of(browser.get(at(owner, "quotes")))
    for text in ("Website", "Ada Lovelace", "€267.73", "Draft"):
        assert text in listed, text
    assert "Website" in text_of(browser.get(at(owner, f"leads/{lead}/related")))
    assert "No matches" in text_of(browser.get(at(owner, "quotes"), {"f": "status:in:sent"}))


@pytest.mark.parametrize(
    ("act", "names"),
    [("add", ["A", "B", ""]), ("remove-0", ["B"]), ("up-1", ["B", "A"]), ("up-0", ["A", "B"]), ("x-9", ["A", "B"])],
)
def test_lines_are_added_removed_and_moved_without_script(
    owner: Member, cast: Cast, act: str, names: list[str]
) -> None:
    quote = make_quote(cast)
    browser = enter(owner)
    page = at(owner, f"quotes/{quote['_id']}")
    shown = browser.post(page, {"act": act, **VALUES, "title": "Unsaved", **lines({"name": "A"}, {"name": "B"})})
    assert shown.status_code == 200
    html = html_of(shown)
    found = [part.partition('value="')[2].partition('"')[0] for part in html.split('name="line-name"')[1:]]
    assert found == names
    assert "Unsaved" in html
    assert len(stored(cast, quote["_id"]).lines) == 2


def test_wrong_values_come_back(owner: Member, cast: Cast) -> None:
    quote = make_quote(cast)
    browser = enter(owner)
    page = at(owner, f"quotes/{quote['_id']}")
    for row in ({"name": "A", "discount": "200"}, {"unitPrice": "3"}, {"name": "A", "tax": "x"}):
        refused = browser.post(page, {"do": "save", **VALUES, **lines(row)})
        assert refused.status_code == 422, row
        assert 'role="alert"' in html_of(refused)


def test_send_and_revise(owner: Member, cast: Cast, post: Post) -> None:
    quote = make_quote(cast)
    browser = enter(owner)
    page = at(owner, f"quotes/{quote['_id']}")
    to_mail = browser.post(page, {"do": "send", **VALUES, **lines({"name": "A", "unitPrice": "5"})})
    assert to_mail["Location"] == f"{page}/send"
    form = html_of(browser.get(f"{page}/send"))
    assert "{{quote.link}}" in form
    key = form.partition('name="key" value="')[2].partition('"')[0]
    words = {"do": "save", "key": key, "subject": "Your quote", "text": "Here: {{quote.link}}"}
    assert "Quote sent" in toast_of(browser, browser.post(f"{page}/send", words))
    assert "Quote sent" in toast_of(browser, browser.post(f"{page}/send", words))
    work("send")
    assert post.subjects() == ["Subject: Your quote"]
    shown = text_of(browser.get(page))
    assert "Open the customer's page" in shown
    assert "Send again" in shown
    assert "New version created" in toast_of(browser, browser.post(page, {"do": "revise"}))
    assert "A newer version replaces this quote." in text_of(browser.get(page))
    assert "Replaced" in text_of(browser.get(at(owner, "quotes")))


def test_mark_as_sent_delete_and_undo(owner: Member, cast: Cast) -> None:
    quote = make_quote(cast)
    browser = enter(owner)
    page = at(owner, f"quotes/{quote['_id']}")
    marked = browser.post(page, {"do": "mark", **VALUES, **lines({"name": "A"})})
    assert "Quote marked as sent" in toast_of(browser, marked)
    toast = toast_of(browser, browser.post(page, {"do": "delete"}))
    assert "Quote deleted" in toast
    assert "restore" in toast
    restored = browser.post(at(owner, "quotes"), {"do": "restore", "id": quote["_id"]})
    assert "Quote restored" in toast_of(browser, restored)
    gone = browser.post(at(owner, "quotes"), {"do": "delete", "ids": [quote["_id"]]})
    assert "Deleted 1 quote" in toast_of(browser, gone)


def test_the_pdf_opens(owner: Member, cast: Cast) -> None:
    quote = sent_quote(cast)
    file = enter(owner).post(at(owner, f"quotes/{quote['_id']}"), {"do": "pdf"})
    assert (file.status_code, file["Content-Type"]) == (200, "application/pdf")


def test_settings(owner: Member, cast: Cast) -> None:
    browser = enter(owner)
    page = at(owner, "settings/quotes")
    values: dict[str, Any] = {"do": "save", "prefix": "A-", "validDays": "7", "terms": "Net", "acceptedStage": ""}
    assert "Saved" in toast_of(browser, browser.post(page, {**values, "declinedStage": ""}))
    with cast.scope():
        row = QuoteSettings.objects.get()
        assert (row.prefix, row.valid_days, row.moves_accepted) == ("A-", 7, False)


def test_readers_change_nothing(owner: Member, cast: Cast) -> None:
    quote = make_quote(cast)
    with cast.scope():
        reader = MemberFactory(role=RoleFactory(permission={"lead": {"GET": True}}), status="accepted")
    browser = enter(reader)
    shown = html_of(browser.get(at(reader, f"quotes/{quote['_id']}")))
    assert re.findall(r'name="do"\s+value="(\w+)"', shown) == ["pdf"]
    assert "You can't add records here" in text_of(browser.get(at(reader, "quotes/new")))
    assert browser.post(at(reader, f"quotes/{quote['_id']}"), {"do": "delete"}).status_code == 303
    assert stored(cast, quote["_id"]).deleted_at is None
