"""What the makers of rows share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import models

from core.tenancy import company_scope
from tests.kit.factories import CompanyFactory

SECRET = "zq-top-secret-zq"
HASHES = "abad1dea" * 8


def in_other_company(make: Callable[[], Any]) -> Any:
    """For models of which a company has one: each row in a company of its own."""
    with company_scope(CompanyFactory().pk):
        return make()


Makers = dict[type[models.Model], Callable[[int], models.Model]]
