"""The inputs of modules and limits, which plans, add-ons and subscriptions have."""

from __future__ import annotations

from collections.abc import Iterable

from accounts.roles.pages import WORDS
from accounts.roles.permissions import MODULES
from core.access import METERED, RATES
from core.access.meters import METERS
from core.backoffice.admin import BackOfficeForm
from core.backoffice.inputs import ChoicesField, NumbersField
from core.text.labels.modules import NAMES, name_of
from core.text.translation import gettext_lazy as _
from core.types import JsonObject


def _labelled_keys(keys: Iterable[str]) -> list[tuple[str, str]]:
    """Return the countable keys with their labels, sorted by label."""
    labels = {key: NAMES.get(key) or WORDS.get(key) or name_of(key) for key in keys}
    return sorted(labels.items(), key=lambda pair: pair[1].lower())


class TermsForm(BackOfficeForm):
    """A form of modules and limits in the shapes that core.access expects."""

    modules = ChoicesField(list(WORDS.items()), all_words=_("All"), help_text=_("Modules that members can use."))
    limits = NumbersField(
        lambda: _labelled_keys((*MODULES, *METERED, *RATES)),
        help_text=_("Records allowed, or use per month. Empty means no limit."),
    )


class OwnTermsForm(TermsForm):
    """A form of a subscription's own terms in place of its plan's, and the caps on its use beyond them."""

    overage = NumbersField(
        lambda: _labelled_keys(METERS), help_text=_("Extra use billed per month. Empty means no limit.")
    )

    def clean_overage(self) -> JsonObject:
        return self.cleaned_data["overage"] or {}
