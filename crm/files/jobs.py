"""The work of files."""

from __future__ import annotations

from core.jobs import QueueWork, register
from crm.files.leftovers import has_leftovers, remove_leftovers

register(QueueWork("files", remove_leftovers, has_due=has_leftovers, queue="bulk"))
