"""Reads webhooks of mail vendors: whether they are the vendor's own, and the events in them."""

from __future__ import annotations

from django.http import HttpRequest

from core.crypto import SecretUnreadable
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.mail_vendors.webhooks import HookRefused, ProviderEvent


def signed_token(app: MailApp, request: HttpRequest) -> tuple[str, str] | None:
    """Return the token of a webhook whose signature covers that and not the events, and what came with it, both as
    hashes; None for the webhooks of other vendors. Raises HookRefused."""
    try:
        return app.spec.signed_token(request)
    except RecursionError:
        raise HookRefused("it is nested too deep") from None


def read_hook(app: MailApp, request: HttpRequest) -> list[ProviderEvent]:
    """Return the events of a webhook that is the vendor's own. Raises HookRefused for any other."""
    if not app.spec.has_webhooks:
        raise HookRefused("the vendor has no webhooks")
    try:
        app.spec.verify_webhook(app, request)
        return app.spec.parse_webhook(request)
    except (HookRefused, SecretUnreadable):
        raise HookRefused("not the vendor's own") from None
    # A vendor that gets a 500 repeats the request for hours; a 403 is shown to the owner.
    except Exception as error:  # noqa: BLE001  whatever stands in a body, it is answered
        raise HookRefused(f"cannot be read ({type(error).__name__})") from None
