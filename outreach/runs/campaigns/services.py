"""Use cases of campaigns: create, change, duplicate, delete. Their names are unique, ignoring case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.access import reserve_quota
from core.errors import Fields, NamedError, ValidationFailed, detail_of, shorten
from core.events import emit
from core.lists import BulkSelection, in_batches
from core.types import JsonObject, Values
from crm.records.writes.unique_names import save_unique_name
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.mail_vendors.registry import CHANNELS
from outreach.connections.mail_vendors.services import not_found
from outreach.connections.senders.models import Smtp
from outreach.messaging.delivery.deciding.reasons import Reason
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.senders import columns_of
from outreach.runs.campaigns.chats import take_app
from outreach.runs.campaigns.models import CHAT, Campaign
from outreach.runs.campaigns.readiness import check_metric, check_ready
from outreach.runs.campaigns.selectors import NOBODY, kept_campaigns, run_of
from outreach.runs.campaigns.words import check_variants, check_words
from outreach.runs.genie import audience
from outreach.runs.genie.models import GenieScheduler

MODULE = "campaign"
TAKEN = "CampaignNameAlreadyExists_400"
NOT_FOUND = "CampaignNotFound_404"
TYPES = ("smtp", *CHANNELS, CHAT)
SELECTORS = {
    "contact_ids": "contactIds",
    "lead_ids": "leadIds",
    "segments": "segments",
    "tags": "tags",
    "categories": "categories",
}
COLUMNS = {"template_id": "template_id", "winner": "winner_rule", "audience": "audience_mode"}
"""Name of a body, in snake_case -> its column, where that has another name."""
WHILE_PAUSED = ("name", "throttle", "ends_at")
"""Fields of a started campaign that can still be changed."""
WORDS: JsonObject = {"template_id": None, "subject": "", "body": "", "variants": []}
Status = Campaign.Status


def get_campaign(id: str, *, lock: bool = False) -> Campaign:
    """Return the company's campaign with this id. Raises CampaignNotFound_404."""
    rows = kept_campaigns().select_for_update(of=("self",)) if lock else kept_campaigns()
    campaign: Campaign | None = rows.filter(pk=id).first()
    if campaign is None:
        raise NamedError(NOT_FOUND, "there is no such campaign in this company", field="id")
    return campaign


def state_error(text: str, *, field: Fields) -> NamedError:
    """Return the error for an action that the campaign's state does not allow."""
    return NamedError("CampaignCannotBeUpdated_400", text, field=field)


@transaction.atomic
def create_campaign(*, member_id: str, **values: Any) -> Campaign:
    """Create a draft.

    Raises CampaignNameAlreadyExists_400, InvalidCampaignType_400, PlanLimitExceeded_403, and the errors of senders,
    content and selectors.
    """
    reserve_quota(MODULE)
    campaign = Campaign(audience=dict(NOBODY), created_by_id=member_id)
    return _save(campaign, member_id, values, "campaign.created")


