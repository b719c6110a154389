"""Forms of pages: Django's, with the API's refusals at their fields."""

from __future__ import annotations

from core.web.forms.fields import (
    CHOICES,
    SEVERAL,
    BoundField,
    Field,
    Option,
    differ,
    is_nothing,
    options_of,
    read_input,
    texts_of,
)
from core.web.forms.fieldsets import REST, Fieldset
from core.web.forms.form import Form, alone, name_below

__all__ = [
    "CHOICES",
    "REST",
    "SEVERAL",
    "BoundField",
    "Field",
    "Fieldset",
    "Form",
    "Option",
    "alone",
    "differ",
    "is_nothing",
    "name_below",
    "options_of",
    "read_input",
    "texts_of",
]
