"""Texts that are translated where they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any, SupportsIndex

from django.utils.translation import gettext, ngettext


class LazyText(str):
    """An English text that turns into the reader's language when it is shown, formatted or changed.

    Unlike Django's lazy texts it is a str, so that it can be joined, compared, and written as JSON. There, and as a
    key, it counts as the English text.
    """

    __slots__ = ()

    def __str__(self) -> str:
        return gettext(str.__str__(self))

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __mod__(self, values: Any) -> str:
        text: str = str(self) % values
        return text

    def __add__(self, other: str) -> str:
        return str(self) + other

    def __radd__(self, other: str) -> str:
        return other + str(self)

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        return str(self)[key]


def _lazy_method(name: str) -> Any:
    def method(self: LazyText, *args: Any, **kwargs: Any) -> Any:
        return getattr(str(self), name)(*args, **kwargs)

    return method


for _name in dir(str):
    if not _name.startswith("_"):
        setattr(LazyText, _name, _lazy_method(_name))


def gettext_lazy(message: str) -> str:
    """Mark a text of a module for translation, and return it as one that is translated where it is shown."""
    return LazyText(message)


@dataclass(frozen=True)
class PluralText:
    """An English text about a number, in the singular and the plural. `%(count)s` stands for the number."""

    singular: str
    plural: str

    def of(self, number: float | None, **values: Any) -> str:
        """Return the text for the number in the reader's language."""
        count = number or 0
        return ngettext(self.singular, self.plural, ceil(count)) % {**values, "count": f"{count:,}"}


def ngettext_lazy(singular: str, plural: str) -> PluralText:
    """Mark a text about a number for translation, and return it as one that is translated where it is shown."""
    return PluralText(singular, plural)
