"""Chat templates in the form of runs: the content that the vendor had approved when a run began, and its values.

A frozen template is {"template", "app", "name", "language", "components", "variables", "given"}. The map `variables`
has the contact field of each variable. The map `given`, which takes precedence, has the texts of a campaign or a step.
Their {{placeholders}} are built-in names or fields of contacts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.errors import NamedError, shorten
from core.text.placeholders import PLACEHOLDER, has_stray_mark, names_in, parse_placeholder
from core.types import JsonObject, Values
from crm.models import Contact
from outreach.chat.chat_templates.values import LINK, VALUE_LENGTH, Filled, fill, template_variables, values_for
from outreach.connections.chat_apps.checks import INVALID
from outreach.connections.chat_apps.models import ChatTemplate
from outreach.messaging.email_templates.rendering import BUILT_IN, ValueReader, unknown_field

Given = Mapping[str, str]


def read_given(raw: Any, where: str) -> dict[str, str]:
    """Return the values of variables that a request gives. Raises InvalidVariables_400."""
    if raw in (None, {}):
        return {}
    if not isinstance(raw, dict) or len(raw) > 50:
        raise NamedError("InvalidVariables_400", 'write it as {"1": "{{contact.firstName}}"}', field=where)
    for name, text in raw.items():
        if not isinstance(text, str) or not text.strip() or len(text) > VALUE_LENGTH or "\0" in text:
            raise NamedError(
                "InvalidVariables_400", f"enter 1 to {VALUE_LENGTH:,} characters", field=f"{where}.{shorten(name)}"
            )
    return {name: text.strip() for name, text in raw.items()}


def freeze_template(
    template: ChatTemplate, values: Given, reader: ValueReader, where: str, parameter: str
) -> JsonObject:
    """Return a template in the form of a run.

    Raises InvalidVariables_400 for an unknown variable, one without a value, and a placeholder that is no field of
    contacts, or is broken.
    """
    there = template_variables(template.components)
    for name, content in values.items():
        place = f"{where}variables.{shorten(name)}"
        if name not in there:
            raise NamedError(
                "InvalidVariables_400", f"remove it; the template has {', '.join(there) or 'none'}", field=place
            )
        if name == LINK and not content.startswith("https://"):
            raise NamedError("InvalidVariables_400", "enter an address that begins with https://", field=place)
        for field in names_in(content):
            if field not in BUILT_IN and field not in reader.fields and field.casefold() not in reader.fields:
                detail = unknown_field(field, [*BUILT_IN, *reader.fields])
                raise NamedError("InvalidVariables_400", detail, field=place)
        if has_stray_mark(content):
            raise NamedError("InvalidVariables_400", "has an incomplete placeholder. Enter it as {{name}}", field=place)
    lacks = [name for name in there if name not in values and name not in template.variables]
    if lacks:
        text = f"enter a value for {', '.join(lacks)}"
        raise NamedError("InvalidVariables_400", text, field=f"{where}{parameter}")
    columns = ("name", "language", "components", "variables")
    kept = {name: getattr(template, name) for name in columns}
    return {"template": template.pk, "app": template.app_id, **kept, "given": dict(values)}


def check_sendable(template: ChatTemplate, where: str) -> None:
    """Raise InvalidChatAppTemplate_400 for a template that may not be sent now."""
    if template.status != ChatTemplate.Status.APPROVED:
        said = f"choose an approved template; this one is {template.status.lower()}"
        raise NamedError(INVALID, said, field=where)
    if not template.app.is_active:
        raise NamedError(INVALID, "choose a template of a chat app that is on", field=where)


def of_contact(frozen: Values, contact: Contact, reader: ValueReader) -> Filled:
    """Return a frozen template with the values of a contact."""
    template, values = _template(frozen), frozen["given"]
    fields = {name for text in values.values() for name in names_in(text)} - {*BUILT_IN}
    field_values = reader.of(contact, [{"name": name} for name in fields]) if values else {}
    own = {
        variable: PLACEHOLDER.sub(lambda match: _value_of(match[1], field_values), text)
        for variable, text in values.items()
    }
    return fill(template, values_for(template, contact, reader, own))


def _value_of(inner: str, values: Mapping[str, str]) -> str:
    """Return the value of a placeholder, or its fallback."""
    name, fallback = parse_placeholder(inner)
    return values.get(name, "") or fallback


def with_placeholders(frozen: Values) -> Filled:
    """Return a frozen template without a recipient: values to fill in are in double braces."""
    mapped = {name: field if name == LINK else f"{{{{{field}}}}}" for name, field in frozen["variables"].items()}
    return fill(_template(frozen), {**mapped, **frozen["given"]})


def _template(frozen: Values) -> ChatTemplate:
    columns = ("name", "language", "components", "variables")
    return ChatTemplate(**{name: frozen[name] for name in columns})
