"""The payment gateways: name -> the path of its adapter. Each is loaded when it is first used."""

from __future__ import annotations

from importlib import import_module

from billing.gateways.base import Gateway

ADAPTERS = {
    "stripe": "Stripe",
    "paypal": "PayPal",
    "razorpay": "Razorpay",
    "mollie": "Mollie",
    "paystack": "Paystack",
}
"""The module in billing.gateways.adapters -> its class."""


def adapter_class(name: str) -> type[Gateway]:
    """Return the adapter's class."""
    gateway: type[Gateway] = getattr(import_module(f"billing.gateways.adapters.{name}"), ADAPTERS[name])
    return gateway


def title_of(name: str) -> str:
    """Return a gateway's name as people know it."""
    return adapter_class(name).title if name in ADAPTERS else name
