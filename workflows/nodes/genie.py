"""The node with which the company's AI app writes a mail. Workers write it, and it is sent as all outreach."""

from __future__ import annotations

from pydantic import Field

from core.errors import NamedError
from core.types import JsonObject
from outreach.connections.ai.languages import language_name
from outreach.connections.ai.services import ai_type_of, choose_ai_app
from workflows.nodes import effects
from workflows.nodes.base import NodeBatch, NodeType
from workflows.nodes.recipients import (
    HANDLES,
    RecipientConfig,
    check_senders,
    plan_batch,
    recipients,
    resume,
    senders_of,
)


class GenieConfig(RecipientConfig):
    main = ("prompt", "tone", "language", "senders")

    prompt: str = Field(min_length=1, max_length=10_000, description="What the mail is to say, and what for.")
    tone: str = Field(default="", max_length=100)
    language: str = Field(
        default="", max_length=8, description="Code; empty: the contact's.", json_schema_extra={"x-widget": "language"}
    )
    aiType: str | None = Field(
        default=None, max_length=32, description="Empty: the default app.", json_schema_extra={"x-widget": "aiType"}
    )
    ask: bool = Field(default=True, description="It may ask the recipient a question.")


def _genie(batch: NodeBatch) -> None:
    config: GenieConfig = batch.config
    pairs = recipients(batch)
    if not pairs:
        return
    columns: JsonObject = {
        "ai_type": ai_type_of(choose_ai_app(config.aiType)),
        "prompt": config.prompt,
        "tone": config.tone,
        "language": config.language,
        "user_enquiry_enabled": config.ask,
    }
    mails = [(item, contact, None) for item, contact in pairs]
    plan_batch(batch, mails, senders=senders_of(config.senders), **columns)


def _problems(config: GenieConfig) -> list[tuple[str, str, str]]:
    problems = check_senders(config.senders)
    if config.language and not language_name(config.language):
        problems.append(("badValue", "language", f"{config.language!r} is no language that can be written"))
    try:
        choose_ai_app(config.aiType)
    except NamedError as error:
        problems.append(("aiMissing", "aiType", error.detail_at("aiType")))
    return problems


GENIE = NodeType(
    "genie",
    "messages",
    "AI email",
    "Lets the company's AI app write an email to the contact of the run.",
    GenieConfig,
    _genie,
    resume=resume,
    handles=lambda config: HANDLES,
    needs=lambda config: ("genie.POST", "contact.GET"),
    icon="auto_awesome",
    templates=("to",),
    check=_problems,
    writes=True,
    outputs={"id": "id", "status": "text", "reason": "text"},
    effect=effects.of_mail(effects.of_prompt),
)
TYPES = (GENIE,)
