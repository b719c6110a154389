"""Forms of pages: Django's, with the API's refusals at their fields."""

from __future__ import annotations

from core.web.forms.fields import (
    CHOICES,
    SEVERAL,
    BoundField,
    Field,
    Option,
    options_of,
    read_input,
    texts_of,
)
from core.web.forms.fieldsets import REST, Fieldset
from core.web.forms.form import Form, name_below, standalone_field
from core.web.forms.inputs import is_nothing, values_differ

__all__ = [
    "CHOICES",
    "REST",
    "SEVERAL",
    "BoundField",
    "Field",
    "Fieldset",
    "Form",
    "Option",
    "standalone_field",
    "values_differ",
    "is_nothing",
    "name_below",
    "options_of",
    "read_input",
    "texts_of",
]
