"""Cadences: the follow-ups of a run and how often it recurs, checked as a request has them."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any, NoReturn

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.api.input import BooleanInput, Input, IntegerInput, ObjectInput
from core.errors import NamedError, shorten
from core.ids import is_id
from core.spans import MAX_AMOUNT, UNITS, add_span, read_span
from core.types import JsonObject, Values
from outreach.chat.chat_templates.frozen import check_sendable, freeze_template, read_given
from outreach.connections.chat_apps.models import ChatTemplate
from outreach.connections.mail_vendors.models import MailApp
from outreach.connections.mail_vendors.registry import CHANNELS as VENDOR_CHANNELS
from outreach.connections.mail_vendors.registry import channel_of
from outreach.messaging.delivery.attachments import describe_files
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.stopping.stop_rules import OPTIONAL
from outreach.messaging.email_templates.models import EmailTemplate
from outreach.messaging.email_templates.rendering import ValueReader

MAX_STEPS = 10
MAX_TOTAL_DELAY = dt.timedelta(days=366)
"""The longest that all delays of a cadence take together."""
MIN_INTERVAL_MS = 60_000
MAX_INTERVAL_MS = 366 * 86_400_000
PROMPT_LENGTH = 10_000
SUBJECT_LENGTH = 200
ALWAYS = ("unsubscribe",)
"""Rules that stop every step, with or without stopOn."""
THREAD = SendJob.Channel.SMTP.value
"""The channel of steps sent by the sender of the previous message, of any kind."""
CHAT = SendJob.Channel.CHATAPP.value
"""The channel of steps that are a template of the chat vendor, and go by its app."""
CHANNELS = {"smtp": THREAD, "email": THREAD, **{channel: channel for channel in VENDOR_CHANNELS}, CHAT: CHAT}
"""Names of channels -> the channel."""
STEP_KEYS = frozenset({"delay", "channel", "subject", "prompt", "template", "variables", "stopOn", "window"})
WRITTEN_KEYS = STEP_KEYS - {"prompt"} | {"body"}
"""Keys of a step of a campaign: its content is a template's, or its own."""
BODY_LENGTH = 200_000
WHOLE_DAY = "00:00"
"""Start and end of an all-day window in responses."""
FIRST_MONDAY = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)


@dataclass(frozen=True, kw_only=True)
class Step:
    """A follow-up of a run. `number` is the step of its messages; the first message is step 1."""

    number: int
    channel: str
    delay: Values
    """The span after the message before it was sent."""
    subject: str
    """Empty: the subject of the thread, with `Re:` before it."""
    prompt: str
    """Empty: the run's."""
    stop_on: tuple[str, ...]
    window: Values | None
    content: Values | None
    """Subject, body, variables and attachments of its template, or the chat template; None: the AI app writes it."""

    @property
    def chat(self) -> Values | None:
        """The chat template of a step by chat (outreach.chat.chat_templates.frozen)."""
        return None if self.content is None else self.content.get("chat")


def steps_of(cadence: Values) -> dict[int, Step]:
    """Return the follow-ups of a stored cadence by their numbers."""
    return {
        number: Step(
            number=number,
            channel=step["channel"],
            delay=step["delay"],
            subject=step["subject"],
            prompt=step.get("prompt", ""),
            stop_on=tuple(step["stopOn"]),
            window=step["window"],
            content=step.get("content"),
        )
        for number, step in enumerate(cadence.get("steps", ()), 2)
    }


def without_content(cadence: Values) -> JsonObject:
    """Return a stored cadence in the form of responses: the ids of templates, without their content."""
    steps = [{name: step[name] for name in step if name != "content"} for step in cadence.get("steps", ())]
    return {"steps": steps} if steps else {}


def delay_after(cadence: Values, step: int) -> Values | None:
    """Return the span between a step's message and its follow-up; None: nothing follows."""
    follow_up = steps_of(cadence).get(step + 1)
    return None if follow_up is None else follow_up.delay


def read_cadence(raw: Values, where: str = "outreachCadence") -> JsonObject:
    """Return the cadence in the form of a run; {} for one without steps.

    Raises InvalidPayload_400, which names the problem, and EmailTemplateNotFound_404 for a template.
    """
    steps = _read_steps(raw, where, STEP_KEYS)
    _take_templates(steps, where)
    return {"steps": steps} if steps else {}


