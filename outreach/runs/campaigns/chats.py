"""Campaigns by chat, and chat steps of others: their content is templates that the chat vendor has approved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.errors import NamedError
from core.types import JsonObject, Values
from outreach.chat.chat_templates.frozen import check_sendable, freeze_template
from outreach.chat.chat_templates.services import not_found
from outreach.connections.chat_apps.checks import INVALID
from outreach.connections.chat_apps.models import ChatTemplate
from outreach.messaging.email_templates.rendering import ValueReader
from outreach.runs.campaigns.models import CHAT, Campaign
from outreach.runs.genie.cadence.steps import THREAD

Templates = Mapping[str, ChatTemplate]


def is_chat(campaign: Campaign, step: Values) -> bool:
    """Return whether a follow-up of a campaign goes by chat."""
    return step["channel"] == CHAT or (campaign.by_chat and step["channel"] == THREAD)


def templates_of(campaign: Campaign) -> dict[str, ChatTemplate]:
    """Return the chat templates that the campaign names, by their ids."""
    named = {step["template"] for step in campaign.outreach_cadence.get("steps", ()) if is_chat(campaign, step)}
    if campaign.by_chat:
        named |= {campaign.chat_template_id, *(variant["templateId"] for variant in campaign.variants)}
    named.discard(None)
    return ChatTemplate.objects.select_related("app").in_bulk([*named]) if named else {}


def own_words(campaign: Campaign) -> JsonObject:
    """Return the content of a campaign by chat without variants, in the form of a variant."""
    texts = {"subject": campaign.subject, "body": campaign.body}
    return {"templateId": campaign.chat_template_id, "variables": campaign.variables, **texts}


def chat_words(
    content: Values, templates: Templates, reader: ValueReader, where: str, parameter: str = "templateId"
) -> JsonObject:
    """Return the content of a variant or a step, in the form of a run.

    Raises CampaignTemplateRequired_400, InvalidChatAppTemplate_400 for text of its own, ChatAppTemplateNotFound_404,
    and InvalidVariables_400.
    """
    if content.get("subject") or content.get("body"):
        raise NamedError(INVALID, "choose a chat template instead of a text", field=f"{where}body")
    id = content[parameter]
    if not id:
        raise NamedError("CampaignTemplateRequired_400", "choose a chat template", field=f"{where}{parameter}")
    template = templates.get(id)
    if template is None:
        raise not_found(f"{where}{parameter}")
    frozen = freeze_template(template, content.get("variables") or {}, reader, where, parameter)
    return {"subject": "", "html": "", "text": "", "variables": [], "chat": frozen}


def take_app(campaign: Campaign) -> None:
    """Set the app of a campaign by chat to that of its templates; one of another type has none.

    Raises InvalidChatAppTemplate_400 for templates of several apps, and for a follow-up by another channel.
    """
    if not campaign.by_chat:
        campaign.chat_app = campaign.chat_template = None
        campaign.variables = {}
        return
    campaign.smtp = campaign.mail_app = campaign.template = None
    for place, step in enumerate(campaign.outreach_cadence.get("steps", ())):
        if not is_chat(campaign, step):
            raise NamedError(INVALID, "choose chat", field=f"outreachCadence.steps[{place}].channel")
    apps = {template.app_id: template.app for template in templates_of(campaign).values()}
    # A template belongs to the account that it was approved for, and a campaign has one sender.
    if len(apps) > 1:
        raise NamedError(INVALID, "choose templates of one chat app", field="templateId")
    campaign.chat_app = next(iter(apps.values()), None)


def check_approved(contents: Iterable[tuple[str, Values]]) -> None:
    """Raise InvalidChatAppTemplate_400 for content (where, content) that may not be sent now."""
    pairs = [(where, content["chat"]["template"]) for where, content in contents if "chat" in content]
    if not pairs:
        return
    rows = ChatTemplate.objects.select_related("app").in_bulk([id for _, id in pairs])
    for where, id in pairs:
        check_sendable(rows[id], where)
