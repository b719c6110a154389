"""Validation of modules and limits, which staff enter as JSON for plans and subscriptions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django import forms

from accounts.roles.permissions import MODULES
from core.access import METERED, RATES
from core.access.meters import METERS
from core.backoffice.admin import BackOfficeForm
from core.errors import shorten


class TermsForm(BackOfficeForm):
    """A form of modules and limits in the shapes that core.access expects."""

    def clean_limits(self) -> dict[str, int]:
        value = self.cleaned_data["limits"] or {}
        fine = isinstance(value, dict) and all(type(number) is int and number >= 0 for number in value.values())
        if not fine:
            raise forms.ValidationError('Write it as {"contact": 1000}.')
        _check_names(value, (*MODULES, *METERED, *RATES))
        return dict(value)

    def clean_overage(self) -> dict[str, int]:
        value = self.cleaned_data["overage"] or {}
        fine = isinstance(value, dict) and all(type(number) is int and number >= 0 for number in value.values())
        if not fine:
            raise forms.ValidationError('Write it as {"messages": 1000}.')
        _check_names(value, tuple(METERS))
        return dict(value)

    def clean_modules(self) -> list[str] | None:
        value = self.cleaned_data["modules"]
        if value is None:
            return None
        if not (isinstance(value, list) and all(isinstance(name, str) for name in value)):
            raise forms.ValidationError('Write it as ["contact", "lead"], or leave it empty for all.')
        _check_names(value, MODULES)
        return list(dict.fromkeys(value))


def _check_names(names: Iterable[str], known: Sequence[str]) -> None:
    unknown = [shorten(name, 40) for name in names if name not in known]
    if unknown:
        raise forms.ValidationError(f"There is no module {', '.join(unknown)}. There are: {', '.join(known)}.")
