"""The fields of messages by chat in the forms of campaigns and outreach: a template, and the values of its
variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.types import JsonObject
from core.web.forms import Field, Option

CHAT = "chatapp"
FILLED = gettext_lazy("One per line: 1 = {{contact.firstName}}. Leave empty to use the template's fields.")


def chat_fields(
    templates: list[Option], prefix: str, label: str = gettext("Chat template"), help: str = ""
) -> list[Field]:
    """Make the fields of a message by chat; none where the company has no approved template."""
    if not templates:
        return []
    chosen = Field(
        f"{prefix}Template", label, "select", options=templates, placeholder=gettext("None (email)"), help_text=help
    )
    return [chosen, Field(f"{prefix}Variables", gettext("Template variables"), "textarea", help_text=FILLED)]


def variables_in(text: Any) -> dict[str, str]:
    """Return variable -> text of the input; a line without a name is left to the API to refuse."""
    pairs = (line.partition("=") for line in str(text or "").splitlines() if line.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}


def variables_shown(variables: Mapping[str, str] | None) -> str:
    """Return variables as the field has them."""
    return "\n".join(f"{name} = {value}" for name, value in (variables or {}).items())


def chat_content(template: str, variables: Any) -> JsonObject:
    """Return the content of a message by chat, in the API's form."""
    return {"templateId": template, "subject": "", "body": "", "variables": variables_in(variables)}
