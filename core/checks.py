"""System checks of the isolation of companies."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import models

from core.fields import CompanyForeignKey
from core.tenancy.models import CompanyRow
from core.tenancy.row_security import company_models


@register(Tags.models)
def company_models_are_scoped(**_: Any) -> list[CheckMessage]:
    """Check that company-owned models keep the scoped manager and use CompanyForeignKey for references."""
    found: list[CheckMessage] = []
    for model in company_models():
        if model._meta.base_manager_name != "objects":
            found.append(
                Error(
                    "its Meta must inherit CompanyRow.Meta, or related lookups leave the company",
                    obj=model,
                    id="core.E001",
                )
            )
        for field in model._meta.local_fields:
            target = field.related_model
            is_reference = (
                isinstance(field, models.ForeignKey) and isinstance(target, type) and issubclass(target, CompanyRow)
            )
            if is_reference and not isinstance(field, CompanyForeignKey):
                found.append(
                    Error("a reference to a company-owned model must be a CompanyForeignKey", obj=field, id="core.E002")
                )
        if model._meta.local_many_to_many:
            found.append(
                Error("a many-to-many needs a company-owned through model of its own", obj=model, id="core.E003")
            )
    return found
