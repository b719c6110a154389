"""The mail that a campaign makes, before it begins or afterwards."""

from __future__ import annotations

from dataclasses import replace

from core.errors import ValidationFailed
from core.types import JsonObject, Values
from outreach.chat.chat_templates.frozen import of_contact, with_placeholders
from outreach.connections.smtp.markup import html_from_text
from outreach.connections.smtp.message import UNSUBSCRIBE, with_unsubscribe
from outreach.messaging.delivery.tracking.links import sent_html
from outreach.messaging.delivery.tracking.utm import tag_links
from outreach.messaging.delivery.unsubscribing.tokens import sample_link
from outreach.messaging.domain_tracking.hosts import base_for
from outreach.messaging.email_templates.compiler import Compiled
from outreach.messaging.email_templates.rendering import Rendered, ValueReader, render
from outreach.messaging.email_templates.services import contact_of, values_of
from outreach.runs.campaigns.links import with_clicks
from outreach.runs.campaigns.models import Campaign
from outreach.runs.campaigns.selectors import run_of
from outreach.runs.campaigns.services import get_campaign
from outreach.runs.campaigns.utm import add_tags
from outreach.runs.campaigns.words import content_of, follow_ups_of
from outreach.runs.genie.cadence.threads import answer_to


def preview_campaign(
    *, id: str, contact_id: str | None, variant: int = 0, step: int = 1, clicks: bool = False
) -> tuple[Rendered, list[str]]:
    """Return the mail of a variant, or of a follow-up, for a contact, and its files; without one its placeholders stay.

    With `clicks` the mail of a campaign that has begun shows the number of people who clicked behind each link.

    Raises CampaignNotFound_404, ValidationFailed for an unknown variant or step, and ContactNotFound_400. Raises
    CampaignTemplateRequired_400 and the other errors of content_of.
    """
    campaign = get_campaign(id)
    contents = _words(campaign, step)
    place, name = (variant, "variant") if step == 1 else (step - 2, "step")
    if not 0 <= place < len(contents):
        raise ValidationFailed(f"{name} is none of the campaign's", f"the campaign has no such {name}", field=name)
    content = contents[place]
    if "chat" in content:
        return _chat(content["chat"], contact_id), []
    values = values_of(contact_id, content["variables"])
    mail = render(content["subject"], Compiled(content["html"], content["text"], ()), content["variables"], values)
    if tags := content.get("utm"):
        mail = replace(mail, html=tag_links(sent_html(mail.text, mail.html), tags))
    if step > 1 and not mail.subject:
        first = _words(campaign, 1)[0]
        began = render(first["subject"], Compiled("", "", ()), (), values_of(contact_id, first["variables"]))
        mail = replace(mail, subject=answer_to(began.subject))
    run = run_of(campaign.pk) if clicks else None
    if run is not None:
        rich = sent_html(mail.text, mail.html)
        mail = replace(mail, html=with_clicks(run, rich, step=step, place=variant if step == 1 else 0))
    return _with_footer(campaign, mail), [file["id"] for file in content.get("attachments", ())]


def _chat(frozen: Values, contact_id: str | None) -> Rendered:
    """Return a message by chat for a contact; without one its placeholders stay."""
    if contact_id is None:
        filled = with_placeholders(frozen)
    else:
        filled = of_contact(frozen, contact_of(contact_id), ValueReader.load())
    return Rendered("", filled.text, "", filled.missing, filled.pieces)


def _with_footer(campaign: Campaign, mail: Rendered) -> Rendered:
    """Return the mail with the footer of each: a link to unsubscribe, here a sample that is nobody's."""
    url = sample_link(base_for(campaign.sender.from_email if campaign.sender else ""))
    label = f"{UNSUBSCRIBE} (a sample: each recipient has a link of their own)"
    text, html = with_unsubscribe(f"{mail.text.rstrip()}\n", mail.html or html_from_text(mail.text), url, label)
    return replace(mail, text=text, html=html)


def _words(campaign: Campaign, step: int) -> list[JsonObject]:
    """Return the content of the variants, or of the follow-ups; of a started campaign the content at its start."""
    run = run_of(campaign.pk)
    if step == 1:
        content = run.content if run else content_of(campaign)
        contents = list(content["variants"])
    else:
        cadence = run.outreach_cadence if run else follow_ups_of(campaign)
        contents = [entry["content"] for entry in cadence.get("steps", ())]
    if run is None:
        add_tags(campaign, contents if step == 1 else (), contents if step > 1 else ())
    return contents