def _read_steps(raw: Values, where: str, keys: frozenset[str]) -> list[JsonObject]:
    _refuse_unknown_keys(raw, {"steps"}, where)
    steps = raw.get("steps", [])
    if not isinstance(steps, list) or len(steps) > MAX_STEPS:
        _refuse(f"{where}.steps", f"must be an array of at most {MAX_STEPS} steps")
    cleaned = [_read_step(step, f"{where}.steps[{place}]", keys) for place, step in enumerate(steps)]
    # Added up on a calendar, since a month has no fixed length.
    at = FIRST_MONDAY
    for place, step in enumerate(cleaned):
        try:
            at = add_span(at, step["delay"], dt.UTC)
        except (OverflowError, ValueError):
            at = FIRST_MONDAY + MAX_TOTAL_DELAY * 2
        if at - FIRST_MONDAY > MAX_TOTAL_DELAY:
            _refuse(f"{where}.steps[{place}].delay", f"enter shorter waits: at most {MAX_TOTAL_DELAY.days} days in all")
    _check_channels(cleaned, where)
    return cleaned


def read_written_cadence(raw: Values, where: str = "outreachCadence") -> JsonObject:
    """Return the cadence of a campaign in its stored form; {} for one without steps. Its content is copied when it
    starts.

    Raises the errors of read_cadence, except for templates.
    """
    steps = _read_steps(raw, where, WRITTEN_KEYS)
    for place, step in enumerate(steps):
        if not step["template"] and (step["channel"] == CHAT or not step["body"].strip()):
            _refuse(f"{where}.steps[{place}].body", "choose a template, or enter a text")
    return {"steps": steps} if steps else {}


def _check_channels(steps: list[JsonObject], where: str) -> None:
    """Raise AppNotFound_400 for a step by a mail vendor that the company has no active app of."""
    channels = {step["channel"] for step in steps} - {THREAD, CHAT}  # a chat template says by which app it goes
    if not channels:
        return
    rows = MailApp.objects.filter(is_active=True, letter__in=[channel[-1] for channel in channels])
    connected = {channel_of(letter) for letter in rows.values_list("letter", flat=True).distinct()}
    for place, step in enumerate(steps):
        if step["channel"] in channels - connected:
            field = f"{where}.steps[{place}].channel"
            raise NamedError("AppNotFound_400", f"the company has no active {step['channel']} app", field=field)


def _read_step(raw: Any, where: str, keys: frozenset[str]) -> JsonObject:
    if not isinstance(raw, dict):
        _refuse(where, "must be an object")
    _refuse_unknown_keys(raw, keys, where)
    if "delay" not in raw:
        _refuse(f"{where}.delay", "enter a value")
    channel = raw.get("channel", "smtp")
    if not isinstance(channel, str) or channel not in CHANNELS:
        _refuse(f"{where}.channel", f"must be one of {', '.join(CHANNELS)}")
    template = raw.get("template") or None
    if template is not None and not is_id(template):
        _refuse(f"{where}.template", "must be 24 hex characters")
    own = "body" if "body" in keys else "prompt"
    if template is not None and raw.get(own):
        _refuse(f"{where}.template", f"choose a template or enter a {own}")
    if channel == CHAT and (raw.get(own) or raw.get("subject")):
        _refuse(f"{where}.{own if raw.get(own) else 'subject'}", "choose a chat template instead of a text")
    variables = read_given(raw.get("variables"), f"{where}.variables")
    return {
        "delay": read_span(raw["delay"], f"{where}.delay"),
        "channel": CHANNELS[channel],
        "subject": _text(raw, "subject", SUBJECT_LENGTH, where),
        own: _text(raw, own, BODY_LENGTH if own == "body" else PROMPT_LENGTH, where),
        "stopOn": _stop_on(raw.get("stopOn"), f"{where}.stopOn"),
        "window": read_hours(raw.get("window"), f"{where}.window"),
        "template": template,
        **({"variables": variables} if variables else {}),
    }


def _text(raw: Values, name: str, most: int, where: str) -> str:
    text = raw.get(name) or ""
    if not isinstance(text, str) or "\0" in text:
        _refuse(f"{where}.{name}", "must be text")
    text = " ".join(text.split()) if name == "subject" else text.strip()
    if len(text) > most:
        _refuse(f"{where}.{name}", f"enter at most {most:,} characters")
    return text


def _stop_on(raw: Any, where: str) -> list[str]:
    if raw is None:
        return list(OPTIONAL)
    choices = (*OPTIONAL, *ALWAYS)
    if not isinstance(raw, list) or not all(isinstance(event, str) and event in choices for event in raw):
        _refuse(where, f"must be an array of {', '.join(choices)}")
    return [event for event in OPTIONAL if event in raw]


