"""Loads Django into the process from which tests.kit.processes forks others."""

from __future__ import annotations

import gc

import django

django.setup()
gc.freeze()  # so that a child copies no page for the counts of what it shares
