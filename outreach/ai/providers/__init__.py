"""The interface of AI providers; each provider is a module here, with the spec of its connected app."""

from outreach.ai.providers.base import (
    AiProvider,
    CompanyBrief,
    ComposeBrief,
    ContactBrief,
    Draft,
    Fit,
    LeadSearch,
    ProductBrief,
    ProviderError,
)

__all__ = [
    "AiProvider",
    "CompanyBrief",
    "ComposeBrief",
    "ContactBrief",
    "Draft",
    "Fit",
    "LeadSearch",
    "ProductBrief",
    "ProviderError",
]
