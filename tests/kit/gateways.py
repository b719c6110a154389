"""The stand-in for payment gateways, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from billing.gateways.base import Credentials, Gateway
from billing.gateways.registry import ADAPTERS, adapter_class
from config.local.gateway_standin.server import Server, run_server

SECRETS = {
    "stripe": ("", "sk_test_1", "whsec_1"),
    "paypal": ("client", "secret", "WH1"),
    "razorpay": ("rzp_test_1", "secret", "hook-secret"),
    "mollie": ("", "test_1234567890", ""),
    "paystack": ("", "sk_test_p", ""),
}
CURRENCIES = {"stripe": "USD", "paypal": "EUR", "razorpay": "INR", "mollie": "EUR", "paystack": "NGN"}
TOKENS = {"stripe": "pm_1", "paypal": "vault_1", "razorpay": "token_1", "mollie": "mdt_1", "paystack": "AUTH_1"}
DECLINED = {
    "stripe": "pm_declined",
    "paypal": "declined",
    "razorpay": "token_declined",
    "mollie": "mdt_declined",
    "paystack": "AUTH_declined",
}
LETTERS = dict(zip("abcde", ADAPTERS, strict=True))


@contextmanager
def standin() -> Iterator[Server]:
    with run_server() as server:
        yield server


def gateway(name: str, server: Server) -> Gateway:
    """Return the adapter, speaking to the stand-in."""
    key_id, secret_key, webhook_secret = SECRETS[name]
    credentials = Credentials(
        key_id=key_id, secret_key=secret_key, webhook_secret=webhook_secret, base_url=server.base(name)
    )
    return adapter_class(name)(credentials)
