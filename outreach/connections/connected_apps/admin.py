"""Shared parts of the back office pages of connected apps."""

from __future__ import annotations

from django import forms
from unfold.widgets import UnfoldAdminPasswordWidget

from core.text.translation import gettext_lazy as _


def write_only(label: str) -> forms.CharField:
    """Return an input for a secret that is stored but never shown."""
    text = _("Leave empty to keep it. Stored encrypted, never shown.")
    return forms.CharField(
        label=label,
        required=False,
        max_length=2000,
        strip=False,
        help_text=text,
        widget=UnfoldAdminPasswordWidget({"autocomplete": "off"}),
    )
