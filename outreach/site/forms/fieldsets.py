"""The sections of the forms of a website form and its questions."""

from __future__ import annotations

from core.text.translation import gettext_lazy as _
from core.web.forms import REST, Fieldset

FIELDSETS = (
    Fieldset(_("Form"), ("name", "title", "text", ("button", "colour"), "thanks", "redirectUrl")),
    Fieldset(_("Websites"), ("allowedOrigins",)),
    Fieldset(
        _("New leads"),
        ("duplicates", ("leadSource", "countryCode"), ("team", "category"), "tags", "keepDays"),
    ),
)
QUESTION_ROWS = (Fieldset("", ("label", ("type", "target"), "required", REST)),)
