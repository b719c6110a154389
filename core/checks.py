"""System checks of the isolation of companies."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connections, models
from django.db.utils import Error as DatabaseError

from core.fields import CompanyForeignKey
from core.tenancy import use_owner_role
from core.tenancy.models import CompanyRow
from core.tenancy.row_security import INHERITED, company_models


@register(Tags.models)
def company_models_are_scoped(**_: Any) -> list[CheckMessage]:
    """Check that company-owned models keep the scoped manager and use CompanyForeignKey for references."""
    messages: list[CheckMessage] = []
    for model in company_models():
        if model._meta.base_manager_name != "objects":
            messages.append(
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
                messages.append(
                    Error("a reference to a company-owned model must be a CompanyForeignKey", obj=field, id="core.E002")
                )
        if model._meta.local_many_to_many:
            messages.append(
                Error("a many-to-many needs a company-owned through model of its own", obj=model, id="core.E003")
            )
    return messages


@register(Tags.database)
def login_role_inherits_nothing(databases: Any = None, **_: Any) -> list[CheckMessage]:
    """Check that a session that has lost its role sees no row. `migrate` corrects grants that it has made itself."""
    messages: list[CheckMessage] = []
    for alias in databases or []:
        try:
            with use_owner_role(), connections[alias].cursor() as cursor:
                cursor.execute(INHERITED)
                roles = [role for (role,) in cursor.fetchall()]
        except DatabaseError:
            continue  # config.checks says so
        for role in roles:
            messages.append(
                Warning(
                    f"the login role inherits {role}: a session that loses its role sees rows of all companies",
                    hint=f"Run migrate, or as a superuser GRANT {role} TO that role WITH INHERIT FALSE, SET TRUE",
                    id="core.W001",
                )
            )
    return messages
