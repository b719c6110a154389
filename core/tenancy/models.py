"""The base models of all records, and of all records of a company."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from django.db import models
from django.db.models.sql import AND, Query

from core.ids import ObjectIdField, new_id
from core.tenancy import NoActiveCompany, active_scope, company_id
from core.text.formats import moment_text

_Row = TypeVar("_Row", bound=models.Model)


class BaseModel(models.Model):
    """A record with an ObjectId and the contract's two dates, which are set automatically."""

    id = ObjectIdField(primary_key=True, default=new_id)
    created_at = models.DateTimeField(auto_now_add=True, editable=False)
    updated_at = models.DateTimeField(auto_now=True, editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return str(getattr(self, "name", "") or self.dated_title())

    def dated_title(self) -> str:
        """Return the title of a record without a name: its kind, and its time of creation."""
        kind = str(self._meta.verbose_name)
        return f"{kind[:1].upper()}{kind[1:]} of {moment_text(self.created_at)}"


class CompanyQuerySet(models.QuerySet[_Row]):
    """A queryset whose writes stay inside the active company."""

    def bulk_create(self, objs: Any, *args: Any, **kwargs: Any) -> Any:
        # A generator would be used up by the loop.
        objs = list(objs)
        for instance in objs:
            assign_company(instance)
        return super().bulk_create(objs, *args, **kwargs)

    def create(self, **values: Any) -> Any:
        if "company" not in values and "company_id" not in values:
            values["company_id"] = company_id()
        return super().create(**values)


if TYPE_CHECKING:
    # The methods of a manager made by from_queryset() would return Any.
    _Manager = models.Manager
else:
    _Manager = models.Manager.from_queryset(CompanyQuerySet)


@dataclass(frozen=True)
class Owned:
    """The column of a record's owner, and the module whose recordScope limits members to their own records.

    `rank` orders what a row refers to: of several records the first one decides. `via` is a table whose visible rows
    make the records that they refer to readable.
    """

    module: str
    column: str
    rank: int
    via: tuple[str, str] | None = None


@dataclass(frozen=True)
class SeenByMember:
    """Rows that name records in no foreign key, and so need a condition of their own for members with own records.

    `condition` is SQL over the row, with `{member}` for the member, `{record}` for whether its record exists for them.
    `record` is its column of the record's id, and `kind` the SQL of the record's kind (contact, lead, organization).
    `parts` hides the rows that belong to hidden ones (references that cascade). Rows that are written before their
    records, or for others, are not `checked` when they are written.
    """

    condition: str
    record: str = ""
    kind: str = "''"
    parts: bool = False
    checked: bool = True


MADE_BY_MEMBER = SeenByMember("created_by_id = {member}", parts=True)
"""Jobs: their selections, reports and results name records, so they exist for the member who started them."""


class CompanyManager(_Manager[_Row]):
    """The rows of the active company. Raises NoActiveCompany without one."""

    use_in_migrations = False

    def get_queryset(self) -> models.QuerySet[_Row]:
        scope = active_scope()
        if scope is None:
            raise NoActiveCompany(
                f"{self.model.__name__} belongs to a company and none is active; open core.tenancy.company_scope(...)"
            )
        # Read when the queryset is made, and not when the manager is: managers are shared by all threads.
        rows = super().get_queryset()
        # Without the condition under unscoped(), where the role already sees all rows.
        if scope.company_id is not None:
            limit(rows.query, "company", scope.company_id)
        return rows


def limit(query: Query, name: str, value: Any) -> None:
    """Add the condition that filter() adds for a column and its value.

    filter() takes five times as long. This is for the first condition of nearly every read.
    """
    field: Any = query.get_meta().get_field(name)
    column = field.get_col(query.get_initial_alias())
    query.where.add(field.get_lookup("exact")(column, value), AND)


class CompanyRow(models.Model):
    """A row that belongs to one company.

    After migrating, core.tenancy.row_security adds policies and composite foreign keys to its table.
    """

    # No index of its own: each table's indexes begin with the company, together with what is asked for.
    company = models.ForeignKey(
        "accounts.Company", on_delete=models.CASCADE, db_index=False, related_name="+", editable=False
    )

    owned: ClassVar[Owned | None] = None
    """The owner's column of records that have an owner."""
    seen_by: ClassVar[SeenByMember | None] = None
    """The rows that exist for a member with own records, of rows without a foreign key to one."""
    objects: ClassVar[CompanyManager[Self]] = CompanyManager()

    class Meta:
        abstract = True
        # Related objects and refresh_from_db use the base manager, which must not see more than the default
        # one.
        base_manager_name = "objects"

    def save(self, *args: Any, **kwargs: Any) -> None:
        assign_company(self)
        super().save(*args, **kwargs)


class MaybeCompanyRow(CompanyRow):
    """A row that belongs to a company or to none. Only staff see rows of none."""

    company = models.ForeignKey(  # type: ignore[assignment]
        "accounts.Company", on_delete=models.CASCADE, null=True, db_index=False, related_name="+", editable=False
    )

    class Meta(CompanyRow.Meta):
        abstract = True


class CompanyModel(BaseModel, CompanyRow):
    """A record of one company, with an ObjectId and the two dates."""

    class Meta(CompanyRow.Meta):
        abstract = True


def assign_company(instance: CompanyRow) -> None:
    """Set the instance's company to the active one. Raises NoActiveCompany if it belongs to another."""
    scope = active_scope()
    if scope is None:
        raise NoActiveCompany(f"a {type(instance).__name__} cannot be written while no company is active")
    if scope.company_id is None:
        return
    if instance.company_id is None:
        instance.company_id = scope.company_id
    # The database would refuse it too; here the error names the model.
    elif instance.company_id != scope.company_id:
        raise NoActiveCompany(f"this {type(instance).__name__} belongs to another company than the active one")
