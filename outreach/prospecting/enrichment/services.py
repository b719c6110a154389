"""Proposals: values for a contact from an enrichment app, and the decisions of members about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.errors import NamedError
from core.events import emit
from crm.contacts.kind import CONTACT
from crm.contacts.schema import ContactSchema
from crm.contacts.services import update_contact
from crm.models import Contact
from outreach.connections.data_apps.models import DataApp
from outreach.prospecting.enrichment.models import EnrichmentProposal

Status = EnrichmentProposal.Status


def propose(contact: Contact, values: Mapping[str, str], app: DataApp, run_id: str | None) -> int:
    """Store values as proposals if the contact can have them and lacks them, in the caller's transaction.

    An earlier proposal is not repeated, even if it was rejected. Returns the number of new proposals.
    """
    if not values:
        return 0
    schema, rows = ContactSchema.load(), []
    for key, text in values.items():
        value = _readable(schema, contact, key, text)
        if value is not None:
            rows.append(
                EnrichmentProposal(
                    contact=contact, field=key, value=value, text=text[:500], source=app.name, app=app, run_id=run_id
                )
            )
    before = {
        (proposal.field, proposal.text)
        for proposal in EnrichmentProposal.objects.filter(contact=contact).only("field", "text")
    }
    new = [row for row in rows if (row.field, row.text) not in before]
    # Two runs may ask about one contact at once and get the same proposal.
    EnrichmentProposal.objects.bulk_create(new, ignore_conflicts=True)
    return len(new)


def _readable(schema: ContactSchema, contact: Contact, key: str, text: str) -> Any:
    """Return the value as formData takes it; None if the field can't take it, or has it already."""
    if key in schema.referring:
        return None
    row, problems = schema.read({key: text}, partial=True, from_text=True)
    if row is None or problems:
        return None
    if key in row.custom:
        value = row.custom[key]
        return None if value == contact.custom.get(key) else value
    column = "contact_number" if key == "number" else CONTACT.system_columns.get(key, "")
    value = row.system.get(column)
    present = getattr(contact, column, None) if column else None
    same = str(value or "").casefold() == str(present or "").casefold()
    return None if not value or same else value


@transaction.atomic
def decide(*, id: str, member_id: str, accept: bool, automation: bool = True) -> None:
    """Accept a proposal, which writes its value to the contact, or reject it. Repeating a decision changes nothing.

    Raises NotFound_404, and InvalidInput_400 for a proposal with another decision. Raises the errors of changing a
    contact.
    """
    contact_id = EnrichmentProposal.objects.filter(pk=id).values_list("contact_id", flat=True).first()
    # The contact is locked first, as its erasure does.
    live = Contact.objects.select_for_update(of=("self",), no_key=True).filter(pk=contact_id).first()
    proposal = EnrichmentProposal.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if proposal is None or live is None:
        raise NamedError("NotFound_404", "there is no such proposal in this company", field="id")
    status = Status.ACCEPTED if accept else Status.REJECTED
    if proposal.status == status:
        return
    if proposal.status != Status.PROPOSED:
        raise NamedError("InvalidInput_400", f"the proposal was {proposal.status} already", field="id")
    if accept:
        update_contact(
            id=proposal.contact_id,
            actor_id=member_id,
            form_data={proposal.field: proposal.value},
            automation=automation,
        )
    proposal.status = status
    proposal.decided_by_id = member_id
    proposal.decided_at = timezone.now()
    proposal.save(update_fields=["status", "decided_by", "decided_at", "updated_at"])
    payload = {"field": proposal.field, "contact": proposal.contact_id}
    emit(f"enrich.{status}", [proposal.pk], payloads={proposal.pk: payload}, actor_id=member_id, automation=automation)
