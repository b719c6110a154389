"""What every record has, and what every record of a company has."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models

from core.ids import ObjectIdField, new_id
from core.tenancy import NoActiveCompany, active_scope, company_id


class BaseModel(models.Model):
    """An ObjectId and the two dates of the contract, kept without anyone's help."""

    id = ObjectIdField(primary_key=True, default=new_id)
    created_at = models.DateTimeField(auto_now_add=True, editable=False)
    updated_at = models.DateTimeField(auto_now=True, editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return str(getattr(self, "name", "") or self.pk)


class CompanyQuerySet(models.QuerySet):
    """A queryset whose bulk writes also stay inside the active company."""

    def bulk_create(self, objs: Any, *args: Any, **kwargs: Any) -> Any:
        objs = list(objs)
        for instance in objs:
            own(instance)
        return super().bulk_create(objs, *args, **kwargs)

    def create(self, **values: Any) -> Any:
        if "company" not in values and "company_id" not in values:
            values["company_id"] = company_id()
        return super().create(**values)


class CompanyManager(models.Manager.from_queryset(CompanyQuerySet)):  # type: ignore[misc]
    """Rows of the active company only; raises NoActiveCompany without one."""

    use_in_migrations = False

    def get_queryset(self) -> models.QuerySet:
        scope = active_scope()
        if scope is None:
            raise NoActiveCompany(
                f"{self.model.__name__} belongs to a company and none is active; open core.tenancy.company_scope(...)"
            )
        rows = super().get_queryset()
        return rows if scope.company_id is None else rows.filter(company_id=scope.company_id)


class CompanyRow(models.Model):
    """A row that belongs to one company. core.tenancy.row_security adds policies and composite foreign keys to its table after migrating."""

    company = models.ForeignKey(
        "accounts.Company", on_delete=models.CASCADE, db_index=False, related_name="+", editable=False
    )

    objects: ClassVar[CompanyManager] = CompanyManager()

    class Meta:
        abstract = True
        base_manager_name = "objects"

    def save(self, *args: Any, **kwargs: Any) -> None:
        own(self)
        super().save(*args, **kwargs)


class MaybeCompanyRow(CompanyRow):
    """A row that belongs to a company or to nobody; nobody's is seen by the staff alone."""

    company = models.ForeignKey(  # type: ignore[assignment]
        "accounts.Company", on_delete=models.CASCADE, null=True, db_index=False, related_name="+", editable=False
    )

    class Meta(CompanyRow.Meta):
        abstract = True


class CompanyModel(BaseModel, CompanyRow):
    """A record that belongs to one company: an ObjectId, the two dates, and the company."""

    class Meta(CompanyRow.Meta):
        abstract = True


def own(instance: CompanyRow) -> None:
    """Give the instance to the active company; raises when it already belongs to another one."""
    scope = active_scope()
    if scope is None:
        raise NoActiveCompany(f"a {type(instance).__name__} cannot be written while no company is active")
    if scope.company_id is None:
        return
    if instance.company_id is None:
        instance.company_id = scope.company_id
    elif instance.company_id != scope.company_id:
        raise NoActiveCompany(f"this {type(instance).__name__} belongs to another company than the active one")
