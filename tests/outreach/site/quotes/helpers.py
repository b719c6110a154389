"""Quotes, and customers who open them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.test import Client

from core.models import Event
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory

LINES = [
    {"name": "Design", "quantity": 2.5, "unit": "hour", "unitPrice": 99.99, "discount": 10, "tax": 19},
    {"name": "Hosting", "description": "A year", "unitPrice": 120, "tax": 7},
]


def make_lead(cast: Cast, **values: Any) -> str:
    """Make a lead of Ada in the default pipeline."""
    with cast.scope():
        contact = ContactFactory(name="Ada Lovelace", email="ada@example.com", custom={})
    answer = cast.key.post("/lead", {"contact": contact.pk, "teamMember": cast.owner.pk, **values})
    assert answer.status == 201, answer.body
    return str(answer.data["_id"])


def make_quote(cast: Cast, lead: str = "", **values: Any) -> dict[str, Any]:
    """Make a draft of two lines."""
    answer = cast.key.post("/quote", {"lead": lead or make_lead(cast), "lines": LINES, "currency": "EUR", **values})
    assert answer.status == 201, answer.body
    return dict(answer.data)


def sent_quote(cast: Cast, lead: str = "", **values: Any) -> dict[str, Any]:
    """Make a quote that the customer has."""
    quote = make_quote(cast, lead, **values)
    answer = cast.key.post(f"/quote/{quote['_id']}/mark-sent")
    assert answer.status == 200, answer.body
    return dict(answer.data)


def path_of(quote: dict[str, Any]) -> str:
    return urlsplit(quote["url"]).path


def open_page(quote: dict[str, Any], client: Client | None = None) -> str:
    shown = (client or Client()).get(path_of(quote))
    assert shown.status_code == 200
    return " ".join(shown.content.decode().split())


def answer(quote: dict[str, Any], **values: str) -> Any:
    """Send the form of the page, as a browser with its cookie does, whatever became of the quote since."""
    client = Client(enforce_csrf_checks=True)
    client.get(path_of(quote))
    secret = "a" * 32
    client.cookies[settings.CSRF_COOKIE_NAME] = secret
    return client.post(path_of(quote), {"csrfmiddlewaretoken": secret, **values})


def accept(quote: dict[str, Any], name: str = "Ada L.") -> Any:
    return answer(quote, do="accept", name=name, agree="yes")


def kinds(cast: Cast) -> list[str]:
    """Return the kinds of the events of quotes, in their order."""
    with cast.scope():
        return list(Event.objects.filter(kind__startswith="quote.").order_by("sequence").values_list("kind", flat=True))
