"""/quote: drafts, their sums and numbers, versions, deletion."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from core.events import deliver
from core.tenancy import unscoped
from crm.models import LeadActivity
from outreach.models import Quote, QuoteSettings
from outreach.site.quotes import services
from outreach.site.quotes.lines import read_lines, totals_of
from tests.kit.cast import Caller, Cast, make_cast
from tests.kit.threads import at_once
from tests.outreach.site.quotes.helpers import LINES, kinds, make_lead, make_quote, sent_quote

MISSING = "0" * 24


@pytest.mark.parametrize("path", ["key", "session"])
def test_create_and_read(cast: Cast, path: str) -> None:
    caller: Caller = getattr(cast, path)
    lead = make_lead(cast)
    body = {"lead": lead, "lines": LINES, "currency": "EUR", "validUntil": "2090-03-09", "notes": "Hi", "terms": "Net"}
    made = caller.post("/quote", {**body, "title": " Website "})
    assert made.status == 201, made.body
    quote = made.data
    # 2.5 × 99.99 = 249.975, rounded half up to 249.98; less ten percent: 224.9775, thus 224.98.
    assert [line["amount"] for line in quote["lines"]] == [224.98, 120.0]
    sums = {name: quote[name] for name in ("subtotal", "discount", "net", "tax", "total")}
    assert sums == {"subtotal": 369.98, "discount": 25.0, "net": 344.98, "tax": 51.15, "total": 396.13}
    assert quote["taxes"] == [{"rate": 7.0, "amount": 8.4}, {"rate": 19.0, "amount": 42.75}]
    assert (quote["number"], quote["version"], quote["status"], quote["title"]) == ("Q-0001", 1, "draft", "Website")
    assert (quote["lead"]["_id"], quote["lead"]["contact"]["name"]) == (lead, "Ada Lovelace")
    assert quote["owner"]["_id"] == cast.owner.pk
    assert quote["validUntil"] == "2090-03-09T23:59:59.000Z"
    assert caller.get(f"/quote/{quote['_id']}").data == quote
    assert caller.get("/quote", filters={"lead": lead, "status": "draft"}).data == [quote]
    assert caller.get("/quote", searchValue="lovelace").data == [quote]
    assert caller.get("/quote", filters={"lead": MISSING}).data == []
    assert kinds(cast) == ["quote.created"]


def test_a_lead_gives_its_products(cast: Cast) -> None:
    products = [
        cast.key.post("/product-service", {"formData": form}).data["_id"]
        for form in (
            {"name": "Tea", "price": 2.5, "currency": "EUR", "unit": "cup", "description": "Hot"},
            {"name": "Yen", "price": 900, "currency": "JPY"},
        )
    ]
    quote = make_quote(cast, make_lead(cast, productServices=products), currency="EUR", lines=LINES)
    lead = quote["lead"]["_id"]
    made = cast.key.post("/quote", {"lead": lead, "currency": "EUR"}).data
    assert [(line["product"], line["name"], line["unit"], line["unitPrice"]) for line in made["lines"]] == [
        (products[0], "Tea", "cup", 2.5),
        (products[1], "Yen", "", 0.0),
    ]
    # What the line says itself stands before what the product has.
    lines = [{"product": products[0], "name": "Green tea", "unitPrice": 3, "quantity": 4}]
    changed = cast.key.put(f"/quote/{made['_id']}", {"lines": lines}).data
    assert (changed["lines"][0]["name"], changed["lines"][0]["description"], changed["total"]) == (
        "Green tea",
        "Hot",
        12,
    )
    assert cast.key.delete("/product-service", {"ids": products}).status == 200
    assert cast.key.get(f"/quote/{made['_id']}").data["lines"] == changed["lines"]


@pytest.mark.parametrize(
    ("body", "name", "field"),
    [
        ({"lines": [{"quantity": 1}]}, "InvalidInput_400", "lines.0.name"),
        ({"lines": [{"name": "A"}, {"product": MISSING}]}, "ProductServiceNotFound_400", "lines.1.product"),
        ({"lines": [{"name": "A", "quantity": 10**9, "unitPrice": 10**9}]}, "InvalidInput_400", "lines.0.quantity"),
        ({"lines": [{"name": "A", "discount": 101}]}, "ValidationError_400", None),
        ({"lines": [{"name": "A", "quantity": -1}]}, "ValidationError_400", None),
        ({"lines": [{"name": "A", "unitPrice": 1e300}]}, None, "unitPrice"),
        ({"lines": [{"name": "A", "quantity": 0.1, "unitPrice": -1e11}]}, "ValidationError_400", "unitPrice"),
        ({"validUntil": "9999-12-31"}, None, "validUntil"),
        ({"currency": "ABC"}, "InvalidInput_400", "currency"),
        ({"owner": MISSING}, "MemberNotFound_404", "owner"),
        ({"validUntil": "soon"}, None, "validUntil"),
        ({"lead": MISSING}, "LeadNotFound_400", "lead"),
    ],
)
def test_refused_values(cast: Cast, body: dict[str, Any], name: str | None, field: str | None) -> None:
    refused = cast.key.post("/quote", {"lead": make_lead(cast), **body})
    assert refused.status in (400, 404), refused.body
    assert name is None or refused.body["name"] == name, refused.body
    assert field is None or field in str(refused.body), refused.body
    with cast.scope():
        # A refused quote takes no number.
        assert not QuoteSettings.objects.filter(last_number__gt=0).exists()


@pytest.mark.parametrize(
    ("currency", "price", "amount", "tax"),
    [("JPY", "10.5", "32", "3"), ("EUR", "0.335", "1.01", "0.1"), ("KWD", "0.3335", "1.001", "0.1")],
)
def test_amounts_are_rounded_half_up_to_the_decimals_of_the_currency(
    cast: Cast, currency: str, price: str, amount: str, tax: str
) -> None:
    with cast.scope():
        line = {"name": "A", "quantity": Decimal(3), "unit_price": Decimal(price), "tax": Decimal(10)}
        [read] = read_lines([line], currency, currency)
    assert read["amount"] == amount
    assert totals_of([read], currency).tax == Decimal(tax)


def test_only_drafts_change(cast: Cast) -> None:
    quote = sent_quote(cast)
    assert (quote["status"], quote["sentAt"] is not None) == ("sent", True)
    path = f"/quote/{quote['_id']}"
    for body in ({"title": "Other"}, {"lines": []}, {"owner": None, "notes": "x"}):
        assert cast.key.put(path, body).body["name"] == "QuoteCannotBeUpdated_400"
    assert cast.key.put(path, {"owner": None}).data["owner"] is None
    draft = make_quote(cast, quote["lead"]["_id"])
    every = {"ids": [quote["_id"], draft["_id"]]}
    assert cast.key.put("/quote", {**every, "validUntil": "2091-01-01"}).body["name"] == "QuoteCannotBeUpdated_400"
    done = cast.key.put("/quote", {**every, "owner": cast.narrow.pk})
    assert done.data == {"matchedCount": 2, "updatedCount": 2}
    assert cast.key.put("/quote", {"ids": [MISSING], "owner": None}).status == 404
    assert cast.key.get("/quote", mine="true").data == []


def test_a_revision_replaces_the_quote(cast: Cast) -> None:
    quote = sent_quote(cast)
    path = f"/quote/{quote['_id']}"
    assert cast.key.post(f"/quote/{make_quote(cast, quote['lead']['_id'])['_id']}/revise").status == 400
    revision = cast.key.post(f"{path}/revise").data
    assert (revision["number"], revision["version"], revision["status"]) == ("Q-0001", 2, "draft")
    assert revision["lines"] == quote["lines"]
    # The same call again finds the same draft.
    assert cast.key.post(f"{path}/revise").data["_id"] == revision["_id"]
    assert cast.key.get(path).data["replacedBy"] == revision["_id"]
    assert len(cast.key.get("/quote", filters={"current": True}).data) == 2
    assert cast.key.post(f"{path}/mark-sent").status == 400
    # Without the draft the former version counts again, and with it no longer.
    assert cast.key.delete(f"/quote/{revision['_id']}").status == 200
    assert cast.key.get(path).data["replacedBy"] is None
    assert cast.key.post("/quote/restore", {"ids": [revision["_id"]]}).data == {"restoredCount": 1}
    assert cast.key.get(path).data["replacedBy"] == revision["_id"]
    cast.key.post(f"/quote/{revision['_id']}/mark-sent")
    assert cast.key.post(f"{path}/revise").body["name"] == "QuoteCannotBeUpdated_400"
    assert cast.key.post(f"/quote/{revision['_id']}/revise").data["version"] == 3


def test_delete_restore_and_purge(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    first = make_quote(cast)
    second = make_quote(cast, first["lead"]["_id"])
    ids = [first["_id"], second["_id"]]
    assert cast.key.delete("/quote", {"ids": ids}).data == {"deletedCount": 2}
    assert cast.key.get(f"/quote/{ids[0]}").status == 404
    assert cast.key.delete("/quote", {"ids": ids}).status == 404
    assert cast.key.post("/quote/restore", {"ids": [*ids, MISSING]}).status == 404
    assert cast.key.post("/quote/restore", {"ids": ids}).data == {"restoredCount": 2}
    assert kinds(cast) == [
        f"quote.{word}" for word in ("created", "created", "deleted", "deleted", "restored", "restored")
    ]
    cast.key.delete(f"/quote/{ids[0]}")
    with unscoped(reason="test: the task works for all companies"):
        assert services.purge_quotes() is False
    with cast.scope():
        assert Quote.objects.count() == 2
    monkeypatch.setattr(services, "RESTORE_DAYS", 0)
    with unscoped(reason="test: the task works for all companies"):
        assert services.purge_quotes() is False
    with cast.scope():
        assert list(Quote.objects.values_list("pk", flat=True)) == [ids[1]]
    # A number is not given again.
    assert make_quote(cast, first["lead"]["_id"])["number"] == "Q-0003"


def test_quotes_of_deleted_leads_are_gone(cast: Cast) -> None:
    quote = make_quote(cast)
    lead = quote["lead"]["_id"]
    assert cast.key.delete("/lead", {"ids": [lead]}).status == 200
    assert cast.key.get("/quote").data == []
    assert cast.key.get(f"/quote/{quote['_id']}").status == 404


def test_timeline_of_the_lead(cast: Cast) -> None:
    quote = sent_quote(cast)
    deliver()
    with cast.scope():
        rows = LeadActivity.objects.filter(kind="quote").order_by("happened_at", "id")
        assert [(row.lead_id, row.details["event"], row.details["number"]) for row in rows] == [
            (quote["lead"]["_id"], "created", "Q-0001"),
            (quote["lead"]["_id"], "sent", "Q-0001"),
        ]
    entries = cast.key.get(f"/lead/{quote['lead']['_id']}/timeline").data
    assert "Quote sent: Q-0001" in [entry["title"] for entry in entries]


def test_settings(cast: Cast) -> None:
    stages = cast.key.get("/pipeline").data[0]["stages"]
    before = cast.session.get("/quote/settings").data
    assert (before["prefix"], before["nextNumber"], before["validDays"]) == ("Q-", "Q-0001", 30)
    values = {"prefix": "2026/", "validDays": 10, "terms": "Net 30", "acceptedStage": stages[1]["_id"]}
    changed = cast.key.put("/quote/settings", values).data
    assert {name: changed[name] for name in values} == values
    assert changed["nextNumber"] == "2026/0001"
    assert cast.key.put("/quote/settings", {"declinedStage": MISSING}).body["name"] == "StageNotFound_404"
    quote = make_quote(cast)
    assert (quote["number"], quote["terms"]) == ("2026/0001", "Net 30")
    assert cast.narrow_session.put("/quote/settings", values).status == 403


def test_the_pdf_is_in_the_formats_of_the_company(cast: Cast) -> None:
    quote = make_quote(cast, title="Größe ✓ 日本", notes="a" * 3000, terms="Net")
    answer = cast.key.get(f"/quote/{quote['_id']}/pdf")
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/pdf")
    assert answer.body.startswith(b"%PDF-")
    assert answer.headers["Content-Disposition"] == 'inline; filename="Q-0001.pdf"'


def test_another_company_sees_nothing(cast: Cast) -> None:
    quote = make_quote(cast)
    outsider = make_cast()
    for method, path in (
        ("GET", ""),
        ("GET", "/pdf"),
        ("PUT", ""),
        ("DELETE", ""),
        ("POST", "/send"),
        ("POST", "/revise"),
    ):
        body = {} if method != "GET" else None
        assert outsider.key.call(method, f"/quote/{quote['_id']}{path}", body).status == 404, (method, path)
    assert outsider.key.get("/quote").data == []
    assert outsider.key.post("/quote", {"lead": quote["lead"]["_id"]}).status == 400


@pytest.mark.django_db(transaction=True)
def test_numbers_have_no_gap_at_once() -> None:
    cast = make_cast()
    lead = make_lead(cast)

    def create(number: int) -> str:
        quote = services.create_quote(actor_id=cast.owner.pk, lead_id=lead, values={"lines": [{"name": "A"}]})
        return str(quote.number)

    assert sorted(at_once(5, cast.company.pk, create)) == [f"Q-000{number}" for number in range(1, 6)]
