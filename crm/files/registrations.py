"""The registrations of files."""

from __future__ import annotations

from core.access import count_usage
from crm.files.selectors import stored_files

count_usage("file", stored_files)
