"""A template of the chat vendor with the values of a contact, as it is sent and as people read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import NamedError, shorten
from core.types import JsonObject, Values
from crm.models import Contact
from outreach.connections.chat_apps.checks import MEDIA, VARIABLE, parts_of, variables_in
from outreach.connections.chat_apps.models import ChatTemplate
from outreach.messaging.email_templates.rendering import BUILT_IN, ValueReader

VALUE_LENGTH = 1000
LINK = "header.link"
"""The variable of a picture, video or document: an address that the vendor fetches it from."""


@dataclass(frozen=True)
class Filled:
    """A template with values."""

    content: Values
    """As the vendor takes it."""
    text: str
    missing: tuple[str, ...]
    """Variables without a value: the vendor refuses such a message."""
    pieces: Values
    """The parts of it that a person sees (see pieces)."""


def template_variables(components: Sequence[Any]) -> list[str]:
    """Return the variables of a template: 1, 2 … of the body, header.1 or header.link, button.0 of a link."""
    parts = parts_of(components)
    names = variables_in(parts["BODY"][0].get("text", "")) if "BODY" in parts else []
    header = parts["HEADER"][0] if "HEADER" in parts else {}
    if header.get("format") in MEDIA:
        names.append(LINK)
    else:
        names += [f"header.{name}" for name in variables_in(header.get("text") or "")]
    buttons = parts["BUTTONS"][0]["buttons"] if "BUTTONS" in parts else []
    for place, button in enumerate(buttons):
        if button["type"] == "URL" and variables_in(button["url"]):
            names.append(f"button.{place}")
    return names


def check_variables(components: Sequence[Any], variables: Values) -> None:
    """Raise InvalidVariables_400 for a variable that the template does not have, or one that no field fills."""
    names = template_variables(components)
    for name, field in variables.items():
        if name not in names:
            there = ", ".join(names) or "none"
            raise NamedError(
                "InvalidVariables_400", f"remove it; the template has {there}", field=f"variables.{shorten(name)}"
            )
        if not isinstance(field, str) or not field.strip() or len(field) > 2000 or "\0" in field:
            raise NamedError(
                "InvalidVariables_400", f"choose a field, such as {BUILT_IN[0]}", field=f"variables.{name}"
            )
        if name == LINK and not field.startswith("https://"):
            raise NamedError(
                "InvalidVariables_400", "enter an address that begins with https://", field=f"variables.{name}"
            )


def values_for(
    template: ChatTemplate, contact: Contact, reader: ValueReader, given: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return variable -> value for a contact. What is `given` wins."""
    fields = {name: field for name, field in template.variables.items() if name != LINK}
    variables = [{"name": field, "required": False} for field in set(fields.values()) if field not in BUILT_IN]
    values = reader.of(contact, variables)
    filled = {name: values.get(field, "") for name, field in fields.items()}
    if LINK in template.variables:
        filled[LINK] = template.variables[LINK]
    return {**filled, **(given or {})}


def fill(template: ChatTemplate, values: Mapping[str, str]) -> Filled:
    """Return the template with the values."""
    clean = {name: " ".join(value.split())[:VALUE_LENGTH] for name, value in values.items()}
    missing = tuple(name for name in template_variables(template.components) if not clean.get(name))
    parts = parts_of(template.components)
    sent: list[JsonObject] = []
    texts: list[str] = []
    if "HEADER" in parts:
        header = parts["HEADER"][0]
        if header.get("format") in MEDIA:
            kind = header["format"].lower()
            sent.append({"type": "header", "parameters": [{"type": kind, kind: {"link": clean.get(LINK, "")}}]})
        else:
            texts.append(_fill_variables(header["text"], clean, "header."))
            if names := variables_in(header["text"]):
                sent.append({"type": "header", "parameters": _texts(clean, [f"header.{name}" for name in names])})
    body = parts["BODY"][0]["text"]
    texts.append(_fill_variables(body, clean, ""))
    if names := variables_in(body):
        sent.append({"type": "body", "parameters": _texts(clean, names)})
    if "FOOTER" in parts:
        texts.append(parts["FOOTER"][0]["text"])
    for place in range(len(parts["BUTTONS"][0]["buttons"]) if "BUTTONS" in parts else 0):
        name = f"button.{place}"
        if name in template_variables(template.components):
            parameters = _texts(clean, [name])
            sent.append({"type": "button", "sub_type": "url", "index": str(place), "parameters": parameters})
    content = {"name": template.name, "language": {"code": template.language}, "components": sent}
    return Filled({"type": "template", "template": content}, "\n".join(texts), missing, pieces(template, clean))


def pieces(template: ChatTemplate, values: Mapping[str, str]) -> JsonObject:
    """Return the visible parts of a template: header (its format or its text), body, footer, and buttons."""
    parts = parts_of(template.components)
    header = parts["HEADER"][0] if "HEADER" in parts else {}
    media = header.get("format") if header.get("format") in MEDIA else ""
    buttons = parts["BUTTONS"][0]["buttons"] if "BUTTONS" in parts else []
    return {
        "media": media,
        "header": "" if media else _fill_variables(header.get("text") or "", values, "header."),
        "body": _fill_variables(parts["BODY"][0]["text"], values, ""),
        "footer": parts["FOOTER"][0]["text"] if "FOOTER" in parts else "",
        "buttons": [{"type": button["type"], "text": button.get("text") or button["type"]} for button in buttons],
    }


def _texts(values: Mapping[str, str], names: Sequence[str]) -> list[dict[str, str]]:
    return [{"type": "text", "text": values.get(name, "")} for name in names]


def _fill_variables(text: str, values: Mapping[str, str], prefix: str) -> str:
    return VARIABLE.sub(lambda match: values.get(prefix + match[1]) or match[0], text)


def check_values(template: ChatTemplate, values: Mapping[str, str]) -> None:
    """Raise InvalidVariables_400 for a value of no variable of the template."""
    there = template_variables(template.components)
    for name in values:
        if name not in there:
            text = f"remove it; the template has {', '.join(there) or 'none'}"
            raise NamedError("InvalidVariables_400", text, field=f"values.{shorten(name)}")
