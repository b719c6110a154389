"""The sections of the form of a custom field."""

from __future__ import annotations

from core.text.translation import gettext_lazy as _
from core.web.forms import REST, Fieldset

FIELDSETS = (
    Fieldset(_("Field"), (("name", "fieldType"), ("required", "hide", "onlyShowTable"), REST, "more")),
    Fieldset(_("In forms"), (("defaultValue", "placeholder"), "helper", "section")),
    Fieldset(_("Advanced"), ("holds", "parts", "description")),
)
