"""Postings and sums of the books, in the transaction of the event that they record."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Sum

from billing.ledger.models import Posting

RECEIVABLE = "receivable"
REVENUE = "revenue"
BALANCE = "balance"
BANK = "cash:bank"
DISPUTED = "disputed"
WRITE_OFF = "writeoff"


def cash_account(gateway_slot: str) -> str:
    """Return the account of the money that came by a gateway."""
    return f"cash:{gateway_slot}"


def post_transaction(tx: str, currency: str, legs: Sequence[tuple[str, int]], *, about: str = "") -> None:
    """Write the lines of one transaction: account and amount. The database refuses a repeated one."""
    rows = [
        Posting(tx=tx, leg=leg, account=account, amount_minor=amount, currency=currency, about=about)
        for leg, (account, amount) in enumerate(legs)
        # A leg of zero would say nothing, and the table refuses it (posting_moves_something).
        if amount
    ]
    if rows:
        Posting.objects.bulk_create(rows)


def balance_of(currency: str) -> int:
    """Return the active company's credit, in minor units."""
    # Summed from the postings each time: a stored balance could drift from the books, and the
    # index posting_account makes the sum cheap.
    total = Posting.objects.filter(account=BALANCE, currency=currency).aggregate(sum=Sum("amount_minor"))["sum"]
    return -int(total or 0)
