"""The organization of a merged record, and the text of the company that goes with it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from core.errors import GONE, FieldError, NamedError
from core.types import Values
from crm.contacts.kind import CONTACT
from crm.organizations.matching import company_field
from crm.organizations.models import Organization
from crm.records.schema import RecordSchema
from crm.records.writes.updates import RecordState

COLUMN = "organization_id"
NAME = "organization"


def refuse_deleted(
    winner: RecordState, states: Mapping[str, RecordState], choices: Values, gone: Collection[str]
) -> None:
    """Raise OrganizationNotFound_400 if the choices give the winner an organization that is deleted."""
    choice = choices.get(NAME)
    chosen = states.get(choice) if isinstance(choice, str) else None
    if chosen is None or chosen is winner or chosen.before[COLUMN] not in gone:
        return
    text = f"there is no organization {chosen.before[COLUMN]} in this company"
    error = FieldError(field=f"choices.{NAME}", message=text, code=GONE)
    raise NamedError("OrganizationNotFound_400", text, field=f"choices.{NAME}", errors=[error])


def name_employer(
    schema: RecordSchema, winner: RecordState, states: Mapping[str, RecordState], choices: Values
) -> None:
    """Write the name of the winner's new organization into the text of its company, unless that is chosen itself.

    A chosen contact without an organization gives its own text. An organization that only fills a gap names the
    company if the winner had no text.
    """
    key = company_field(schema.fields.values()) if schema.kind is CONTACT else ""
    if not key or key in choices:
        return
    organization = winner.after[COLUMN]
    chosen = states.get(str(choices.get(NAME)))
    if chosen is winner or (
        chosen is None and (organization == winner.before[COLUMN] or winner.custom_before.get(key))
    ):
        return
    text = chosen.custom_before.get(key) if chosen is not None else None
    if organization:
        text = Organization.objects.filter(pk=organization).values_list("name", flat=True).first()
    if text:
        winner.custom[key] = text
    elif key not in schema.required_custom:
        winner.custom.pop(key, None)