def read_hours(raw: Any, where: str) -> JsonObject | None:
    """Return sending hours as rows store them; None: they are the company's. Raises InvalidPayload_400."""
    if raw in (None, {}):
        return None
    if not isinstance(raw, dict):
        _refuse(where, 'needs {"days": [1, 2, 3], "start": "09:00", "end": "17:00"}; days from 1 (Monday) to 7')
    _refuse_unknown_keys(raw, {"days", "start", "end"}, where)
    days = raw.get("days", [])
    if not isinstance(days, list) or not all(type(day) is int and 1 <= day <= 7 for day in days):
        _refuse(f"{where}.days", "must be an array of whole numbers from 1 (Monday) to 7")
    if len(set(days)) < len(days):
        _refuse(f"{where}.days", "choose each day once")
    if not days and "start" not in raw:
        _refuse(f"{where}.days", "choose at least one day")
    if ("start" in raw) != ("end" in raw):
        _refuse(f"{where}.{'end' if 'start' in raw else 'start'}", "enter both times")
    hours = {name: _clock(raw.get(name, WHOLE_DAY), f"{where}.{name}") for name in ("start", "end")}
    if hours["start"] == hours["end"] != WHOLE_DAY:
        _refuse(f"{where}.end", "enter another end; leave both empty for the whole day")
    return {"days": sorted(days), **hours}


def _clock(raw: Any, where: str) -> str:
    try:
        return f"{dt.datetime.strptime(raw, '%H:%M').time():%H:%M}"  # noqa: DTZ007  a local time of day
    except (TypeError, ValueError):
        _refuse(where, "enter a time, such as 09:00")


def _take_templates(steps: list[JsonObject], where: str) -> None:
    """Copy the templates into their steps, so that the content of a run never changes."""
    named = {step["template"] for step in steps if step["template"]}
    templates = EmailTemplate.objects.in_bulk(named) if named else {}
    _take_chat_templates(steps, where)
    for place, step in enumerate(steps):
        if step["channel"] == CHAT:
            continue
        if step.get("variables"):
            _refuse(f"{where}.steps[{place}].variables", "leave them out of an email")
        if step["template"] is None:
            continue
        template = templates.get(step["template"])
        if template is None:
            text = "there is no such email template in this company"
            raise NamedError("EmailTemplateNotFound_404", text, field=f"{where}.steps[{place}].template")
        content = {"subject": template.subject, "html": template.html, "text": template.text}
        files = describe_files(template.attachments, f"{where}.steps[{place}].template.attachments")
        step["content"] = {**content, "variables": template.variables, "attachments": files}


def _take_chat_templates(steps: list[JsonObject], where: str) -> None:
    """Copy the chat templates into their steps. Raises ChatAppTemplateNotFound_404, InvalidChatAppTemplate_400 for one
    that may not be sent, and InvalidVariables_400."""
    named = {step["template"] for step in steps if step["channel"] == CHAT}
    if not named:
        return
    templates = ChatTemplate.objects.select_related("app").in_bulk([id for id in named if id])
    reader = ValueReader.load()
    for place, step in enumerate(steps):
        if step["channel"] != CHAT:
            continue
        at = f"{where}.steps[{place}]."
        if step["template"] is None:
            _refuse(f"{at}template", "choose a chat template")
        template = templates.get(step["template"])
        if template is None:
            name = "ChatAppTemplateNotFound_404"
            raise NamedError(name, "there is no such chat template in this company", field=f"{at}template")
        check_sendable(template, f"{at}template")
        frozen = freeze_template(template, step.get("variables", {}), reader, at, "template")
        step["content"] = {"subject": "", "html": "", "text": "", "variables": [], "chat": frozen}


def _refuse_unknown_keys(raw: Values, keys: set[str] | frozenset[str], where: str) -> None:
    for key in raw:
        if key not in keys:
            _refuse(f"{where}.{shorten(key)}", f"unknown key; there is {', '.join(sorted(keys))}")


def _refuse(where: str, hint: str) -> NoReturn:
    raise NamedError("InvalidPayload_400", hint, field=where)


