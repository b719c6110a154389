"""Texts for people about failed steps, by the code of their error, and the cures that pages offer next to them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.ids import is_id
from core.text.translation import gettext_lazy
from core.types import Values
from core.web.words.problems import capitalize_text
from workflows.definitions.pages.problems import setting_label

TEXTS: Mapping[str, str] = {
    "NoSMTPSelected_400": gettext_lazy("No email sender is active."),
    "AiANotAvailableInPlan_400": gettext_lazy("No AI app is available."),
    "AiBNotAvailableInPlan_400": gettext_lazy("No AI app is available."),
    "NoDefaultAiAConfiguration_400": gettext_lazy("The AI app is switched off."),
    "NoDefaultAiBConfiguration_400": gettext_lazy("The AI app is switched off."),
    "SegmentNotFound_400": gettext_lazy("The segment was deleted."),
    "memberMissing": gettext_lazy("None of the chosen members is active."),
    "templateMissing": gettext_lazy("The email template was deleted."),
    "noModel": gettext_lazy("The AI app has no model."),
    "secretMissing": gettext_lazy("The secret for this address was deleted."),
    "workflowMissing": gettext_lazy("The other workflow is not published, or refused the record."),
    "tooLarge": gettext_lazy("A value is too large."),
    "internal": gettext_lazy("An internal error occurred. Try again."),
}
"""Code of an error -> its text; others have the message of the step."""
REMEDIES = {
    "NoSMTPSelected_400": "noSender",
    "AiANotAvailableInPlan_400": "noWriter",
    "AiBNotAvailableInPlan_400": "noWriter",
    "NoDefaultAiAConfiguration_400": "defaultAppOff",
    "NoDefaultAiBConfiguration_400": "defaultAppOff",
}
"""Code of an error -> the key of its remedy in core/web/words/cures.py; others are keys themselves, or have none."""
SETTING = re.compile(r"([a-z]\w*(?:\.\w+)*): ")
"""The setting before the text of an error that was stored without its reason."""


def failure_text(error: Values | None) -> str:
    """Return the text about an error of a step; empty without an error."""
    if not error or not error.get("message"):
        return ""
    if text := TEXTS.get(error.get("code") or ""):
        return str(text)
    reason = error if "text" in error else _reason_before(str(error["message"]))
    # The texts about values of custom fields begin with their names.
    settings = [setting_label(field) for field in reason["field"].split(", ") if field and not is_id(field)]
    return f"{', '.join(settings)}: {reason['text']}" if settings else capitalize_text(reason["text"])


def _reason_before(message: str) -> Values:
    """Return the reason of an error from before reasons were stored: the message begins with its setting."""
    setting = SETTING.match(message)
    if setting is None:
        return {"field": "", "text": message}
    return {"field": setting[1], "text": message[setting.end() :]}


def remedy_of(error: Values | None) -> str:
    """Return the key of an error's remedy, which may have no cures."""
    code = (error or {}).get("code") or ""
    return REMEDIES.get(code, code)
