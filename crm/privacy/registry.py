"""The registry of tables with personal data of contacts, which access requests and erasure read.

Each domain registers its own tables (`register_personal_data`) when it is ready. Every table that refers to contacts or
leads must be registered; a test checks it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

from django.db.models import Exists, Func, Model, OuterRef, Q, QuerySet, TextField, Value
from django.db.models.functions import Cast
from django.db.models.lookups import IContains

from core.errors import NamedError
from core.fields import CompanyForeignKey
from core.internals.django import raw_delete, referrers
from core.text.json import dumps
from core.types import JsonObject
from crm.activities.models import CallLog, FollowUp, LeadActivity
from crm.comments.models import Comment
from crm.contacts.models import Contact
from crm.leads.models import Lead
from crm.meetings.models import Meeting
from crm.records.types import RECORD_TYPES

INTERNAL = frozenset({"company_id", "lease", "worker", "deaths", "email_identity", "sort_name", "search"})
"""Columns without information about the contact beyond that of other columns, such as derived columns."""
MIN_DIGITS = 6
"""Shorter numbers are not searched for in texts: too many texts contain them."""


@dataclass(frozen=True)
class DataSubject:
    """The person the data is about: a contact with the contacts merged into it, and the leads of all of them."""

    contact: Contact
    contact_ids: list[str]
    lead_ids: list[str]
    emails: list[str]
    """In lower case."""
    numbers: list[str]
    """Digits only: the national numbers, which are the end of the international ones."""
    names: list[str]
    import_ids: list[str]

    @classmethod
    def of(cls, contact_id: str, *, lock: bool = False) -> Self:
        """Return the subject of a contact that is not erased, live or deleted. With `lock` its records stay unchanged
        and get no new references until the caller's transaction ends.

        Raises ContactNotFound_400, and InvalidRequest_400 for a contact that was merged into another.
        """
        contacts = {contact.pk: contact for contact in _rows(Q(pk=contact_id, erased_at=None), lock)}
        contact = contacts.get(contact_id)
        if contact is None:
            raise NamedError("ContactNotFound_400", "there is no such contact in this company", field="id")
        if contact.merged_into_id:
            raise NamedError(
                "InvalidRequest_400",
                f"the contact was merged into {contact.merged_into_id}, which holds what is known of it",
                field="id",
            )
        # Merges chain: a contact that was merged may be the winner of an earlier merge.
        loser_ids = [contact_id]
        while loser_ids:
            losers = [loser for loser in _rows(Q(merged_into__in=loser_ids), lock) if loser.pk not in contacts]
            contacts |= {loser.pk: loser for loser in losers}
            loser_ids = [loser.pk for loser in losers]
        ids = sorted(contacts)
        leads = Lead.objects.filter(contact__in=ids).order_by("pk")
        # FOR UPDATE and not NO KEY: nobody may add a reference to these records while they are erased.
        leads = leads.select_for_update(of=("self",)) if lock else leads
        rows = list(leads.values_list("pk", "import_job_id"))
        records = list(contacts.values())
        return cls(
            contact=contact,
            contact_ids=ids,
            lead_ids=[pk for pk, _ in rows],
            emails=sorted({record.email.lower() for record in records if record.email}),
            numbers=sorted({record.number for record in records if record.number and len(record.number) >= MIN_DIGITS}),
            names=sorted({record.name for record in records if len(record.name) > 1}),
            import_ids=sorted(
                {id for id in [*(record.import_job_id for record in records), *(job for _, job in rows)] if id}
            ),
        )

    @cached_property
    def object_ids(self) -> list[str]:
        """The ids of all objects that events may be about."""
        ids = [*self.contact_ids, *self.lead_ids]
        for model in (LeadActivity, FollowUp, CallLog, Comment, Meeting):
            ids += model._default_manager.filter(referring_rows(model, self)).values_list("pk", flat=True)
        return ids

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """Matches the subject's addresses, numbers and names in a text; None if it has none."""
        words = [re.escape(text) for text in (*self.emails, *self.names)]
        # Numbers are written with blanks, brackets and hyphens, so the digits match whatever is between them.
        numbers = [r"[\s().,/-]*".join(number) for number in self.numbers]
        parts = [rf"(?<!\w){word}(?!\w)" for word in words] + numbers
        return re.compile("|".join(parts), re.IGNORECASE) if parts else None

    def is_in(self, *texts: str | None) -> bool:
        """Return whether any of the texts names the subject."""
        return self.pattern is not None and any(self.pattern.search(text) for text in texts if text)


def _rows(where: Q, lock: bool) -> Sequence[Contact]:
    rows = Contact.objects.filter(where).order_by("pk")
    return list(rows.select_for_update(of=("self",)) if lock else rows)


def referring_rows(model: type[Model], subject: DataSubject) -> Q:
    """Match the rows of a model that refer to the subject's contacts or leads."""
    ids = {Contact: subject.contact_ids, Lead: subject.lead_ids}
    where = Q(pk__in=[])
    for reference in model._meta.local_fields:
        if isinstance(reference, CompanyForeignKey) and reference.related_model in ids:
            where |= Q(**{f"{reference.name}__in": ids[reference.related_model]})
    return where


