"""The content of a campaign: that of a template, or its own, checked when it is saved and compiled when it starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from core.errors import NamedError, ValidationFailed
from core.types import JsonObject, Values
from outreach.messaging.delivery.attachments import describe_files
from outreach.messaging.email_templates.models import EmailTemplate
from outreach.messaging.email_templates.rendering import ValueReader, compile_words
from outreach.messaging.email_templates.services import not_found
from outreach.runs.campaigns.chats import chat_words, is_chat, own_words, templates_of
from outreach.runs.campaigns.models import CHAT, Campaign

MAX_VARIANTS = 5
ALONE = {"name": "", "share": 100}
"""The one variant of a campaign without variants."""
NO_SUBJECT = "-"
"""Placeholder of the subject of a follow-up without one, during the check of its content."""


def check_variants(variants: Sequence[Values]) -> None:
    """Raise ValidationFailed for variants that cannot be combined."""
    if len(variants) == 1:
        raise ValidationFailed("variants: name two at least", "one alone is the campaign's own text", field="variants")
    names = [variant["name"].casefold() for variant in variants]
    if len(set(names)) < len(names):
        raise ValidationFailed("variants: two have the same name", "enter another name for each", field="variants")
    if variants and sum(variant["share"] for variant in variants) != 100:
        raise ValidationFailed(
            "variants: the shares are not 100 together", "enter shares of 1 to 99 percent", field="variants"
        )


def content_of(campaign: Campaign) -> JsonObject:
    """Return the content in the form of a run (outreach.runs.genie.variants).

    Raises CampaignTemplateRequired_400 without content, and FileNotFound_400 for an attachment. Raises
    EmailTemplateNotFound_404, InvalidVariables_400 and InvalidEmailTemplate_400.
    """
    mail = {"templateId": campaign.template_id, "subject": campaign.subject, "body": campaign.body}
    own = own_words(campaign) if campaign.by_chat else mail
    variants = campaign.variants or [{**ALONE, **own}]
    reader = ValueReader.load()
    compiled: Callable[[Values, str], JsonObject]
    if campaign.by_chat:
        chats = templates_of(campaign)

        def compiled(one: Values, where: str) -> JsonObject:
            return {"name": one["name"], "share": one["share"], **chat_words(one, chats, reader, where)}
    else:
        mails = EmailTemplate.objects.in_bulk([one["templateId"] for one in variants if one["templateId"]])

        def compiled(one: Values, where: str) -> JsonObject:
            return _compile_content(one, mails, reader, where)

    return {
        "variants": [
            compiled(one, f"variants[{place}]." if campaign.variants else "") for place, one in enumerate(variants)
        ],
        "testShare": campaign.winner_rule.get("testShare"),
        "chosen": None,
    }


def follow_ups_of(campaign: Campaign) -> JsonObject:
    """Return the follow-ups with their content, in the form of a run (outreach.runs.genie.cadence).

    Raises as content_of.
    """
    steps = campaign.outreach_cadence.get("steps", [])
    if not steps:
        return {}
    templates = EmailTemplate.objects.in_bulk([entry["template"] for entry in steps if entry["template"]])
    chats, reader = templates_of(campaign), ValueReader.load()
    stored_steps = []
    for place, step in enumerate(steps):
        where = f"outreachCadence.steps[{place}]."
        if is_chat(campaign, step):
            content = chat_words(step, chats, reader, where, "template")
            stored_steps.append({**step, "channel": CHAT, "subject": "", "content": content})
            continue
        # Without a subject it goes under that of the messages before it.
        entry = {
            **ALONE,
            "variables": step.get("variables"),
            "templateId": step["template"],
            "subject": step["subject"] or NO_SUBJECT,
            "body": step["body"],
        }
        compiled = _compile_content(entry, templates, reader, where, "template")
        subject = step["subject"] or (compiled["subject"] if step["template"] else "")
        kept = {name: entry for name, entry in compiled.items() if name in ("html", "text", "variables", "attachments")}
        content = {**kept, "subject": subject}
        stored_steps.append({**step, "subject": "", "content": content})  # placeholders of a subject are filled in too
    return {"steps": stored_steps}


def named_words(campaign: Campaign, content: Values, cadence: Values) -> Iterator[tuple[str, Values]]:
    """Yield the place of each variant's and each follow-up's content, and the content."""
    for place, variant in enumerate(content["variants"]):
        yield f"variants[{place}].templateId" if campaign.variants else "templateId", variant
    for place, step in enumerate(cadence.get("steps", ())):
        yield f"outreachCadence.steps[{place}].template", step["content"]


def check_words(campaign: Campaign) -> None:
    """Check the existing content. Raises as content_of, except for missing content."""
    follow_ups_of(campaign)
    try:
        content_of(campaign)
    except NamedError as error:
        if error.name != "CampaignTemplateRequired_400":
            raise


def _compile_content(
    content: Values,
    templates: Mapping[str, EmailTemplate],
    reader: ValueReader,
    where: str,
    parameter: str = "templateId",
) -> JsonObject:
    """Return the content as it is sent. Errors name the template as `parameter`, below `where`."""
    named = {"name": content["name"], "share": content["share"]}
    if content.get("variables"):
        raise NamedError("InvalidVariables_400", "leave them out of an email", field=f"{where}variables")
    if content["templateId"]:
        template = templates.get(content["templateId"])
        if template is None:
            raise not_found(f"{where}{parameter}")
        texts = {"subject": template.subject, "html": template.html, "text": template.text}
        files = describe_files(template.attachments, f"{where}{parameter}.attachments")
        return {**named, **texts, "variables": template.variables, "attachments": files}
    if not content["subject"] or not content["body"].strip():
        missing = "body" if content["subject"] else parameter
        raise NamedError(
            "CampaignTemplateRequired_400", "choose a template, or enter subject and text", field=f"{where}{missing}"
        )
    try:
        compiled, variables = compile_words(content["subject"], content["body"], reader)
    except NamedError as error:
        fields = [f"{where}{field}" for field in error.fields]
        raise NamedError(error.name, error.reason, field=fields, code=error.code, params=error.params) from None
    return {
        **named,
        "subject": content["subject"],
        "html": compiled.html,
        "text": compiled.text,
        "variables": variables,
    }
