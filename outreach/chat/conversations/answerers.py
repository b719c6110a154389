"""Members who may answer in a conversation: owners, and members whose role may POST in the module of its channel."""

from __future__ import annotations

from accounts.members.notices import PRESENT, members_who_may
from accounts.models import Member
from core.errors import NamedError
from core.text.folding import sort_text
from crm.models import Lead
from outreach.chat.conversations.channels import CHANNELS


def check_answers(member_id: str, channel: str) -> None:
    """Raise MemberNotFound_404 for nobody, and InvalidRequest_400 for a member who may not answer."""
    member = _present(member_id)
    if member is None:
        raise NamedError("MemberNotFound_404", "there is no such member in this company", field="assignee")
    module = CHANNELS[channel].module
    if not member.may(module, "POST"):
        text = f"the role of {member} does not let them answer here; it needs {module}.POST"
        raise NamedError("InvalidRequest_400", text, field="assignee")


def answerers(channel: str) -> list[Member]:
    """Return the members who may answer in a channel, by name."""
    able = members_who_may(CHANNELS[channel].module, "POST")
    return sorted(able, key=lambda member: (sort_text(member.name), member.pk))


def assignee_of(lead: Lead | None, channel: str) -> str | None:
    """Return the member who has the lead, where they may answer: others would never see the conversation."""
    member = _present(lead.team_member_id) if lead and lead.team_member_id else None
    return member.pk if member and member.may(CHANNELS[channel].module, "POST") else None


def _present(id: str) -> Member | None:
    member: Member | None = Member.objects.select_related("role").filter(pk=id, status__in=PRESENT).first()
    return member
