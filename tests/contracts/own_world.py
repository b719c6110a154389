"""A company whose records are the owner's, and a member whose role limits them to records of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, connection, models, transaction

from accounts.roles.permissions import METHODS, MODULES
from core.ids import new_id
from core.tenancy import OwnRecords, company_scope, unscoped
from core.tenancy.own_rows import narrowed_models, owned_models
from core.tenancy.row_security import company_models
from crm.models import Contact, Lead, Organization
from tests.config.examples_world import World, make_world
from tests.guards.population import populate
from tests.guards.routes import Operation
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory, OrganizationFactory

ANY_MODULE = {module: dict.fromkeys(METHODS, True) for module in MODULES}
OWN = {"contact": "own", "lead": "own"}
CUT = re.compile("[0-9a-f]{1,23}")
"""The beginning of an id, which others share."""
PARAMETER = re.compile(r"<\w+:\w+>")
PARAMETER_NAME = re.compile(r"<\w+:(\w+)>")
COMMON = re.compile(r"https?://.*|[a-z]+(_[a-z]+)+|Came in by the website")
SECRETS = ("Zara Other-Contact", "Other Organization Ltd", "Notes of another lead", "zara.other")
"""Values of the records of others."""


def limit(cast: Cast, scope: dict[str, str] | None = None) -> None:
    """Give the narrow member every permission, and records of their own alone."""
    with cast.scope():
        cast.narrow.role.permission = ANY_MODULE
        cast.narrow.role.record_scope = OWN if scope is None else scope
        cast.narrow.role.save()


@dataclass
class Others:
    """The records of others: their ids by model, and the words that nobody else may meet."""

    world: World
    ids: dict[type[models.Model], str]
    words: set[str]
    by_path: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def cast(self) -> Cast:
        return self.world.cast

    def named(self, head: str, name: str) -> str:
        """Return the id that a parameter of the path names: that of the newest row of the list before it."""
        if (head, name) not in self.by_path:
            try:
                self.by_path[head, name] = str(self.world.parameter("key", head, name))
            except (AssertionError, LookupError, TypeError):
                self.by_path[head, name] = ""  # no list, or an empty one
        return self.by_path[head, name]

    def met_in(self, text: str) -> set[str]:
        return {word for word in self.words if word in text}

    def rows(self) -> dict[str, set[str]]:
        """Return the present rows that do not exist for the member, as texts, by table."""
        own = OwnRecords(self.cast.narrow.pk, frozenset(OWN))
        with company_scope(self.cast.company.pk, own):
            visible = _rows()
        with unscoped(reason="test: the rows of everybody"):
            return {table: rows - visible.get(table, set()) for table, rows in _rows().items()}

    def gone(self, before: dict[str, set[str]]) -> dict[str, set[str]]:
        """Return the rows that are no longer as they were, by table."""
        with unscoped(reason="test: the rows of everybody"):
            now = _rows()
        gone = {table: rows - now.get(table, set()) for table, rows in before.items()}
        return {table: rows for table, rows in gone.items() if rows}


def _rows() -> dict[str, set[str]]:
    """Return the rows of the narrowed tables of records that exist in the scope, as texts, by table."""
    statement = " UNION ALL ".join(
        f"SELECT '{model._meta.db_table}', t::text FROM {model._meta.db_table} t"
        for model in narrowed_models()
        if model._meta.app_label in ("crm", "outreach", "workflows")
    )
    tables: dict[str, set[str]] = {}
    with connection.cursor() as cursor:
        cursor.execute(statement)
        for table, text in cursor.fetchall():
            tables.setdefault(table, set()).add(text)
    return tables


def make_others() -> Others:
    """Make a company with a record of everything that is the owner's, and a member with records of their own."""
    world = make_world()
    cast = world.cast
    limit(cast)
    made = populate(cast)
    with cast.scope():
        for number, contact in enumerate(Contact.objects.order_by("pk")):
            contact.name = f"{SECRETS[0]} {number}"
            contact.email = f"zara.other{number}@example.net"
            contact.organization_id = made[Organization]
            contact.owner = cast.owner
            contact.save()
        Organization.objects.update(owner=cast.owner)
        Organization.objects.filter(pk=made[Organization]).update(name=SECRETS[1], domain="zara.other.example")
        Lead.objects.update(notes=SECRETS[2], organization=made[Organization], team_member=cast.owner)
        refer(made)
        hidden = [model for model in narrowed_models() if getattr(model, "seen_by", None) is None]
        shared = [model for model in company_models() if model not in narrowed_models()]
        words = {word for model in hidden for word in words_of(model)} | set(SECRETS)
        words -= {word for model in shared for word in words_of(model)} | {cast.company.pk, cast.owner.user.email}
        ids = {model: made[model] for model in narrowed_models() if model in made}
        own_records(cast)
    words = {word for word in words if not COMMON.fullmatch(word)}
    return Others(world, ids, words)


def own_records(cast: Cast) -> None:
    """Make a contact, a lead and an organization of the narrow member."""
    firm = OrganizationFactory(name="Own Organization", owner=cast.narrow)
    contact = ContactFactory(name="Own Contact", owner=cast.narrow, organization=firm)
    LeadFactory(contact=contact, team_member=cast.narrow)


def refer(made: dict[type[models.Model], Any]) -> None:
    """Let every row that can refer to a record of others do so."""
    owned = owned_models()
    for model in narrowed_models() - set(owned):
        for column in model._meta.local_fields:
            if column.related_model not in owned:
                continue
            try:
                with transaction.atomic():
                    rows = model._default_manager.filter(**{f"{column.name}__isnull": True})
                    rows.update(**{column.name: made[column.related_model]})
            except IntegrityError:
                continue  # it refers to one of them alone


def words_of(model: type[models.Model]) -> Iterator[str]:
    """Yield the long texts of a model's rows."""
    texts = [
        column.attname
        for column in model._meta.local_fields
        if isinstance(column, models.CharField | models.TextField)
        and not column.choices
        and (column.primary_key or not column.is_relation)
    ]
    for row in model._default_manager.values_list(*texts):
        yield from (value for value in row if isinstance(value, str) and len(value) >= 16 and not CUT.fullmatch(value))


def addresses(others: Others, operation: Operation) -> Iterator[tuple[str, str]]:
    """Yield the addresses of an operation with their ids: of records of others, and of what its parameter names."""
    number = len(PARAMETER.findall(operation.path))
    if not number:
        yield "/" + operation.path, ""
        return
    ids = {others.ids[model]: None for model in owned_models()}
    path = PARAMETER_NAME.sub(r"{\1}", operation.path).split("protected/")[1]
    head, _, rest = path.partition("/{")
    ids[others.named(head, rest.partition("}")[0])] = None
    for id in filter(None, ids):
        address = "/" + PARAMETER.sub(id, operation.path, count=1)
        yield PARAMETER.sub(id, address), id


def missing_address(operation: Operation) -> tuple[str, str]:
    """Return the address of records that nobody has, and the id."""
    id = new_id()
    return "/" + PARAMETER.sub(id, operation.path), id
