"""The fields of leads and of their contacts that a form's answers can go to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import NamedError, shorten
from core.text.translation import gettext_lazy
from core.types import Values
from crm.leads.schema import CONTACT_KEYS, SYSTEM_COLUMNS, LeadSchema
from crm.records.schema import RecordSchema
from outreach.site.forms.kinds import CONSENT, HIDDEN

INVALID = "InvalidMapping_400"
OF_CONTACT = "contact."
"""Prefix of the key of a contact's custom field, because leads may have one of the same key."""
NAMES = {
    "name": gettext_lazy("Name"),
    "email": gettext_lazy("Email address"),
    "countryCode": gettext_lazy("Country code"),
    "number": gettext_lazy("Phone number"),
    "status": gettext_lazy("Status"),
    "source": gettext_lazy("Source"),
    "value": gettext_lazy("Value"),
    "notes": gettext_lazy("Notes"),
}
SKIPPED = frozenset({"status"})
"""Fields that no visitor may set."""


@dataclass(frozen=True)
class Target:
    """A field that answers go to. `panel` is contact or lead."""

    key: str
    label: str
    panel: str
    required: bool = False


def targets(schema: LeadSchema) -> list[Target]:
    """Return the fields that answers can go to."""
    fields = [
        Target(key, NAMES.get(key, key), "contact", key in schema.contacts.required_system) for key in CONTACT_KEYS
    ]
    fields += [Target(key, NAMES.get(key, key), "lead") for key in SYSTEM_COLUMNS if key not in SKIPPED]
    fields += _custom(schema.contacts, OF_CONTACT, "contact")
    return fields + _custom(schema, "", "lead")


def _custom(schema: RecordSchema, before: str, panel: str) -> list[Target]:
    """Members and files are chosen by members alone, and groups have no one value."""
    fields = ((key, spec) for key, spec in schema.fields.items() if key not in schema.referring and not spec.children)
    return [Target(f"{before}{key}", spec.name, panel, spec.required) for key, spec in fields]


def check_mapping(fields: Sequence[Values], mapping: Values, schema: LeadSchema) -> None:
    """Raise InvalidMapping_400 for a mapping that names an unknown field, or one field twice."""
    keys = {field["key"] for field in fields if field["type"] != CONSENT}
    target_keys = {target.key for target in targets(schema)}
    taken: dict[str, str] = {}
    for key, target in mapping.items():
        if key not in keys:
            raise NamedError(
                INVALID, "the form has no such field that can be mapped", field=f"mapping.{shorten(key, 60)}"
            )
        if not isinstance(target, str) or target not in target_keys:
            raise NamedError(
                INVALID,
                f"choose a field of leads or contacts; {shorten(str(target), 60)!r} is unknown",
                field=f"mapping.{key}",
            )
        if target in taken:
            raise NamedError(
                INVALID, f"choose another field; {taken[target]} already fills {target}", field=f"mapping.{key}"
            )
        taken[target] = key


def check_complete(fields: Sequence[Values], mapping: Values, schema: LeadSchema) -> None:
    """Raise InvalidMapping_400 for a mapping without required values of the company's contacts and leads."""
    contacts = schema.contacts
    needed = [key for key in contacts.required_system if key != "countryCode"]  # the number brings it
    needed += [key for key in schema.required_system if schema.columns[key] not in schema.system_defaults]
    needed += [key for key in schema.required_custom if key not in schema.defaults]
    by_target = {target: key for key, target in mapping.items()}
    lacking = [key for key in needed if key not in by_target]
    if lacking:
        raise NamedError(
            INVALID, f"map a field to {', '.join(lacking)}, which must be filled in this company", field="mapping"
        )
    of_contact = [key for key in contacts.required_custom if key not in contacts.defaults]
    if of_contact:
        raise NamedError(INVALID, f"contacts must have {of_contact[0]}, which a form fills too late", field="mapping")
    optional = [field["key"] for field in fields if not field["required"] and field["type"] != HIDDEN]
    for key in needed:
        if by_target[key] in optional:
            raise NamedError(
                INVALID, f"{key} must be filled, so make the field required", field=f"mapping.{by_target[key]}"
            )


def check_identifies(mapping: Values, schema: LeadSchema) -> None:
    """Raise InvalidMapping_400 for a mapping that identifies no contact."""
    needed = [key for key in ("email", "number") if schema.contacts.identified_by(key)]
    if not {*mapping.values()} & {*needed}:
        raise NamedError(INVALID, f"map a field to {' or '.join(needed)}, by which contacts are found", field="mapping")
