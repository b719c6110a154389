"""Sample people: made-up contacts that a new company tries the product with. Nothing is ever mailed to them."""

from __future__ import annotations

from core.types import JsonObject

TAG = "Sample"
DOMAIN = "sample.example"
"""The domain of their addresses. RFC 2606 reserves its top level, so that it can never exist."""
COUNTRY_CODE, FIRST_NUMBER = "+44", 7_700_900_100
"""The first of the numbers that Ofcom keeps for films."""
NAMES = (
    "Amara Okafor", "Ben Carter", "Chloe Dubois", "Daniel Weiss", "Elena Rossi", "Farid Haddad", "Grace Kim",
    "Hugo Lindqvist", "Isla Murray", "Jonas Becker", "Katya Ivanova", "Liam Walsh", "Maya Patel", "Noah Jansen",
    "Olivia Santos", "Priya Nair", "Quentin Moreau", "Rosa Delgado", "Samuel Osei", "Tara Novak",
)  # fmt: skip


def is_sample(address: str) -> bool:
    """Return whether an address is that of a sample person."""
    return address.lower().endswith(f"@{DOMAIN}")


def sample_people() -> list[JsonObject]:
    """Return the sample people, as POST /contact/bulk takes contacts."""
    return [
        {
            "name": name,
            "email": f"{name.lower().replace(' ', '.')}@{DOMAIN}",
            "countryCode": COUNTRY_CODE,
            "number": str(FIRST_NUMBER + place),
        }
        for place, name in enumerate(NAMES)
    ]