def mentioning_rows(subject: DataSubject, *columns: str, names: bool = False) -> Q:
    """Match the rows whose text or JSON columns contain an address or number of the subject, with `names` also a
    name."""
    where = Q(pk__in=[])
    for column in columns:
        text = Cast(column, TextField())
        # All else is removed from the column, so that a number matches however it is written.
        digits = Func(text, Value(r"\D"), Value(""), Value("g"), function="regexp_replace", output_field=TextField())
        for word in (*subject.emails, *(subject.names if names else ())):
            # JSON escapes quotes and other characters, so the plain text does not match a name with one.
            for written in {word, dumps(word).decode()[1:-1]}:  # as in plain text, and as in JSON
                where |= Q(IContains(text, written))
        for number in subject.numbers:
            where |= Q(IContains(digits, number))
    return where


def dangling_rows(model: type[Model], reference: str) -> Q:
    """Match the rows whose referenced record this erasure has deleted: they have to go before its transaction ends."""
    target = model._meta.get_field(reference).related_model
    rows = target._default_manager.filter(pk=OuterRef(f"{reference}_id"))  # type: ignore[union-attr]
    return ~Q(Exists(rows))


def delete_rows(subject: DataSubject, rows: QuerySet[Any]) -> int:
    """Delete the rows in one statement; references between tables are checked at the end of the transaction."""
    # The registered tables of the models that refer to the rows are erased too.
    return raw_delete(rows.order_by(), cleared=referrers(rows.model))


@dataclass(frozen=True)
class PersonalDataTable:
    """A table with personal data of contacts: the rows of a subject, and how erasure treats them."""

    name: str
    """The section of an access request that contains its rows."""
    model: type[Model]
    rows: Callable[[DataSubject], Q]
    erase: Callable[[DataSubject, QuerySet[Any]], int] = delete_rows
    """Removes personal data from the rows, in the transaction of the erasure; returns the number of rows."""
    module: str = "contact"
    """The permission module for reading its rows elsewhere."""
    exported: bool = True
    """Access requests contain the table; off for tables that repeat other sections in an internal form."""
    hides: frozenset[str] = frozenset()
    adds: tuple[str, ...] = ()
    """Paths that are exported with the row's own columns, such as tag__name."""
    shape: Callable[[DataSubject, JsonObject], JsonObject] | None = field(default=None)
    """Changes a row before it is exported."""

    def find(self, subject: DataSubject) -> QuerySet[Any]:
        """Return the rows with data of the subject."""
        return self.model._default_manager.filter(self.rows(subject))

    @property
    def date(self) -> str:
        """The column of the rows' times."""
        names = {field.name for field in self.model._meta.concrete_fields}
        return "created_at" if "created_at" in names else "changed_at"

    def export_rows(self, subject: DataSubject) -> Iterator[JsonObject]:
        """Yield the rows as an access request shows them, the oldest first, read chunk by chunk."""
        derived = {
            name
            for record_type in RECORD_TYPES.values()
            if record_type.kind.model is self.model
            for name in record_type.kind.derived_columns
        }
        columns = [
            f.attname for f in self.model._meta.concrete_fields if f.attname not in INTERNAL | self.hides | derived
        ]
        # Streamed: the events of one person may be more than fit into memory.
        for row in self.find(subject).order_by(self.date, "pk").values(*columns, *self.adds).iterator(chunk_size=500):
            exported = {camel(name): value for name, value in row.items()}
            yield exported if self.shape is None else self.shape(subject, exported)


PERSONAL_DATA: dict[str, PersonalDataTable] = {}
"""Name -> table, in the order in which they are exported and erased."""


def register_personal_data(
    name: str,
    model: type[Model],
    rows: Callable[[DataSubject], Q],
    erase: Callable[[DataSubject, QuerySet[Any]], int] = delete_rows,
    *,
    before: str = "",
    **options: Any,
) -> None:
    """Register a table with personal data of contacts; the arguments are the fields of PersonalDataTable.

    It comes last, or before the table of the name `before`, whose erasure would make its rows impossible to find.
    """
    PERSONAL_DATA[name] = PersonalDataTable(name, model, rows, erase, **options)
    if before:
        PERSONAL_DATA[before] = PERSONAL_DATA.pop(before)


def register_last_errors(name: str, model: type[Model]) -> None:
    """Register the column `last_error` of a model, which may name a recipient. Erasure blanks it."""
    register_personal_data(
        name,
        model,
        lambda subject: mentioning_rows(subject, "last_error"),
        lambda subject, rows: rows.update(last_error=""),
        exported=False,
    )


def camel(name: str) -> str:
    """Return the API's name of a column: `created_at` becomes createdAt, `tag__name` tag.name, and `id` _id."""
    if name == "id":
        return "_id"
    head, *parts = name.replace("__", ".").split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in parts)
