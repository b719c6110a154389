"""Shared parts of nodes that plan messages: recipients, senders and effects."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from django.db.models import Q
from django.db.models.functions import Upper
from pydantic import Field, field_validator

from core.errors import NamedError
from core.ids import is_id
from core.types import JsonObject
from crm.contacts.selectors import live_contacts
from crm.models import Contact
from outreach.connections.senders.models import Sender
from outreach.messaging.delivery.deciding.reasons import sentence_of
from outreach.messaging.delivery.senders import MAIL_SENDERS, choose_sender
from outreach.runs.genie.automated import ENDED, Planned, Words, plan_messages, run_of_node, wait_for_messages
from outreach.runs.genie.models import GenieScheduler
from workflows.expressions.filters import text_value
from workflows.nodes.base import Item, NodeBatch, NodeConfig, Outcome
from workflows.nodes.references import checked_ids

MAX_SENDERS = 20
NEVER = ("suppressed", "cancelled", "failed")
"""Statuses of messages that do not go."""
HANDLES = ("out", "suppressed")


class RecipientConfig(NodeConfig):
    """Settings for recipient and sender."""

    to: str = Field(
        default="",
        max_length=500,
        description="A contact's id, or the email address of one; empty: the run's contact.",
        json_schema_extra={"x-widget": "expression"},
    )
    senders: list[str] = Field(
        default=[],
        max_length=MAX_SENDERS,
        description="Several take turns, and a contact keeps theirs. Empty: the company's oldest.",
        json_schema_extra={"x-widget": "senders"},
    )
    draft: bool = Field(default=False, description="Each message waits for approval.")
    goOn: Literal["queued", "sent"] = Field(
        default="queued", description="When the run goes on: at once, or when the message has been sent."
    )

    @field_validator("senders")
    @classmethod
    def _ids(cls, ids: list[str]) -> list[str]:
        return list(dict.fromkeys(checked_ids(ids)))


def recipients(batch: NodeBatch) -> list[tuple[Item, Contact]]:
    """Return the items with the contacts that they write to, locked. Those without one fail.

    Only contacts are recipients, because each recipient must be able to unsubscribe.
    """
    recipient_ids = [
        (item, text_value(batch.render("to", item)).strip() or item.run.contact_id or "") for item in batch.items
    ]
    ids = {name for _, name in recipient_ids if is_id(name)}
    addresses = {name.upper() for _, name in recipient_ids if name and not is_id(name)}
    rows = live_contacts().filter(pk__in=ids)
    if addresses:
        rows = live_contacts().alias(address=Upper("email")).filter(Q(pk__in=ids) | Q(address__in=addresses))
    contacts: dict[str, Contact] = {}
    # By id, the order of all bulk writers; locked so that the address cannot change before the message exists.
    for contact in rows.select_for_update(of=("self",), no_key=True).order_by("pk"):
        contacts[contact.pk] = contact
        contacts.setdefault((contact.email or "").upper(), contact)
    pairs = []
    for item, name in recipient_ids:
        recipient = contacts.get(name if is_id(name) else name.upper()) if name else None
        if recipient is None:
            reason = f"there is no contact {name[:60]!r} in this company" if name else "the run has no contact"
            item.fail("missing", reason, field="to" if name else "")
        else:
            pairs.append((item, recipient))
    return pairs


def senders_of(ids: Sequence[str]) -> list[Sender]:
    """Return the senders with these ids, or the company's oldest. Raises NoSMTPSelected_400 where none is active."""
    if not ids:
        return [choose_sender(None)]
    senders_by_id = {
        sender.pk: sender
        for kind in MAIL_SENDERS
        for sender in kind._default_manager.filter(pk__in=ids, is_active=True)
    }
    senders = [senders_by_id[id] for id in ids if id in senders_by_id]
    if not senders:
        raise NamedError("NoSMTPSelected_400", "none of them is an active sender of this company", field="senders")
    return senders


