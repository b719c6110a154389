"""The registrations of API keys."""

from __future__ import annotations

from accounts.api_keys.models import ApiKey
from core.access import count_usage

count_usage("api", ApiKey.objects.all)
