"""The message about a company's subscription, cached for half a minute because every page of its owners shows it."""

from __future__ import annotations

from typing import Any

from django.core.cache import cache

from billing.subscriptions.selectors import StateWords, primary_subscription, state_words
from core.tenancy import company_scope

KNOWN_FOR = 30
"""Seconds for which a process remembers it."""


def words_of(company_id: str) -> StateWords | None:
    """Return what is to be said of a company's subscription now, or None."""
    state: Any = cache.get_or_set(_key(company_id), lambda: _current_words(company_id), KNOWN_FOR)
    return state if isinstance(state, StateWords) else None


def forget_words(company_id: str) -> None:
    """Delete the cached message; other processes refresh it within half a minute."""
    cache.delete(_key(company_id))


def _current_words(company_id: str) -> StateWords | tuple[()]:
    with company_scope(company_id):
        return state_words(primary_subscription()) or ()


def _key(company_id: str) -> str:
    return f"billing.words:{company_id}"
