"""Checks of the records that follow-ups and meetings refer to: live leads and contacts, and active members."""

from __future__ import annotations

from accounts.models import Member
from core.errors import NamedError
from crm.contacts.selectors import live_contacts
from crm.leads.models import Lead
from crm.leads.selectors import live_leads
from crm.organizations.selectors import live_organizations
from crm.teams.services import ACTIVE


def check_lead(id: str) -> Lead:
    """Return the live lead. Raises LeadNotFound_400."""
    lead = live_leads().filter(pk=id).first()
    if lead is None:
        raise NamedError("LeadNotFound_400", f"there is no lead {id} in this company", field="lead")
    return lead


def check_contact(id: str) -> str:
    """Return the id of a live contact. Raises ContactNotFound_400."""
    if not live_contacts().filter(pk=id).exists():
        raise NamedError("ContactNotFound_400", f"there is no contact {id} in this company", field="contact")
    return id


def check_organization(id: str) -> str:
    """Return the id of a live organization. Raises OrganizationNotFound_400."""
    if not live_organizations().filter(pk=id).exists():
        raise NamedError(
            "OrganizationNotFound_400", f"there is no organization {id} in this company", field="organization"
        )
    return id


def check_member(field: str, id: str, loaded: Member | None = None) -> Member:
    """Return the member: `loaded`, or else the one with the id.

    Raises MemberNotFound_404, and MemberNotAccepted_400 for a member who does not belong to the company now.
    """
    member = loaded or Member.objects.filter(pk=id).first()
    if member is None:
        raise NamedError("MemberNotFound_404", f"there is no member {id} in this company", field=field)
    if member.status not in ACTIVE:
        raise NamedError("MemberNotAccepted_400", f"choose an active member; this one is {member.status}", field=field)
    return member


def first_active(*ids: str | None) -> Member | None:
    """Return the first of these members who belongs to the company now."""
    members = Member.objects.filter(status__in=ACTIVE).in_bulk([id for id in ids if id])
    return next((members[id] for id in ids if id in members), None)
