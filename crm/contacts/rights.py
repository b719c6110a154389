"""The rights of writers of leads on contacts, since leads carry values of their contacts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from core.access import Actor
from core.errors import PermissionLacking
from crm.records.problems import ValueProblem

REFUSED = "UnauthorizedAction_403"


@dataclass(frozen=True, slots=True)
class ContactRights:
    """Permissions of a writer of leads to create contacts, change existing ones, and read them."""

    create: bool = True
    change: bool = True
    read: bool = True

    @classmethod
    def of(cls, actor: Actor) -> Self:
        """Return the rights of an actor: by session those of the role."""
        return cls(*(actor.is_unbounded or actor.may("contact", method) for method in ("POST", "PUT", "GET")))


def check_reads_contacts(actor: Actor) -> None:
    """Raise UnauthorizedAction_403 for an actor who may not read contacts, and so gets no data of them."""
    if not (actor.is_unbounded or actor.may("contact", "GET")):
        raise PermissionLacking("contact.GET")


LEFT_ALONE = "contactLeftAlone"
"""The code of the note about values that an existing contact did not take."""
NO_NEW_CONTACT = ValueProblem("contact", REFUSED, "no contact has these values, and your role can't create contacts")


def unchanged_values_note(names: list[str], rights: ContactRights) -> ValueProblem:
    """Return the note about a lead's values that its existing contact did not take."""
    reason = "the contact has values already" if rights.change else "your role can't change contacts"
    return ValueProblem("contact", "" if rights.change else REFUSED, f"{', '.join(names)} left unchanged; {reason}")
