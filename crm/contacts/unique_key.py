"""The unique key of contacts: email, number, or either, by the setting contactUniqueKey.

email_key and number_key of a contact have the parts that count now. They are unique among the company's live contacts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import orjson
from django.db import connection

from core.errors import NamedError
from core.tenancy import everybodys_records, own_records
from crm.contacts.models import Contact

if TYPE_CHECKING:
    from crm.contacts.schema import ContactRow, ContactSchema

HIDDEN = ""
"""The id of a contact that the member of the scope does not see."""
BULK_LOCK = 0x6C77_0001
"""First key of the advisory lock that admits one bulk writer per company. The second is the company's."""

HOLDERS = """
SELECT found.* FROM json_array_elements_text(%s::json) AS key CROSS JOIN LATERAL (
    SELECT id, email_key, number_key FROM crm_contact
    WHERE company_id = (SELECT current_setting('app.company')) AND {part} = key AND {where} OFFSET 0
) AS found
"""
"""Looks keys up one by one, since planning for an array of thousands takes longer than that.

The company is a subquery, so that the planner expects one of average size. For a new company, which its statistics do
not have, it would expect no contacts, and read them all for each key.
"""


class KeyedRow(NamedTuple):
    """A row with the id of its contact and its parts of the unique key."""

    id: str
    row: ContactRow
    email_key: str | None
    number_key: str | None


class KeyHolder(NamedTuple):
    """A live contact and its parts of the unique key."""

    id: str
    email_key: str | None
    number_key: str | None


class Collision(NamedTuple):
    """A row that was not written, since the contact `existing_id` has its `value` of `field` (email or number).

    `person` names the row's person if the contact is another person, with another address; otherwise it is empty.
    """

    index: int  # type: ignore[assignment]
    field: str
    value: str
    existing_id: str
    person: str = ""


def keyed_row(schema: ContactSchema, id: str, row: ContactRow) -> KeyedRow:
    """Return the row with its contact's id and its parts of the unique key."""
    email_key, number_key = schema.keys_of(row.system)
    return KeyedRow(id, row, email_key, number_key)


def lock_unique_key(schema: ContactSchema, *, many: bool) -> None:
    """Lock the company's unique key setting until the transaction ends, and put its current value into the schema.

    Writers of many rows also wait for each other, since two of them could each hold a key that the other one needs.
    """
    with connection.cursor() as cursor:
        if many:
            # Rows with new keys cannot be locked one by one before they exist, so bulk
            # writers wait for each other instead.
            cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [BULK_LOCK, schema.company_id])
        # FOR SHARE lets any number of writers read the setting, and makes its change wait for all of them.
        cursor.execute("SELECT contact_unique_key FROM accounts_company WHERE id = %s FOR SHARE", [schema.company_id])
        schema.unique_key = cursor.fetchone()[0]


def live_holders(keyed: Iterable[KeyedRow]) -> Sequence[KeyHolder]:
    """Return the live contacts of the active company that have a part of any row's unique key.

    The key is unique in the whole company. Contacts that the member of the scope does not see are HIDDEN.
    """
    if not own_records("contact"):
        return _holders(keyed, "NOT is_deleted")
    keyed = list(keyed)
    with everybodys_records(reason="unique keys of contacts"):
        holders = _holders(keyed, "NOT is_deleted")
    ids = [holder.id for holder in holders]
    own = Contact.objects.filter(pk__in=ids, owner=own_records("contact"))
    visible = set(own.values_list("pk", flat=True))
    return [holder if holder.id in visible else holder._replace(id=HIDDEN) for holder in holders]


def recreated_contacts(keyed: Iterable[KeyedRow]) -> dict[str, str]:
    """Return deleted contact -> the contact of the first row that has its address, or else its number, as unique key.

    A number counts if the two addresses do not contradict each other. Contacts that were merged into others have no
    heirs.
    """
    keyed = list(keyed)
    holders = _holders(keyed, "is_deleted AND merged_into_id IS NULL") if keyed else ()
    # Reversed, so that the first of several rows with one key stays in the dictionary.
    by_email = {item.email_key: item for item in reversed(keyed)}
    by_number = {item.number_key: item for item in reversed(keyed)}
    heir: dict[str, str] = {}
    for gone in holders:
        same = by_email.get(gone.email_key) if gone.email_key else None
        other = by_number.get(gone.number_key) if gone.number_key else None
        if same is not None:
            heir[gone.id] = same.id
        elif other is not None and not (gone.email_key and other.email_key):
            # Had both an address, they would be two people who share a number, such as that of an office.
            heir[gone.id] = other.id
    return heir


def _holders(keyed: Iterable[KeyedRow], where: str) -> Sequence[KeyHolder]:
    keyed = list(keyed)
    emails = {item.email_key for item in keyed if item.email_key}
    numbers = {item.number_key for item in keyed if item.number_key}
    # A statement for each part: PostgreSQL uses one index for each, and none for an OR over both columns.
    statement = " UNION ".join(HOLDERS.format(part=part, where=where) for part in ("email_key", "number_key"))
    with connection.cursor() as cursor:
        cursor.execute(statement, [orjson.dumps(list(keys)).decode() for keys in (emails, numbers)])
        return [KeyHolder(id, email_key, number_key) for id, email_key, number_key in cursor.fetchall()]


def rewrite_keys(setting: str, parts: Sequence[str]) -> None:
    """Make `parts` (email, number) of all contacts of the active company unique, in the caller's transaction.

    Writers of contacts wait until the transaction ends. Raises UniqueKeyInvalid_400 when live contacts share a value.
    """
    company = "company_id = current_setting('app.company')"
    with connection.cursor() as cursor:
        # First of all: it waits for the FOR SHARE locks of writers, and keeps new ones out until the commit.
        cursor.execute(
            "UPDATE accounts_company SET contact_unique_key = %s WHERE id = current_setting('app.company')", [setting]
        )
        for part, expression in (("email", "lower(email)"), ("number", "contact_number")):
            if part not in parts:
                continue
            cursor.execute(
                f"SELECT count(*), coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM crm_contact"
                f" WHERE {company} AND NOT is_deleted AND {expression} <> '' GROUP BY {expression} HAVING count(*) > 1)"
                " AS shared"
            )
            values, contacts = cursor.fetchone()
            if values:
                raise NamedError(
                    "UniqueKeyInvalid_400",
                    f"{contacts} contacts share {values} values of {part}; merge or delete them first",
                )
        email = "lower(nullif(email, ''))" if "email" in parts else "NULL"
        number = "nullif(contact_number, '')" if "number" in parts else "NULL"
        cursor.execute(f"UPDATE crm_contact SET email_key = {email}, number_key = {number} WHERE {company}")
