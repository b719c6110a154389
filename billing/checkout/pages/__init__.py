"""The pages of buying: choose and see the price, pay, seats, ways to pay, invoices, pause and cancel."""

from __future__ import annotations

from billing.checkout.pages.buy import BuyPlan
from billing.checkout.pages.cancel import CancelPlan
from billing.checkout.pages.details import Details
from billing.checkout.pages.invoices import Invoices
from billing.checkout.pages.methods import PaymentMethods
from billing.checkout.pages.pause import PausePlan
from billing.checkout.pages.pay import PayOrder
from billing.checkout.pages.seats import ChangeSeats

PAGES = [BuyPlan, PayOrder, ChangeSeats, Invoices, PaymentMethods, PausePlan, CancelPlan, Details]
