"""Types of the API's answers about contacts, as pages read them."""

from __future__ import annotations

from typing import TypedDict

from core.types import Values


class ContactData(TypedDict):
    """A contact."""

    _id: str
    name: str
    email: str | None
    countryCode: str | None
    number: str | None
    contactNumber: str | None
    category: Values | None
    organization: Values | None
    owner: Values | None
    tags: list[Values]
    formData: Values
    importId: str | None
    unsubscribed: bool
    unsubscribedAt: str | None
    createdBy: Values | None
    updatedBy: Values | None
    isDeleted: bool
    createdAt: str
    updatedAt: str
