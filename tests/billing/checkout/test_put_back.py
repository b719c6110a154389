"""Orders and subscriptions are put back as GET gave them, and say nothing of money."""

from __future__ import annotations

from typing import Any

import pytest

from config.local.gateway_standin.server import Server
from tests.billing.checkout.helpers import buyer, order, pay
from tests.kit.cast import Cast

pytestmark = pytest.mark.django_db


def other(value: Any) -> Any:
    """Return a value that differs from this one."""
    if isinstance(value, bool):
        return not value
    return "other"


def check(cast: Cast, path: str, key: str, value: Any, fixed: tuple[str, ...]) -> None:
    """Put the answer of a path back as it is, with one value changed, and with values that cannot be written."""
    before = cast.session.get(path).data
    answer = cast.session.put(path, before)
    assert (answer.status, answer.data, answer.body.get("warning")) == (200, before, None), answer.body
    for name in fixed:
        refused = cast.session.put(path, {**before, key: value, name: other(before[name])})
        assert (refused.status, [error["field"] for error in refused.body["errors"]]) == (400, [name]), refused.body
        assert cast.session.put(path, {name: before[name]}).status == 400
    assert cast.session.get(path).data == before
    changed = cast.session.put(path, {**before, key: value})
    assert (changed.status, changed.data[key]) == (200, value), changed.body


def test_an_order_is_put_back(server: Server) -> None:
    cast, plan = buyer()
    made = order(cast, plan)["payment"]
    assert cast.session.post("/manual-payment", {"paymentID": made["_id"], "reference": "x"}).status == 201
    check(cast, f"/manual-payment/{made['_id']}", "note", "from our other account", ("status", "state", "amount"))


def test_a_subscription_is_put_back(server: Server) -> None:
    cast, plan = buyer()
    made = order(cast, plan)["payment"]
    pay(cast, made["_id"])
    check(cast, f"/subscription/{made['subscriptionID']}", "cancelAtPeriodEnd", True, ("status", "currency"))
    overdue = cast.session.get(f"/subscription/{made['subscriptionID']}").data
    moved = {**overdue, "balance": [{"amount": "5.00", "amountMinor": 500, "currency": "USD"}]}
    answer = cast.session.put(f"/subscription/{made['subscriptionID']}", {**moved, "cancelAtPeriodEnd": False})
    assert (answer.status, answer.data["cancelAtPeriodEnd"], answer.data["balance"]) == (200, False, overdue["balance"])
    assert "balance" in answer.body["warning"]
