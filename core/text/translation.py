"""Texts that modules define when they are imported, and pages translate when they show them."""

from __future__ import annotations

from typing import cast

from django.utils import translation


def gettext_lazy(message: str) -> str:
    """Return Django's lazy text, typed as the text that it becomes: pages declare titles and labels as `str`."""
    return cast("str", translation.gettext_lazy(message))