def sender_for(contact: Contact, among: Sequence[Sender]) -> Sender:
    """Return the sender for the contact. It is always the same one as long as the senders are the same."""
    place = int.from_bytes(hashlib.sha256(contact.pk.encode()).digest()[:8], "big") % len(among)
    return among[place]


def message_id(item: Item) -> str:
    """Return the id of the message of an item: the same for each try of its step."""
    return item.key.replace("-", "")[:24]


def plan_batch(
    batch: NodeBatch, mails: Sequence[tuple[Item, Contact, Words | None]], *, senders: Sequence[Sender], **columns: Any
) -> None:
    """Plan the messages of a batch of items, and set the outcomes."""
    if not mails:
        return
    run = node_run(batch, mails[0][0], senders[0], **columns)
    messages = [
        Planned(message_id(item), contact, item.run.id, sender_for(contact, senders), content)
        for item, contact, content in mails
    ]
    done = plan_messages(run, messages)
    places: dict[str, JsonObject] = {}
    for (item, _, _), message in zip(mails, messages, strict=True):
        status, reason = done[message.id]
        if batch.config.goOn == "sent":
            end_step(item, message.id, status, reason)
        else:
            item.outcome = outcome_of(message.id, status, reason)
        if item.outcome.status == "waiting":
            places[message.id] = {"token": item.token, "epoch": item.run.epoch}
    if places:
        wait_for_messages(places)


def resume(batch: NodeBatch) -> None:
    """Take runs on whose messages have ended."""
    for item in batch.items:
        payload = item.arrived.payload if item.arrived is not None else None
        if isinstance(payload, Mapping):
            end_step(item, payload["id"], payload["status"], payload["reason"])


def end_step(item: Item, id: str, status: str, reason: str) -> None:
    """Set the outcome of a step that waits until its message has been sent."""
    if status in ("failed", "unknown"):
        item.fail(f"mail.{status}", f"the message {id} has ended as {status}: {sentence_of(reason)}")
        return
    item.outcome = outcome_of(id, status, reason)
    if status not in ENDED:
        item.outcome.status = "waiting"
        item.outcome.waits_for = "message"


def node_run(batch: NodeBatch, item: Item, sender: Sender, **columns: Any) -> GenieScheduler:
    """Return the run of messages that the node of the version owns, locked."""
    return run_of_node(
        workflow_id=item.run.workflow_id,
        place=f"{item.run.version_id}/{batch.node_id}",
        member_id=batch.actor_id,
        sender=sender,
        name=f"{item.run.workflow.name[:120]} ({batch.node_id})",
        draft=batch.config.draft,
        **columns,
    )


def outcome_of(id: str, status: str, reason: str) -> Outcome:
    """Return the outcome of a step that has planned a message."""
    handle: Literal["out", "suppressed"] = "suppressed" if status in NEVER else "out"
    return Outcome(handle=handle, output={"id": id, "status": status, "reason": reason})


def check_senders(ids: Sequence[str]) -> list[tuple[str, str, str]]:
    """Find senders that the company lacks, has switched off, or has not tested."""
    if not ids:
        try:
            choose_sender(None)
        except NamedError as error:
            return [("senderMissing", "senders", error.detail_at("senders"))]
        return []
    senders_by_id: Mapping[str, Sender] = {
        sender.pk: sender for kind in MAIL_SENDERS for sender in kind._default_manager.filter(pk__in=ids)
    }
    return list(_problems(ids, senders_by_id))


def _problems(ids: Sequence[str], senders_by_id: Mapping[str, Sender]) -> Iterable[tuple[str, str, str]]:
    for place, id in enumerate(ids):
        sender = senders_by_id.get(id)
        path = f"senders.{place}"
        if sender is None:
            yield "senderMissing", path, f"there is no sender {id} in this company"
        elif not sender.is_active:
            yield "senderMissing", path, f"the sender {id} is switched off"
        elif not sender.verified:
            yield "senderUnverified", path, f"the sender {id} has not passed its connection test"
