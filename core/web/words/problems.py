"""Errors of the API's fields as texts for people."""

from __future__ import annotations

import re
from collections.abc import Mapping

from django.utils.translation import gettext as _

from core.errors import GONE, WHOLE_BODY, FieldError
from core.ids import is_id
from core.text.translation import gettext_lazy
from core.text.whole_numbers import whole_number

MISSING = gettext_lazy("Enter a value.")
TEXTS: Mapping[str, str] = {
    "required": MISSING,
    "null": MISSING,
    "blank": MISSING,
    "empty": gettext_lazy("Choose at least one."),
    "invalid_choice": gettext_lazy("Choose one of the options."),
    "id": gettext_lazy("Choose one of the options."),
    "emailTaken": gettext_lazy("Another contact has this email address."),
    "numberTaken": gettext_lazy("Another contact has this phone number."),
    "unknown": gettext_lazy("This can't be set here. Reload the page."),
    GONE: gettext_lazy("This choice no longer exists. Choose another."),
}
"""Code of a field's error -> its text for people. Errors with other codes have texts for people already."""
WARNINGS: Mapping[str, str] = {
    "leadRepeats": gettext_lazy("This contact has another open lead."),
    "leadsRepeat": gettext_lazy("Some of the leads have a contact with another open lead."),
    "leadsPlaced": gettext_lazy("Leads without their former stage are in the first stage of the same kind."),
    "hintIgnored": gettext_lazy(
        "The built-in writer ignored a part of your request. It knows shorter, longer, a tone, and what to mention."
    ),
    "contactLeftAlone": gettext_lazy("The contact already exists and keeps its own values."),
}
"""Code of a warning -> its text for people."""
CHOICES = frozenset({"select", "search", "radio", "checks", "groups", "tags"})
"""Kinds of fields whose values are chosen."""
CHOOSE = gettext_lazy("Choose a value.")
NAME = re.compile(r"[@/_\d]|\w[.:]\w|\w[A-Z]")
"""Part of a word that is an address, a host or a name of code."""
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def missing_text(kind: str) -> str:
    """Return the error of an empty field of this kind."""
    return str(CHOOSE if kind in CHOICES else MISSING)


def problem_text(error: FieldError, kind: str = "") -> str:
    """Return what is wrong with a field as a sentence. `kind` is that of the form's field."""
    text = TEXTS.get(error.get("code", ""))
    if text is MISSING:
        return missing_text(kind)
    return str(text or to_sentence(str(error.get("text", error["message"]))))


def named_problem(error: FieldError) -> str:
    """Return what is wrong with a field that no form shows, with its name in words."""
    # The message about a field of the company names it, by its label and not its key.
    if error.get("code") == GONE:
        return str(TEXTS[GONE])
    is_unlabelled = TEXTS.get(error.get("code", "")) is MISSING and error.get("text") == error["message"]
    has_name = "text" in error and not is_unlabelled
    if has_name or error.get("code") == WHOLE_BODY or is_id(error["field"].rpartition(".")[2]):
        return to_sentence(error["message"])
    return _("%(field)s: %(problem)s") % {"field": field_words(error["field"]), "problem": problem_text(error)}


def reason_text(error: FieldError) -> str:
    """Return what is wrong with a field; with its name where the text is that of a kind of error, such as a limit."""
    return named_problem(error) if "code" in error else to_sentence(error["message"])


def field_words(path: str) -> str:
    """Write the path of a field in words: items.0.intervalMs is Interval ms (1)."""
    parts = path.split(".")
    name = next((part for part in reversed(parts) if not part.isdigit()), path)
    words = [word if word.isupper() and len(word) > 1 else word.lower() for word in WORD.findall(name)]
    text = " ".join(words) or path
    text = text[:1].upper() + text[1:]
    places = [place + 1 for part in parts if (place := whole_number(part)) is not None]
    return f"{text} ({places[-1]})" if places and name != path else text


def to_sentence(text: str) -> str:
    """Write a hint of the API as a sentence."""
    text = capitalize_text(text.strip())
    return text + ("" if not text or text.endswith((".", "!", "?", "…")) else ".")


def capitalize_text(text: str) -> str:
    """Return the text with a capital first letter, unless it begins with an address, a host or another name."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    return text if NAME.search(first) else text[:1].upper() + text[1:]
