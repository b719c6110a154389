"""Periodic work on sessions."""

from __future__ import annotations

from datetime import timedelta

from accounts.auth.sessions.browser_sessions import purge_browser_sessions
from accounts.auth.sessions.services import purge_refresh_tokens
from core.jobs import PeriodicTask, register

register(PeriodicTask("refresh-tokens", purge_refresh_tokens, every=timedelta(hours=1)))
register(PeriodicTask("browser-sessions", purge_browser_sessions, every=timedelta(hours=1)))
