"""The interface of AI providers; each provider is a module here, with the spec of its connected app."""

from outreach.connections.ai.providers.base import (
    AiProvider,
    Claim,
    CompanyBrief,
    ComposeBrief,
    ContactBrief,
    Draft,
    Fit,
    LeadSearch,
    Meter,
    ProductBrief,
    ProviderError,
    SentMessage,
    Used,
)

__all__ = [
    "AiProvider",
    "Claim",
    "CompanyBrief",
    "ComposeBrief",
    "ContactBrief",
    "Draft",
    "Fit",
    "LeadSearch",
    "Meter",
    "ProductBrief",
    "ProviderError",
    "SentMessage",
    "Used",
]
