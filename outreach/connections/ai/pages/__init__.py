"""The pages of AI apps, their usage and their limits."""

from __future__ import annotations

from outreach.connections.ai.pages.apps import AiAppForm, AiApps, BuiltInWriter
from outreach.connections.ai.pages.usage import AiCalls, AiUse

PAGES = [AiApps, BuiltInWriter, AiAppForm, AiUse, AiCalls]
