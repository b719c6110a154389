"""The follow-ups of a new run in its form: their fields, their form in the API, and the fields of its refusals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.http import QueryDict
from django.utils.translation import gettext as _

from core.text.labels.counts import SPANS
from core.text.translation import gettext_lazy
from core.text.whole_numbers import whole_number
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.forms import BoundField, Field, Form, Option
from outreach.runs.genie.pages import chats

MAX_STEPS = 10
UNITS = tuple(Option(unit, unit) for unit in ("minutes", "hours", "days", "weeks", "months"))
STOPS = (
    Option("reply", gettext_lazy("The contact replies")),
    Option("bounce", gettext_lazy("A message bounces")),
    Option("won", gettext_lazy("A lead of the contact is won")),
    Option("lost", gettext_lazy("A lead of the contact is lost")),
)
INTERVALS = (
    Option("3600000", gettext_lazy("Every hour")),
    Option("86400000", gettext_lazy("Every day")),
    Option("604800000", gettext_lazy("Every week")),
    Option("2592000000", gettext_lazy("Every 30 days")),
)
NEW = {"amount": "3", "unit": "days"}
DAYS = (
    Option("1", gettext_lazy("Monday")),
    Option("2", gettext_lazy("Tuesday")),
    Option("3", gettext_lazy("Wednesday")),
    Option("4", gettext_lazy("Thursday")),
    Option("5", gettext_lazy("Friday")),
    Option("6", gettext_lazy("Saturday")),
    Option("7", gettext_lazy("Sunday")),
)
BY_CHAT = gettext_lazy("Sent by chat to people with a phone number.")
WINDOW = ("days", "start", "end")
BY_CHAT_ALONE = ("chatTemplate", "chatVariables")
NAMES = ("amount", "unit", "chatTemplate", "chatVariables", "template", "prompt", "subject", "stopOn", *WINDOW)


def count_of(sent: QueryDict) -> int:
    """Return how many follow-ups the form had."""
    text = sent.get("steps", "")
    return min(int(text), MAX_STEPS) if text.isdecimal() and len(text) < 4 else 0


def step_fields(count: int, templates: Sequence[Option] = (), chat_templates: Sequence[Option] = ()) -> list[Field]:
    """Return the fields of so many follow-ups, with a template or by chat."""
    return [field for place in range(count) for field in _fields(place, templates, chat_templates)]


def _fields(place: int, templates: Sequence[Option], chat_templates: Sequence[Option]) -> list[Field]:
    chosen = Field(
        f"step{place}-template",
        _("Template"),
        "select",
        options=list(templates),
        placeholder=_("None (AI writes each message)"),
    )
    return [
        *chats.chat_fields(list(chat_templates), f"step{place}-chat", help=BY_CHAT),
        *([chosen] if templates else []),
        Field(f"step{place}-amount", _("Wait"), "number", required=True),
        Field(f"step{place}-unit", _("Unit"), "select", required=True, options=list(UNITS), initial=NEW["unit"]),
        Field(
            f"step{place}-prompt",
            _("Topic"),
            "textarea",
            placeholder=_("Ask about the first message"),
            help_text=_("Leave empty to continue the topic of the first message."),
        ),
        Field(f"step{place}-subject", _("Subject"), placeholder=_("Re: and the subject of the first message")),
        Field(f"step{place}-stopOn", _("Stop when"), "checks", options=list(STOPS), initial=[]),
        Field(
            f"step{place}-days",
            _("Days"),
            "checks",
            options=list(DAYS),
            initial=[],
            help_text=_("Leave empty to use your company's sending days."),
        ),
        Field(f"step{place}-start", _("From"), "time"),
        Field(f"step{place}-end", _("Until"), "time", help_text=_("Leave both empty to use your company's hours.")),
    ]


def interval_field() -> Field:
    """Return the field for the run's interval."""
    return Field(
        "intervalMs",
        _("How often"),
        "select",
        options=list(INTERVALS),
        placeholder=_("Once"),
        help_text=_("Each run writes to new contacts only."),
    )


def group_follow_up_fields(form: Form, count: int) -> list[dict[str, BoundField]]:
    """Return the fields of each follow-up by their short names."""
    by_name = {field.name: field for field in form}
    return [
        {name: by_name[key] for name in NAMES if (key := f"step{place}-{name}") in by_name} for place in range(count)
    ]


