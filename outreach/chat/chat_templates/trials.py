"""Test messages of a chat template: a member sends them only to the company's own people, and not as outreach.

They are in no log of messages and count for no limit of a sender.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models.functions import Lower

from core.errors import NamedError, shorten
from core.ids import new_id
from crm.contacts.selectors import live_contacts
from outreach.chat.chat_templates.services import get_template, preview_template
from outreach.chat.chat_templates.values import Filled
from outreach.connections.chat_apps.checks import INVALID
from outreach.connections.chat_apps.client import ChatClient
from outreach.connections.chat_apps.models import ChatTemplate
from outreach.connections.chat_apps.selectors import is_phone, opted_out_numbers
from outreach.connections.connected_apps.turns import connection_test_slot
from outreach.connections.smtp.outcome import Sent, SmtpError, Uncertain
from outreach.messaging.email_templates.rendering import Rendered
from outreach.messaging.email_templates.trials import TRIALS, own_people

TYPE = "chatapp"
FAILED = "NoMessagesSent_400"


def send_chat_trial(
    *, recipients: Sequence[str], template_id: str | None, contact_id: str | None, member_id: str
) -> Rendered:
    """Send an approved template to members of the company, each at the number of the contact with their address.

    Returns the content sent. Raises ChatAppTemplateNotFound_404, InvalidChatAppTemplate_400 for one that may not be
    sent, and InvalidVariables_400 for a variable without a value. Raises NoRecipientsSpecified_400, NoMessagesSent_400,
    ContactNotFound_400, TooManyAttempts and ConnectionTestRunning_429.
    """
    if template_id is None:
        raise NamedError(INVALID, "choose an approved template", field="templateId")
    template = get_template(template_id, "templateId")
    if template.status != ChatTemplate.Status.APPROVED:
        raise NamedError(
            INVALID, f"choose an approved template; this one is {template.status.lower()}", field="templateId"
        )
    if not (template.app.is_active and template.app.verified):
        raise NamedError(FAILED, "turn on and test its chat app first", field="templateId")
    numbers = _numbers(own_people(recipients))
    filled = preview_template(id=template_id, contact_id=contact_id or next(iter(numbers)))
    if filled.missing:
        raise NamedError("InvalidVariables_400", f"enter a value for {', '.join(filled.missing)}", field="templateId")
    for _ in numbers:
        TRIALS.count(member_id)
    with connection_test_slot():
        _send(template, list(numbers.values()), filled)
    return Rendered(subject="", text=filled.text, html="", missing=filled.missing)


def _numbers(addresses: Sequence[str]) -> dict[str, str]:
    """Return contact -> number of the contacts that the members are. Raises NoRecipientsSpecified_400."""
    rows = live_contacts().annotate(address=Lower("email")).filter(address__in=addresses).order_by("pk")
    contacts: dict[str, tuple[str, str]] = {}
    for pk, address, number in rows.values_list("pk", "address", "contact_number"):
        if number and is_phone(number):
            contacts.setdefault(address, (pk, number))
    stopped = opted_out_numbers(number for _, number in contacts.values())
    for address in addresses:
        if address not in contacts:
            reason = "is no contact with a number; a test goes to the number of the contact with the member's address"
            raise NamedError("NoRecipientsSpecified_400", f"{shorten(address)} {reason}", field="to")
        if contacts[address][1] in stopped:
            raise NamedError(
                "NoRecipientsSpecified_400", f"{shorten(address)} has asked for no such messages", field="to"
            )
    return dict(contacts[address] for address in addresses)


def _send(template: ChatTemplate, numbers: Sequence[str], filled: Filled) -> None:
    try:
        client = ChatClient.for_app(template.app)
    except SmtpError as error:
        raise NamedError(FAILED, error.detail) from None
    for number in numbers:
        outcome = client.send(number, filled.content, new_id())
        if not isinstance(outcome, Sent):
            said = outcome.reason if isinstance(outcome, Uncertain) else outcome.reply
            raise NamedError(FAILED, f"{number}: {said}", field="to")
