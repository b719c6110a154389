"""Endpoint of currencies (contract 4.11). Those of plans are billing.entitlements.views."""

from __future__ import annotations

from functools import partial

from billing.plans.filters import CURRENCY_FIELDS
from billing.plans.models import Currency
from billing.plans.serializers import CurrencyOut
from core.api.listing import Listing
from core.api.viewsets import ResourceViewSet


class CurrencyViewSet(ResourceViewSet):
    private = True
    every_method = True
    listing = Listing(
        "List currencies",
        partial(Currency.objects.filter, is_active=True),
        CURRENCY_FIELDS,
        CurrencyOut,
        unscoped="currencies: they belong to no company",
        description="Those on offer, by code unless another sort is asked for. Every method answers the same.",
    )