def cadence_in(sent: QueryDict) -> JsonObject:
    """Return the follow-ups and recurrence of a form, in the API's form."""
    count = count_of(sent)
    # A choice among no options is read as it was sent; the API knows the templates.
    form = Form(fields=[interval_field(), *step_fields(count, [Option("", "")], [Option("", "")])]).bind(sent)
    body: JsonObject = {}
    steps = []
    for fields in group_follow_up_fields(form, count):
        values = {name: field.value() for name, field in fields.items()}
        delay = {"amount": values.pop("amount"), "unit": values.pop("unit")}
        window = _window({name: values.pop(name) for name in WINDOW})
        steps.append({"delay": delay, **window, **_words(values)})
    if steps:
        body["outreachCadence"] = {"steps": steps}
    interval = form.values["intervalMs"]
    if interval:
        body |= {"recurring": True, "intervalMs": whole_number(interval) or interval}
    return body


def _words(values: Values) -> JsonObject:
    """Return the content of a follow-up in the API's form: a chat template, or the fields of a mail."""
    template, variables = values["chatTemplate"], values["chatVariables"]
    if template:
        filled = chats.variables_in(variables)
        said = {name: values[name] for name in ("prompt", "subject") if values.get(name)}  # refused at their fields
        return {"channel": chats.CHAT, "template": template, "variables": filled, "stopOn": values["stopOn"], **said}
    return {name: value for name, value in values.items() if value != "" and name not in BY_CHAT_ALONE}


def _window(values: Values) -> JsonObject:
    """Return the hours of a follow-up for the API; empty if the form has none."""
    window = {name: values[name] for name in ("start", "end") if values[name]}
    if values["days"]:
        window["days"] = [day if (number := whole_number(day)) is None else number for day in values["days"]]
    return {"window": window} if window else {}


def refuse(form: Form, answer: Answer) -> None:
    """Put a refusal into the form, with the errors about follow-ups at their fields."""
    by_name = {field.name: field for field in form}
    form.refuse(answer, lambda path: _form_name(by_name, path))
    for error in answer.errors:
        field = by_name.get(_form_name(by_name, error["field"]))
        if field is not None and error["field"].endswith(".delay.amount"):
            field.replace_error(_("Enter a whole number of at least 1."))


def _form_name(by_name: Mapping[str, BoundField], path: str) -> str:
    """Return the form's name of a path such as outreachCadence.steps.0.delay.amount; empty if it has none."""
    parts = path.split(".")
    if parts[0] != "outreachCadence":
        return path
    if len(parts) < 4:
        return ""
    names = [name for name in parts[3:] if name not in ("delay", "window")] or ["amount"]
    field = _field_of(by_name, f"step{parts[2]}-", names[0])
    return "" if field is None else field.name


def _field_of(by_name: Mapping[str, BoundField], step: str, name: str) -> BoundField | None:
    chat = by_name.get(f"{step}chatTemplate")
    if chat is not None and chat.value():
        name = {"template": "chatTemplate", "variables": "chatVariables"}.get(name, name)
    return by_name.get(f"{step}{name}")


def add_follow_up(sent: QueryDict) -> QueryDict:
    """Return the input with one more follow-up."""
    count, form_data = count_of(sent), sent.copy()
    if count < MAX_STEPS:
        for name, value in NEW.items():
            form_data[f"step{count}-{name}"] = value
        form_data.setlist(f"step{count}-stopOn", [option.value for option in STOPS])
        form_data["steps"] = str(count + 1)
    return form_data


def remove_follow_up(sent: QueryDict, place: int) -> QueryDict:
    """Return the input without the follow-up at this position; later ones move up."""
    count, form_data = count_of(sent), sent.copy()
    if not 0 <= place < count:
        return form_data
    for at in range(place, count):
        for name in NAMES:
            form_data.setlist(f"step{at}-{name}", sent.getlist(f"step{at + 1}-{name}"))
    form_data["steps"] = str(count - 1)
    return form_data


def in_words(span: Values) -> str:
    """Write a span of time."""
    return SPANS[span["unit"]].of(span["amount"])


def hours_in_words(window: Values) -> str:
    """Write the days and hours in which the messages of a step go."""
    days = ", ".join(DAYS[day - 1].label[:3] for day in window.get("days") or ())
    start, end = window.get("start", ""), window.get("end", "")
    hours = _("%(start)s to %(end)s") % {"start": start, "end": end} if start and start != end else ""
    return " ".join(part for part in (days, hours) if part)


def follow_up_source(step: Values) -> str:
    """Return the source of a follow-up: a template or a prompt."""
    if step.get("channel") == chats.CHAT:
        return _("By chat, from a template")
    return _("From a template") if step.get("template") else str(step.get("prompt", ""))


def step_name(number: int) -> str:
    """Return the name of a step's messages."""
    return _("First message") if number == 1 else _("Follow-up %(number)s") % {"number": number - 1}
