"""Payments, renewals, invoices and the programs' rewards."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from config.env import env, payment_gateway

REFER_REWARD_PERCENT = Decimal(env("REFER_REWARD_PERCENT", default="20"))
"""The referral program's reward: this share of the referred company's first payment, in the payment's currency."""
REWARD_HOLD = timedelta(days=env.int("REWARD_HOLD_DAYS", default=120))
"""Time for which a reward is pending, because payments may be returned: banks usually take disputes for as long."""
GRACE_PERIOD = timedelta(days=env.int("GRACE_DAYS", default=7))
"""Time for which a company keeps its access after an unpaid subscription period."""
DUNNING_DAYS = tuple(env.list("DUNNING_DAYS", cast=int, default=[0, 1, 3, 5, 7]))
"""The days after a renewal on which a saved method is charged; each but the first after a refusal."""
COLLECTIONS_PER_SECOND = env.float("COLLECTIONS_PER_SECOND", default=10.0)
"""Maximum number of renewals charged a second if many are due at once: gateways limit the requests of an account."""
GATEWAYS = {letter: payment_gateway(letter) for letter in "abcde" if env(f"GATEWAY_{letter.upper()}", default="")}
"""Letter of /gateway-x -> its payment gateway and keys. They take precedence over those of the back office."""
INVOICE_FONTS = env("INVOICE_FONTS", default="")
"""A folder of fonts for invoices, in addition to those of typst."""
VIES_URL = env("VIES_URL", default="").rstrip("/")
REFUND_APPROVAL_ABOVE = Decimal(env("REFUND_APPROVAL_ABOVE", default="100"))
"""Refunds above this amount, in any currency, wait for the approval of a second staff member."""
PAYMENT_BACKOFF = env.float("PAYMENT_BACKOFF", default=2.0)
"""Base of the delays, in seconds, between polls of a payment whose gateway doesn't respond."""
