"""ALL /api/private/currencies: the currencies on offer, whatever the method."""

from __future__ import annotations

import pytest

from billing.models import Currency
from tests.kit.cast import Caller, Cast, session_headers

pytestmark = pytest.mark.django_db
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@pytest.fixture
def private(cast: Cast) -> Caller:
    """The owner, with the session alone."""
    return Caller("/api/private", {"Authorization": session_headers(cast.owner)["Authorization"]})


@pytest.mark.parametrize("method", METHODS)
def test_every_method_answers_the_same(private: Caller, method: str) -> None:
    answer = private.call(method, "/currencies")
    assert answer.status == 200
    codes = [row["code"] for row in answer.data]
    assert codes == sorted(codes)
    assert len(codes) == answer.body["totalCount"] == Currency.objects.count()
    rows = {row["code"]: row for row in answer.data}
    assert rows["EUR"] == {
        "_id": Currency.objects.get(code="EUR").pk,
        "code": "EUR",
        "name": "Euro",
        "symbol": "€",
        "decimals": 2,
    }
    assert (rows["JPY"]["decimals"], rows["KWD"]["decimals"], rows["INR"]["symbol"]) == (0, 3, "₹")
    assert "DEM" not in rows


def test_a_body_is_not_read(private: Caller) -> None:
    answer = private.client.generic(
        "POST", "/api/private/currencies", b"{", content_type="application/json", headers=private.headers
    )
    assert answer.status_code == 200


def test_inactive_ones_are_not_on_offer(private: Caller) -> None:
    Currency.objects.filter(code="EUR").update(is_active=False)
    assert "EUR" not in [row["code"] for row in private.get("/currencies").data]


def test_list_contract(private: Caller) -> None:
    page = private.get("/currencies", p="1", n="3")
    assert ([row["code"] for row in page.data], page.body["totalCount"]) == (
        ["AED", "AFN", "ALL"],
        Currency.objects.count(),
    )
    assert private.get("/currencies", n="3", cursor=page.body["nextCursor"]).data[0]["code"] == "AMD"
    assert [
        row["code"] for row in private.get("/currencies", searchValue="franc", sortBy="code", sortOrder="desc").data
    ][0] == "XPF"
    assert [row["code"] for row in private.get("/currencies", filters={"code": "eur"}).data] == ["EUR"]
    assert private.get("/currencies", currency="EUR").status == 400


def test_for_whoever_is_logged_in_and_nobody_else(cast: Cast, private: Caller) -> None:
    assert Caller("/api/private", {}).get("/currencies").status == 401
    assert Caller("/api/private", {"apikey": cast.api_key.key}).get("/currencies").status == 401
