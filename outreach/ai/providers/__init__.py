"""Who can write messages, by key. A new provider is a new module and one line here; see docs/adding-an-ai-provider.md."""

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
from outreach.ai.providers.offline import OfflineComposer

__all__ = [
    "PROVIDERS",
    "AiProvider",
    "CompanyBrief",
    "ComposeBrief",
    "ContactBrief",
    "Draft",
    "Fit",
    "LeadSearch",
    "ProductBrief",
    "ProviderError",
    "get_provider",
]

PROVIDERS: dict[str, type[AiProvider]] = {
    OfflineComposer.key: OfflineComposer,
}


def get_provider(key: str) -> AiProvider:
    """The provider of this key; raises ProviderError when there is none."""
    try:
        return PROVIDERS[key]()
    except KeyError:
        known = ", ".join(sorted(PROVIDERS))
        raise ProviderError(
            "unknown_provider", f"There is no AI provider {key[:60]!r}; there is: {known}.", temporary=False
        ) from None
