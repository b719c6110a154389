"""System checks: what `manage.py check` says about the walls between companies."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connections, models
from django.db.utils import Error as DatabaseError

from core.db.walls import company_models
from core.fields import CompanyForeignKey
from core.models import CompanyRow
from core.tenancy import as_owner


@register(Tags.models)
def company_models_are_scoped(**_: Any) -> list[CheckMessage]:
    """Each company-owned model keeps the scoped managers and refers to its company's records by CompanyForeignKey."""
    found: list[CheckMessage] = []
    for model in company_models():
        if model._meta.base_manager_name != "objects":
            found.append(Error("its Meta must inherit CompanyRow.Meta, or related lookups leave the company", obj=model, id="core.E001"))
        for field in model._meta.local_fields:
            target = field.related_model
            is_reference = isinstance(field, models.ForeignKey) and isinstance(target, type) and issubclass(target, CompanyRow)
            if is_reference and not isinstance(field, CompanyForeignKey):
                found.append(Error("a reference to a company-owned model must be a CompanyForeignKey", obj=field, id="core.E002"))
        if model._meta.local_many_to_many:
            found.append(Error("a many-to-many needs a company-owned through model of its own", obj=model, id="core.E003"))
    return found


LEAKPROOF = ("textlike", "texticlike", "upper", "lower", "jsonb_contains")


@register(Tags.database)
def searches_can_use_indexes(databases: Any = None, **_: Any) -> list[CheckMessage]:
    """Under row-level security the search functions must be LEAKPROOF, or searching a large company is slow (design, tenancy trap)."""
    found: list[CheckMessage] = []
    for alias in databases or []:
        try:
            with as_owner(), connections[alias].cursor() as cursor:
                cursor.execute(
                    "SELECT proname FROM pg_proc WHERE proname = ANY(%s) AND NOT proleakproof AND pronamespace = 'pg_catalog'::regnamespace"
                    " AND (proargtypes[0] IN ('text'::regtype, 'jsonb'::regtype))",
                    [list(LEAKPROOF)],
                )
                leaky = sorted({name for (name,) in cursor.fetchall()})
        except DatabaseError as error:
            return [Warning(f"the database did not answer: {error}", id="core.W001")]
        if leaky:
            found.append(
                Warning(
                    f"not LEAKPROOF: {', '.join(leaky)}; searches in companies of more than 100,000 contacts will take seconds",
                    hint="As superuser: ALTER FUNCTION pg_catalog.textlike(text, text) LEAKPROOF; and so on (docs/operations.md).",
                    id="core.W002",
                )
            )
    return found
