"""Rows that were not written because a contact has their unique key, and their messages.

With the unique key `either` two people may give one number, such as that of an office. A row whose number a contact
with another address has is another person: it never changes that contact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.errors import FieldError, NamedError, shorten
from crm.contacts.models import Contact
from crm.contacts.schema import ContactRow
from crm.contacts.unique_key import HIDDEN, Collision, KeyedRow, KeyHolder
from crm.contacts.updates import Take
from crm.records.problems import ValueProblem

EXISTS = "ContactAlreadyExists_400"
TAKEN = {"email": "emailTaken", "number": "numberTaken"}
"""Part of the unique key -> the code of the error that another contact has its value."""
OF_ANOTHER = "a contact of another member already"
"""The holder of a value in messages to a member who does not see that contact."""
UNNAMED = "; its address is not that of "
"""Text of a message at the place of the holder's name, before the name of the row's person."""


@dataclass(slots=True)
class Holders:
    """The contact that has each part of the unique key, kept up to date from row to row."""

    live: Iterable[KeyHolder]
    _holders: dict[str, dict[str | None, str]] = field(init=False)
    _held: dict[str, dict[str, str | None]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._holders = {"email": {}, "number": {}}
        for contact in self.live:
            self._held[contact.id] = {"email": contact.email_key, "number": contact.number_key}
            for part, key in self._held[contact.id].items():
                self._holders[part][key] = contact.id

    def of(self, item: KeyedRow) -> dict[str, str]:
        """Return part of the unique key -> the contact that has the row's value of it."""
        return {
            part: self._holders[part][key] for part, key in _parts(item).items() if key and key in self._holders[part]
        }

    def is_other_person(self, item: KeyedRow, holders: Mapping[str, str]) -> bool:
        """Return whether the row's number, but not its address, is that of a contact with another address."""
        # A row without an address says nothing against being the contact with its number.
        if item.email_key is None or "email" in holders or "number" not in holders:
            return False
        return bool(self._held.get(holders["number"], {}).get("email"))

    def record_keys(self, item: KeyedRow, id: str, take: Take = "all") -> None:
        """Note that the contact has the row's keys now, as far as it takes them."""
        for part, key in _parts(item).items():
            held = self._held.get(id, {}).get(part)
            if key and (take == "all" or (take == "missing" and not held)):
                # The former key is free from here on, and a later row may take it.
                self._holders[part].pop(held, None)
                self._holders[part][key] = id
                self._held.setdefault(id, {})[part] = key


def _parts(item: KeyedRow) -> dict[str, str | None]:
    return {"email": item.email_key, "number": item.number_key}


def find_collision(
    item: KeyedRow, holders: Mapping[str, str], *, last: bool = False, is_other: bool = False
) -> Collision:
    """Return the collision of the row with the first of the holders that were found, or the last.

    The last one is in the way of a row that is to update the first. `is_other`: the holder is another person.
    """
    part, holder = list(holders.items())[-1 if last else 0]
    is_other = is_other or (part == "number" and holders.get("email", holder) != holder)
    value = item.row.system["email" if part == "email" else "contact_number"]
    return Collision(item.row.index, part, value, holder, person_of(item.row) if is_other else "")


def person_of(row: ContactRow) -> str:
    """Return who a row is, such as Ann Bee (ann@example.com)."""
    return describe_person(row.system.get("name"), row.system.get("email"))


def describe_person(name: str | None, email: str | None) -> str:
    """Return a person as messages name them."""
    shown, address = shorten(name or "", 60), shorten(email or "", 80)
    return f"{shown} ({address})" if shown and address else shown or address


def describe_differences(
    collisions: Sequence[Collision], *, may_read: bool, known: Mapping[str, str] | None = None
) -> list[str]:
    """Return for each collision the two people who are not the same, as the end of its message; mostly nothing.

    Holders are named to members who may read contacts. `known` has id -> person of contacts that are not written yet.
    """
    others = {collision.existing_id for collision in collisions if collision.person}
    names: dict[str, str] = dict(known or {})
    if others and may_read:
        rows = Contact.objects.filter(pk__in=others).values_list("pk", "name", "email")
        names |= {id: describe_person(name, email) for id, name, email in rows}
    texts = []
    for collision in collisions:
        holder = names.get(collision.existing_id) if may_read else None
        if not collision.person:
            texts.append("")
        elif holder:
            texts.append(with_holder(f"{UNNAMED}{collision.person}", holder))
        else:
            texts.append(f"{UNNAMED}{collision.person}")
    return texts


def with_holder(message: str, holder: str) -> str:
    """Return the message of `describe_differences` with the name of the person who has the value."""
    return message.replace(UNNAMED, f": {holder}, not ", 1) if holder else message


def collision_problems(
    collisions: Sequence[Collision], *, may_read: bool, new_people: Mapping[str, str] | None = None
) -> dict[int, list[ValueProblem]]:
    """Return index -> the problem of a row of another kind of record, whose contact can be neither found nor created.

    `new_people` has placeholder -> person of the contacts that other rows create, whose ids are not known yet.
    """
    problems = {}
    new = new_people or {}
    for collision, people in zip(
        collisions, describe_differences(collisions, may_read=may_read, known=new), strict=True
    ):
        holder = f"the contact {collision.existing_id} already"
        if collision.existing_id in new:
            holder = "the contact that another row creates"
        elif collision.existing_id == HIDDEN:
            holder = OF_ANOTHER
        # A page writes the first letter of a message in capitals, but not that of a quoted address.
        shown = collision.value if collision.field == "number" else f"“{shorten(collision.value, 100)}”"
        message = f"{shown} belongs to {holder}{people}"
        problems[collision.index] = [ValueProblem(collision.field, EXISTS, message, code=TAKEN[collision.field])]
    return problems


def collision_errors(collisions: Sequence[Collision], *, may_read: bool = False) -> list[NamedError]:
    """Return ContactAlreadyExists_400 with the value and the contact that has it, for each of the collisions.

    Another person who has it is named to those who may read contacts.
    """
    return [
        _collision_error(collision, people)
        for collision, people in zip(collisions, describe_differences(collisions, may_read=may_read), strict=True)
    ]


def _collision_error(collision: Collision, people: str) -> NamedError:
    if collision.existing_id == HIDDEN:
        text = f"{shorten(collision.value, 100)} belongs to {OF_ANOTHER}"
        error = FieldError(field=collision.field, message=text, code=TAKEN[collision.field])
        return NamedError(EXISTS, text, field=collision.field, errors=[error])
    text = f"{shorten(collision.value, 100)} belongs to the contact {collision.existing_id} already{people}"
    error = FieldError(field=collision.field, message=text, code=TAKEN[collision.field])
    params = {"record": collision.existing_id}
    return NamedError(EXISTS, text, field=collision.field, errors=[error], code="contactExists", params=params)
