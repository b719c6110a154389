"""The node that writes to contacts by chat."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from core.errors import ApiError, NamedError
from core.types import JsonObject
from outreach.chat.chat_templates.values import template_variables
from outreach.chat.conversations.automated import PlannedChat, check_template, plan_templates
from outreach.runs.genie.automated import wait_for_messages
from workflows.expressions.filters import text_value
from workflows.nodes import effects
from workflows.nodes.base import NodeBatch, NodeConfig, NodeType
from workflows.nodes.recipients import HANDLES, end_step, message_id, outcome_of, recipients, resume
from workflows.nodes.records import fail_by
from workflows.nodes.references import checked_ids


class ChatConfig(NodeConfig):
    main = ("template", "variables")

    template: str = Field(
        description="A template that the chat vendor has approved.",
        json_schema_extra={"x-widget": "chatTemplate", "x-source": "/template/chatapp"},
    )
    to: str = Field(
        default="",
        max_length=500,
        description="A contact's id, or the email address of one; empty: the run's contact.",
        json_schema_extra={"x-widget": "expression"},
    )
    variables: JsonObject = Field(
        default={},
        max_length=50,
        description="Values of the template's variables; the others are fields of the contact.",
        json_schema_extra={"x-widget": "pairs"},
    )
    goOn: Literal["queued", "sent"] = Field(
        default="queued", description="When the run goes on: at once, or when the message has been sent."
    )

    @field_validator("template")
    @classmethod
    def _id(cls, id: str) -> str:
        return checked_ids([id])[0]


def _chat(batch: NodeBatch) -> None:
    pairs = recipients(batch)
    if not pairs:
        return
    try:
        template = check_template(batch.config.template)
    except ApiError as error:
        for item, _ in pairs:
            fail_by(item, error)
        return
    chats = [
        PlannedChat(
            message_id(item),
            contact,
            item.run.id,
            {name: text_value(value) for name, value in batch.render("variables", item).items()},
        )
        for item, contact in pairs
    ]
    done = plan_templates(template, chats, member_id=batch.actor_id)
    places: dict[str, JsonObject] = {}
    for (item, _), chat in zip(pairs, chats, strict=True):
        status, reason = done[chat.id]
        if batch.config.goOn == "sent":
            end_step(item, chat.id, status, reason)
        else:
            item.outcome = outcome_of(chat.id, status, reason)
        if item.outcome.status == "waiting":
            places[chat.id] = {"token": item.token, "epoch": item.run.epoch}
    if places:
        # In the transaction of the plan: a message that ends at once still finds who waits for it.
        wait_for_messages(places)


def _problems(config: ChatConfig) -> list[tuple[str, str, str]]:
    try:
        template = check_template(config.template)
    except NamedError as error:
        return [("templateMissing", "template", error.detail_at("template"))]
    names = template_variables(template.components)
    problems = [
        ("templateVariable", f"variables.{name}", f"the template has no variable {name}")
        for name in config.variables
        if name not in names
    ]
    lacks = [name for name in names if name not in config.variables and name not in template.variables]
    return problems + [("templateVariable", "variables", f"the template needs {name}") for name in lacks]


CHAT = NodeType(
    "chat",
    "messages",
    "Chat message",
    "Writes to the contact of the run by chat, with an approved template. It goes within the limits and hours of all"
    " outreach, and to nobody who has unsubscribed or opted out.",
    ChatConfig,
    _chat,
    resume=resume,
    handles=lambda config: HANDLES,
    needs=lambda config: ("chatapp.POST", "contact.GET"),
    icon="chat",
    templates=("to", "variables"),
    check=_problems,
    writes=True,
    effect=effects.of_chat,
    outputs={"id": "id", "status": "text", "reason": "text"},
)
TYPES = (CHAT,)
