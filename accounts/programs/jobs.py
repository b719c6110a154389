"""Periodic work on rewards."""

from __future__ import annotations

from datetime import timedelta

from accounts.programs.rewards import earn_matured
from core.jobs import PeriodicTask, register

register(PeriodicTask("rewards", earn_matured, every=timedelta(hours=1)))