_CLOCK_SCHEMA = {"type": "string", "pattern": "^[0-9]{1,2}:[0-9]{1,2}$", "examples": ["09:00"]}
_WINDOW_SCHEMA = {
    "type": ["object", "null"],
    "properties": {
        "days": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 7}, "uniqueItems": True},
        "start": _CLOCK_SCHEMA,
        "end": _CLOCK_SCHEMA,
    },
    "additionalProperties": False,
}
_STEP_SCHEMA = {
    "type": "object",
    "required": ["delay"],
    "properties": {
        "delay": {
            "type": "object",
            "required": ["amount", "unit"],
            "properties": {
                "amount": {"type": "integer", "minimum": 1, "maximum": MAX_AMOUNT},
                "unit": {"type": "string", "enum": list(UNITS)},
            },
            "additionalProperties": False,
        },
        "channel": {"type": "string", "enum": list(CHANNELS), "default": "smtp"},
        "subject": {"type": ["string", "null"], "maxLength": SUBJECT_LENGTH},
        "prompt": {"type": ["string", "null"], "maxLength": PROMPT_LENGTH},
        "template": {
            "type": ["string", "null"],
            "description": "Id of a template, instead of a prompt; by chatapp of a chat template.",
        },
        "variables": {
            "type": ["object", "null"],
            "additionalProperties": {"type": "string"},
            "description": "By chatapp: variable of the template -> words, with {{placeholders}}; the others are filled"
            " by the fields that the template names.",
        },
        "stopOn": {"type": ["array", "null"], "items": {"type": "string", "enum": [*OPTIONAL, *ALWAYS]}},
        "window": _WINDOW_SCHEMA,
    },
    "additionalProperties": False,
}


_STEP_PROPERTIES: JsonObject = {**_STEP_SCHEMA["properties"]}  # type: ignore[dict-item]
_WRITTEN_PROPERTIES = {name: one for name, one in _STEP_PROPERTIES.items() if name != "prompt"} | {
    "template": {
        "type": ["string", "null"],
        "description": "Id of a template, instead of a body; by chat of a chat template.",
    },
    "body": {"type": ["string", "null"], "maxLength": BODY_LENGTH, "description": "MJML, HTML or plain text."},
}


def _cadence_schema(step: Values) -> JsonObject:
    return {
        "type": "object",
        "properties": {"steps": {"type": "array", "maxItems": MAX_STEPS, "items": step}},
        "additionalProperties": False,
    }


@extend_schema_field(_cadence_schema({**_STEP_SCHEMA, "properties": _WRITTEN_PROPERTIES}))
class WrittenCadenceInput(ObjectInput):
    """The cadence of a campaign, checked (read_written_cadence)."""

    def to_internal_value(self, data: Any) -> JsonObject:
        return read_written_cadence(super().to_internal_value(data))


@extend_schema_field(_cadence_schema(_STEP_SCHEMA))
class CadenceField(serializers.DictField):
    """A cadence in an answer, as it was checked."""


@extend_schema_field(_cadence_schema(_STEP_SCHEMA))
class CadenceInput(ObjectInput):
    """A cadence, checked (read_cadence)."""

    def to_internal_value(self, data: Any) -> JsonObject:
        return read_cadence(super().to_internal_value(data))


class CadenceFields(Input):
    """The follow-ups and recurrence of a run. Bodies that start runs inherit it."""

    outreachCadence = CadenceInput(
        default=dict,
        help_text='The follow-ups: {"steps": [{"delay": {"amount": 3, "unit": "days"}, "channel": "smtp", "subject":'
        ' "", "prompt": "", "stopOn": ["reply", "bounce", "won", "lost"], "window": {"days": [1, 2, 3], "start":'
        ' "09:00", "end": "17:00"}}]}. A follow-up is written its delay after the message before it was sent, in the'
        f" same thread. At most {MAX_STEPS} steps and {MAX_TOTAL_DELAY.days} days; only delay is required.",
    )
    recurring = BooleanInput(
        default=False, help_text="The run begins anew every intervalMs, for those whom it has not written to yet."
    )
    intervalMs = IntegerInput(
        default=None,
        allow_null=True,
        min_value=1,
        max_value=MAX_INTERVAL_MS,
        help_text=f"Milliseconds from one beginning to the next, at least {MIN_INTERVAL_MS:,}; without recurring"
        " it has no effect.",
    )

    def validate(self, attrs: JsonObject) -> JsonObject:
        """Raise InvalidPayload_400 for a recurring run without a long enough interval."""
        interval = attrs.get("interval_ms")
        if attrs.get("recurring") and (interval is None or interval < MIN_INTERVAL_MS):
            _refuse("intervalMs", f"is required and at least {MIN_INTERVAL_MS:,} when recurring is true")
        return attrs
