"""Chat templates in the form of runs: the content that the vendor had approved when a run began, and its values.

A frozen template is {"template", "app", "name", "language", "components", "variables", "given"}. The map `variables`
has the contact field of each variable. The map `given`, which takes precedence, has the texts of a campaign or a step.
Their {{placeholders}} are built-in names or fields of contacts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.errors import NamedError, shorten
from core.text.placeholders import PLACEHOLDER, has_stray_mark, names_in
from crm.models import Contact
from outreach.chat_apps.checks import INVALID
from outreach.chat_apps.models import ChatTemplate
from outreach.chat_templates.filling import LINK, VALUE_LENGTH, Filled, fill, needed, values_for
from outreach.email_templates.rendering import BUILT_IN, ValueReader

Given = Mapping[str, str]


def read_given(raw: Any, where: str) -> dict[str, str]:
    """Return the values of variables that a request gives. Raises InvalidVariables_400."""
    if raw in (None, {}):
        return {}
    if not isinstance(raw, dict) or len(raw) > 50:
        raise NamedError("InvalidVariables_400", f'{where}: write it as {{"1": "{{{{contact.firstName}}}}"}}')
    for name, words in raw.items():
        if not isinstance(words, str) or not words.strip() or len(words) > VALUE_LENGTH or "\0" in words:
            raise NamedError("InvalidVariables_400", f"{where}.{shorten(name)}: 1 to {VALUE_LENGTH:,} characters")
    return {name: words.strip() for name, words in raw.items()}


def freeze(template: ChatTemplate, given: Given, reader: ValueReader, where: str, parameter: str) -> dict[str, Any]:
    """Return a template in the form of a run.

    Raises InvalidVariables_400 for an unknown variable, one without a value, and a placeholder that is no field of
    contacts, or is broken.
    """
    there = needed(template.components)
    for name, words in given.items():
        place = f"{where}variables.{shorten(name)}"
        if name not in there:
            raise NamedError("InvalidVariables_400", f"{place}: the template has {', '.join(there) or 'none'}")
        if name == LINK and not words.startswith("https://"):
            raise NamedError("InvalidVariables_400", f"{place}: an address that begins with https://")
        for field in names_in(words):
            if field not in BUILT_IN and field not in reader.fields and field.casefold() not in reader.fields:
                known = f"{{{{{shorten(field, 60)}}}}} is no field of contacts, nor one of {', '.join(BUILT_IN)}"
                raise NamedError("InvalidVariables_400", f"{place}: {known}")
        if has_stray_mark(words):
            raise NamedError("InvalidVariables_400", f"{place}: has a mark of a placeholder that is none")
    lacks = [name for name in there if name not in given and name not in template.variables]
    if lacks:
        text = f"{where}{parameter}: nothing fills {', '.join(lacks)}; give variables"
        raise NamedError("InvalidVariables_400", text)
    columns = ("name", "language", "components", "variables")
    kept = {name: getattr(template, name) for name in columns}
    return {"template": template.pk, "app": template.app_id, **kept, "given": dict(given)}


def check_sendable(template: ChatTemplate, where: str) -> None:
    """Raise InvalidChatAppTemplate_400 for a template that may not be sent now."""
    if template.status != ChatTemplate.Status.APPROVED:
        said = f"it is {template.status.lower()}; only one that the chat vendor has approved is sent"
        raise NamedError(INVALID, f"{where}: {said}")
    if not template.app.is_active:
        raise NamedError(INVALID, f"{where}: its chat app is switched off")


def of_contact(frozen: Mapping[str, Any], contact: Contact, reader: ValueReader) -> Filled:
    """Return a frozen template with the values of a contact."""
    template, given = _template(frozen), frozen["given"]
    fields = {name for words in given.values() for name in names_in(words)} - {*BUILT_IN}
    known = reader.of(contact, [{"name": name} for name in fields]) if given else {}
    own = {
        variable: PLACEHOLDER.sub(lambda found: known.get(found[1].strip(), ""), words)
        for variable, words in given.items()
    }
    return fill(template, values_for(template, contact, reader, own))


def with_placeholders(frozen: Mapping[str, Any]) -> Filled:
    """Return a frozen template without a recipient: values to fill in are in double braces."""
    mapped = {name: field if name == LINK else f"{{{{{field}}}}}" for name, field in frozen["variables"].items()}
    return fill(_template(frozen), {**mapped, **frozen["given"]})


def _template(frozen: Mapping[str, Any]) -> ChatTemplate:
    columns = ("name", "language", "components", "variables")
    return ChatTemplate(**{name: frozen[name] for name in columns})
