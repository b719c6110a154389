"""Types of the API's answers about organizations, as pages read them."""

from __future__ import annotations

from typing import TypedDict

from core.types import Values


class OrganizationData(TypedDict):
    """An organization."""

    _id: str
    name: str
    domain: str | None
    owner: Values | None
    tags: list[Values]
    formData: Values
    importId: str | None
    createdBy: Values | None
    updatedBy: Values | None
    isDeleted: bool
    createdAt: str
    updatedAt: str
