"""State of the simulated gateway: orders, money moved, and planned failures."""

from __future__ import annotations

import random
import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from core.types import JsonObject

Answer = tuple[int, JsonObject]


@dataclass
class State:
    """Orders by the ids that gateways give them. `effects` are the movements of money, apart from all answers."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    orders: dict[str, JsonObject] = field(default_factory=dict)
    effects: list[JsonObject] = field(default_factory=list)
    refunds: list[JsonObject] = field(default_factory=list)
    disputes: list[JsonObject] = field(default_factory=list)
    answered: dict[tuple[str, str, str], tuple[bytes, Answer]] = field(default_factory=dict)
    """(gateway, path, idempotency key) -> the body and its answer."""
    faults: dict[str, float] = field(default_factory=dict)
    """lost_before, lost_after, error: how often a POST fails so."""
    bad: str = ""
    """Kind of failure of every response; empty for none."""

    def strikes(self, fault: str) -> bool:
        return random.random() < self.faults.get(fault, 0)  # noqa: S311  chance, no secret

    def new(self, prefix: str, **values: Any) -> JsonObject:
        """Keep a new order, under an id that no run before has given."""
        order = {"id": prefix + secrets.token_hex(8), **values}
        self.orders[order["id"]] = order
        return order

    def record_money(self, gateway: str, order: JsonObject, id: str) -> None:
        """Note that the money of an order has moved."""
        money = {name: order[name] for name in ("order", "amount", "currency")}
        self.effects.append({"gateway": gateway, **money, "id": id, "at": time.time()})

    def record_refund(self, of: str, amount: Any, **values: Any) -> JsonObject:
        """Note that money has gone back."""
        money = next((effect for effect in self.effects if of in (effect["id"], effect["order"])), {})
        about = {name: money.get(name) for name in ("gateway", "currency")}
        row = {"id": "rf_" + secrets.token_hex(8), "of": of, "amount": amount, "at": time.time(), **about, **values}
        self.refunds.append(row)
        return row

    def set_dispute(self, of: str, status: str = "open") -> JsonObject:
        """Create a dispute of a payment by the customer's bank, or decide one."""
        dispute = next((row for row in self.disputes if row["of"] == of), None)
        if dispute is None:
            money = next(row for row in self.effects if of in (row["id"], row["order"]))
            dispute = {**money, "id": "dp_" + secrets.token_hex(8), "of": of, "at": time.time()}
            self.disputes.append(dispute)
        dispute["status"] = status
        return dispute

    def rows_between(self, rows: list[JsonObject], gateway: str, since: float, until: float) -> list[JsonObject]:
        """Return a gateway's own rows of this time."""
        return [row for row in rows if row["gateway"] == gateway and int(since) <= row["at"] < until]

    def given_back(self, of: str) -> int:
        return sum(int(row["amount"]) for row in self.refunds if row["of"] == of)


class Dialect:
    """One gateway's wire format."""

    name = ""

    prefixes: tuple[str, ...] = ()
    """Prefixes of the ids of its orders."""

    def __init__(self, state: State, url: str) -> None:
        self.state = state
        self.url = url

    def answer(self, method: str, path: list[str], data: JsonObject, query: dict[str, str]) -> Answer | None:
        """Answer a call below the gateway's own address; None: there is no such address."""
        raise NotImplementedError

    def pay(self, order: JsonObject) -> None:
        """Perform the effects of the customer's click on the gateway's page."""
        raise NotImplementedError

    def page(self, order: JsonObject) -> str:
        """Return the address of the order's page."""
        return f"{self.url}/_pay/{self.name}/{order['id']}"

    def has(self, order: JsonObject) -> bool:
        """Return whether an order is this gateway's."""
        return str(order["id"]).startswith(self.prefixes)
