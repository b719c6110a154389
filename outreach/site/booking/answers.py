"""A visitor's input, read by the fields of a page."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils.translation import gettext

from core.text.links import normalize_signs
from core.text.timezones import is_timezone
from core.types import JsonObject, Values
from outreach.site.booking.models import BookingPage
from outreach.site.booking.reservations import AN_ADDRESS, Visitor
from outreach.site.booking.services import TAKEN_KEYS
from outreach.site.forms.kinds import BadAnswer, read_answer

MAX_NAME_LENGTH = 100


@dataclass(frozen=True)
class Read:
    """The visitor, or the errors in their input."""

    visitor: Visitor | None
    errors: dict[str, str] = field(default_factory=dict)


def read_visitor(page: BookingPage, inputs: Values, timezone: str = "") -> Read:
    """Read the visitor's input. A name that is a web address is refused: it would go out in a mail."""
    answers: JsonObject = {}
    errors: dict[str, str] = {}
    for form_field in page.fields:
        try:
            answer = read_answer(form_field, inputs.get(form_field["key"]))
            if form_field["key"] == "name" and (
                AN_ADDRESS.search(normalize_signs(str(answer))) or len(answer) > MAX_NAME_LENGTH
            ):
                raise BadAnswer(gettext("Enter your name."))
        except BadAnswer as error:
            errors[form_field["key"]] = str(error)
            continue
        if answer:
            answers[form_field["key"]] = answer
    if errors:
        return Read(None, errors)
    own = {key: answers.pop(key, "") for key in TAKEN_KEYS}
    return Read(Visitor(**own, answers=answers, timezone=timezone if is_timezone(timezone) else ""))
