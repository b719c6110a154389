"""Inputs for values stored as JSON: a matrix of permissions, a choice of modules, a number for each name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from unfold.widgets import UnfoldAdminSelectWidget

from core.text.colors import COLORS
from core.text.translation import gettext_lazy as _
from core.types import JsonObject

Pairs = Sequence[tuple[str, str]]
"""Keys and their labels."""
Asked = Callable[[], Pairs]
"""Keys that apps declare while they start: they are asked for when a form needs them."""
ALL = "*"


class JsonWidget(forms.Widget):
    """A widget of several inputs, whose value is JSON."""

    template = ""

    def parts(self, name: str, value: Any) -> JsonObject:
        """Return the context of the template."""
        raise NotImplementedError

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        return render_to_string(self.template, {"name": name, **self.parts(name, value)})

    def use_required_attribute(self, initial: Any) -> bool:
        return False

    def id_for_label(self, id_: str) -> str:
        return ""


class MatrixWidget(JsonWidget):
    """A table of check boxes: row -> column -> allowed. Only allowed ones are stored."""

    template = "admin/input_matrix.html"

    def __init__(self, rows: Pairs, columns: Pairs) -> None:
        super().__init__()
        self.rows = rows
        self.columns = columns

    def parts(self, name: str, value: Any) -> JsonObject:
        methods = value if isinstance(value, Mapping) else {}
        rows = [
            (
                label,
                [
                    (f"{name}:{row}:{column}", f"{label}: {heading}", bool((methods.get(row) or {}).get(column)))
                    for column, heading in self.columns
                ],
            )
            for row, label in self.rows
        ]
        return {"columns": [heading for _, heading in self.columns], "rows": rows}

    def value_from_datadict(self, data: Any, files: Any, name: str) -> dict[str, dict[str, bool]]:
        matrix = {
            row: {column: True for column, _ in self.columns if f"{name}:{row}:{column}" in data}
            for row, _ in self.rows
        }
        return {row: flags for row, flags in matrix.items() if flags}

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return False


class ChoicesWidget(JsonWidget):
    """A list of check boxes. With `all_words` its first one means all, which is stored as null."""

    template = "admin/input_choices.html"

    def __init__(self, choices: Pairs, all_words: str = "") -> None:
        super().__init__()
        self.choices = choices
        self.all_words = all_words

    def parts(self, name: str, value: Any) -> JsonObject:
        values = value if isinstance(value, list) else []
        everything = [(ALL, self.all_words, value is None)] if self.all_words else []
        return {"choices": [*everything, *((key, label, key in values) for key, label in self.choices)]}

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[str] | None:
        values = data.getlist(name) if hasattr(data, "getlist") else data.get(name) or []
        return None if ALL in values else list(values)

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return False


class NumbersWidget(JsonWidget):
    """A number for each name; an empty one is not stored."""

    template = "admin/input_numbers.html"

    def __init__(self, names: Asked) -> None:
        super().__init__()
        self.names = names

    def parts(self, name: str, value: Any) -> JsonObject:
        numbers = value if isinstance(value, Mapping) else {}
        return {"numbers": [(f"{name}:{key}", label, numbers.get(key, "")) for key, label in self.names()]}

    def value_from_datadict(self, data: Any, files: Any, name: str) -> dict[str, str]:
        return {key: text for key, _ in self.names() if (text := str(data.get(f"{name}:{key}", "")).strip())}

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return False


class JsonField(forms.Field):
    """A field whose widget gives JSON, and which has changed if that JSON has."""

    def __init__(self, widget: JsonWidget, *, help_text: str = "") -> None:
        super().__init__(widget=widget, required=False, help_text=help_text)

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool(self.to_python(data) != self.stored(initial))
        except forms.ValidationError:
            return True

    def stored(self, value: Any) -> Any:
        """Return a stored value as the widget would give it back."""
        return value


class MatrixField(JsonField):
    """Row -> column -> true."""

    def __init__(self, rows: Pairs, columns: Pairs, *, help_text: str = "") -> None:
        super().__init__(MatrixWidget(rows, columns), help_text=help_text)

    def stored(self, value: Any) -> Any:
        matrix = {row: {name: True for name, flag in flags.items() if flag} for row, flags in (value or {}).items()}
        return {row: flags for row, flags in matrix.items() if flags}


class ChoicesField(JsonField):
    """The chosen keys; null for all, where there is a box for that."""

    def __init__(self, choices: Pairs, *, all_words: str = "", help_text: str = "") -> None:
        self.known = {key for key, _ in choices}
        super().__init__(ChoicesWidget(choices, all_words), help_text=help_text)

    def validate(self, value: Any) -> None:
        unknown = sorted(set(value or ()) - self.known)
        if unknown:
            raise forms.ValidationError(_("Unknown: %(names)s") % {"names": ", ".join(unknown)})

    def has_changed(self, initial: Any, data: Any) -> bool:
        if initial is None or data is None:
            return (initial is None) != (data is None)
        return set(initial) != set(data)


class NumbersField(JsonField):
    """Whole numbers from 0 on by their names."""

    def __init__(self, names: Asked, *, help_text: str = "") -> None:
        self.names = names
        super().__init__(NumbersWidget(names), help_text=help_text)

    def to_python(self, value: Any) -> dict[str, int]:
        labels = dict(self.names())
        wrong = [labels[key] for key, text in (value or {}).items() if not str(text).isdecimal()]
        if wrong:
            raise forms.ValidationError(
                _("%(names)s: enter a whole number, or leave the field empty.") % {"names": ", ".join(wrong)}
            )
        return {key: int(text) for key, text in (value or {}).items()}

    def stored(self, value: Any) -> Any:
        return dict(value or {})


class ColorSelect(UnfoldAdminSelectWidget):
    """A choice of the colours that members choose from. Any other present colour stays."""

    def optgroups(self, name: str, value: list[str], attrs: JsonObject | None = None) -> Any:
        present = [
            (color, _("Current color (%(color)s)") % {"color": color})
            for color in value
            if color and color not in COLORS
        ]
        self.choices = [("", _("None")), *COLORS.items(), *present]
        return super().optgroups(name, value, attrs)