@transaction.atomic
def update_campaign(*, id: str, member_id: str, **values: Any) -> Campaign:
    """Change the given values of a campaign that has not started, or the changeable ones of a paused campaign.

    Raises CampaignNotFound_404, CampaignCannotBeUpdated_400, and the errors of create_campaign.
    """
    campaign = get_campaign(id, lock=True)
    run = run_of(campaign.pk)
    if run is not None:
        if campaign.status != Status.PAUSED:
            raise state_error(
                f"the campaign is {campaign.status}; it changes before it begins, or while paused", field="status"
            )
        fixed = [name for name in values if name not in WHILE_PAUSED]
        if fixed:
            names = [_camel(name) for name in fixed]
            raise state_error("cannot change since the campaign has begun; name, throttle and endsAt can", field=names)
    elif campaign.status == Status.CANCELLED:
        raise state_error("the campaign was cancelled; duplicate it", field="status")
    campaign = _save(campaign, member_id, values, "campaign.updated")
    if run is not None:
        GenieScheduler.objects.filter(pk=run.pk).update(name=campaign.name, per_hour=campaign.throttle)
        if run.per_hour != campaign.throttle:  # what waits for the old pace goes by the new one once it is resumed
            waiting = SendJob.objects.filter(run=run, status=SendJob.Status.APPROVED, reason=Reason.LIMIT_CAMPAIGN)
            waiting.update(reason=Reason.RUN_PAUSED, updated_at=timezone.now())
    elif campaign.status == Status.SCHEDULED and campaign.scheduled_at is not None:
        check_ready(campaign)  # it begins by itself, when nobody looks
    elif campaign.status != Status.DRAFT:
        Campaign.objects.filter(pk=campaign.pk).update(status=Status.DRAFT, error="")
    return campaign


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def _save(campaign: Campaign, member_id: str, values: JsonObject, event: str) -> Campaign:
    chosen = {SELECTORS[name]: values.pop(name) for name in tuple(values) if name in SELECTORS}
    if chosen:
        campaign.audience = select_audience({**NOBODY, **campaign.audience, **chosen})
    if any(values.get(name) for name in WORDS):  # words of one kind replace those of another
        whole = ("subject", "body")
        kept = whole if values.get("subject") or values.get("body") else ()
        values = {**{name: empty for name, empty in WORDS.items() if name not in kept}, **values}
    if values.get("type", campaign.type) == CHAT and "template_id" in values:
        values = {**values, "chat_template_id": values["template_id"], "template_id": None}
    senders: JsonObject = {name: values.pop(name) for name in ("smtp", "mail_app") if name in values}
    for name, value in values.items():
        empty = {} if name == "winner" and value is None else value
        setattr(campaign, COLUMNS.get(name, name), empty)
    check_type(campaign.type)
    if values.get("variables") and not campaign.by_chat:
        raise NamedError("InvalidVariables_400", "leave them out of an email", field="variables")
    _set_sender(campaign, senders, "type" in values)
    check_variants(campaign.variants)
    _check_times(campaign, values)
    if {"winner", "track_opens", "track_clicks", "type"} & values.keys():
        check_metric(campaign)
    if any(name in values for name in (*WORDS, "outreach_cadence", "variables", "type")):
        take_app(campaign)
        check_words(campaign)
    campaign.updated_by_id = member_id
    save_unique_name(campaign, TAKEN)
    emit(event, [campaign.pk], payloads={campaign.pk: {"name": campaign.name}}, actor_id=member_id)
    return campaign


def select_audience(chosen: Values) -> JsonObject:
    """Return the audience as campaigns store it. Raises the error of the selector for an id that is not live in this
    company, CampaignSegmentNotFound_400 for a segment."""
    try:
        selection = audience.select(
            contact_ids=chosen["contactIds"],
            lead_ids=chosen["leadIds"],
            segments=chosen["segments"],
            tags=chosen["tags"],
            categories=chosen["categories"],
        )
    except NamedError as error:
        if error.name == "SegmentNotFound_400":
            raise NamedError("CampaignSegmentNotFound_400", error.reason, field=error.fields) from None
        raise
    return selection.as_json()


def check_type(type: str) -> None:
    """Raise InvalidCampaignType_400 for an unknown type of campaign."""
    if type not in TYPES:
        raise NamedError(
            "InvalidCampaignType_400", f"choose one of {', '.join(TYPES)}, not {shorten(type)!r}", field="type"
        )


def _set_sender(campaign: Campaign, sender_ids: Mapping[str, str | None], retyped: bool) -> None:
    """Give the campaign the sender of its type; one of another type goes when the type changes."""
    if campaign.by_chat:
        for name in ("smtp", "mail_app"):
            if sender_ids.get(name):
                text = f"{_camel(name)}: the campaign's type is {campaign.type}"
                raise ValidationFailed(text, "the chat app of the template sends it", field="templateId")
        campaign.smtp = campaign.mail_app = None
        return
    kind, other = ("smtp", "mail_app") if campaign.type == "smtp" else ("mail_app", "smtp")
    if sender_ids.get(other):
        raise ValidationFailed(
            f"{_camel(other)}: the campaign's type is {campaign.type}", "choose a sender", field=_camel(kind)
        )
    if sender_ids.get(kind):
        sender = _sender(campaign.type, str(sender_ids[kind]))
        campaign.smtp = campaign.mail_app = None
        for name, value in columns_of(sender).items():
            setattr(campaign, name, value)
    elif kind in sender_ids or (retyped and not _fits(campaign)):
        campaign.smtp = campaign.mail_app = None


def _fits(campaign: Campaign) -> bool:
    return campaign.sender is None or campaign.sender.app_key == campaign.type


def _sender(type: str, id: str) -> Smtp | MailApp:
    if type == "smtp":
        server: Smtp | None = Smtp.objects.filter(pk=id).first()
        if server is None:
            name = "CampaignSMTPNotBelongToCompany_400"
            raise NamedError(name, "there is no such sender in this company", field="smtp")
        return server
    app: MailApp | None = MailApp.objects.filter(pk=id, letter=type[-1]).first()
    if app is None:
        raise not_found(type[-1], "mailApp")
    return app


