"""Periodic work on invites."""

from __future__ import annotations

from datetime import timedelta

from accounts.members.invites import expire_invites
from core.jobs import PeriodicTask, register

register(PeriodicTask("invites.expire", expire_invites, every=timedelta(minutes=5)))
