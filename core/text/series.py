"""Names in a row, joined in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable

from babel import Locale
from babel.lists import format_list
from django.utils.translation import get_language, to_locale


def all_of(names: Iterable[str]) -> str:
    """Join names with "and"."""
    return format_list([str(name) for name in names], locale=_locale())


def any_of(names: Iterable[str]) -> str:
    """Join names with "or"."""
    return format_list([str(name) for name in names], style="or", locale=_locale())


def _locale() -> Locale:
    return Locale.parse(to_locale(get_language() or "en"))
