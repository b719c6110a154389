"""The registrations of API keys."""

from __future__ import annotations

from accounts.api_keys.models import ApiKey
from accounts.api_keys.views import ApiKeyViewSet
from core.access import count_usage
from core.api.routes import protected

protected.register("api", ApiKeyViewSet)
count_usage("api", ApiKey.objects.all)