def _check_times(campaign: Campaign, values: Values) -> None:
    """Raise ValidationFailed where schedule, end and recurrence do not go together."""
    if problem := _problem_of_times(campaign, values):
        field, text = problem
        raise ValidationFailed(detail_of(field, text), text, field=field)


def _problem_of_times(campaign: Campaign, values: Values) -> tuple[str, str] | None:
    """Return the field and the text of what does not go together."""
    live = campaign.audience_mode == Campaign.Audience.LIVE
    if live and campaign.recurring:
        return "recurring", "choose a live audience or repeats, not both"
    if live and campaign.ends_at is None:
        return "endsAt", "enter an end for a live audience"
    if campaign.recurring and campaign.interval_ms is None:
        return "intervalMs", "enter how often it repeats"
    if campaign.ends_at is not None and not live and not campaign.recurring:
        return "endsAt", "leave it empty, or choose a live audience or repeats"
    if values.get("ends_at") and campaign.ends_at is not None and campaign.ends_at <= timezone.now():
        return "endsAt", "choose a time in the future"
    if campaign.ends_at and campaign.scheduled_at and campaign.ends_at <= campaign.scheduled_at:
        return "endsAt", "choose an end after the start"
    if campaign.winner_rule and not campaign.variants:
        return "winner", "add a second version first"
    if campaign.winner_rule and campaign.recurring and campaign.write_again:
        return "writeAgain", "choose a winner or writing again, not both"
    return None


@transaction.atomic
def duplicate_campaign(*, id: str, member_id: str) -> Campaign:
    """Return a new draft with the content, people and rules of another campaign, and no start time.

    Raises CampaignNotFound_404, PlanLimitExceeded_403.
    """
    reserve_quota(MODULE)
    kept = (
        *("type", "smtp_id", "mail_app_id", "chat_app_id", "template_id", "chat_template_id", "variables"),
        *("subject", "body", "variants", "winner_rule", "audience", "outreach_cadence"),
        *("audience_mode", "ends_at", "window", "throttle", "recurring", "interval_ms", "write_again", "manual"),
        *("track_opens", "track_clicks", "utm_tags", "utm_source", "utm_medium", "utm_campaign"),
    )
    source = get_campaign(id, lock=True)  # so that two copies at once get two names
    columns = {name: getattr(source, name) for name in kept}
    campaign = Campaign(name=_copy_name(source.name), created_by_id=member_id, updated_by_id=member_id, **columns)
    save_unique_name(campaign, TAKEN)
    payload = {"name": campaign.name, "duplicateOf": source.pk}
    emit("campaign.created", [campaign.pk], payloads={campaign.pk: payload}, actor_id=member_id)
    return campaign


def _copy_name(name: str) -> str:
    """Return the first free name of a copy."""
    base = name[:180]
    taken = {
        copy_name.casefold()
        for copy_name in kept_campaigns().filter(name__istartswith=f"{base} (copy").values_list("name", flat=True)
    }
    names = (f"{base} (copy{'' if number == 1 else f' {number}'})" for number in range(1, len(taken) + 2))
    return next(copy_name for copy_name in names if copy_name.casefold() not in taken)


@transaction.atomic
def delete_campaigns(*, member_id: str, selection: BulkSelection) -> int:
    """Delete the selected campaigns; their messages stay in the log. Returns how many.

    Raises NoCampaignSelected_400 when ids name none, and CampaignCannotBeUpdated_400 while one of them is under way.
    """
    rows, deleted = selection.apply(kept_campaigns()), 0
    for ids in in_batches(rows, lock=True):
        under_way = Campaign.objects.filter(pk__in=ids, status__in=(Status.RUNNING, Status.PAUSED))
        names = list(under_way.values_list("name", flat=True)[:3])
        if names:
            raise state_error(
                f"{', '.join(shorten(name, 60) for name in names)}: under way; cancel it first", field="ids"
            )
        Campaign.objects.filter(pk__in=ids).update(is_deleted=True, updated_by_id=member_id, updated_at=timezone.now())
        emit("campaign.deleted", ids, actor_id=member_id)
        deleted += len(ids)
    if not deleted and not selection.everything:
        raise NamedError("NoCampaignSelected_400", "none of them is a campaign of this company", field="ids")
    return deleted
