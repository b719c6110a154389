"""The address that a gateway leads the customer back to after a method was saved."""

from __future__ import annotations

import logging

from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path

from billing.gateways.base import AmbiguousOutcome, GatewayRefused, Misconfigured
from billing.methods.models import MethodSetup
from billing.methods.services import SAVED, refresh_setup
from core.api.handler import not_found
from core.tenancy import company_scope

log = logging.getLogger(__name__)


def return_from_gateway(request: HttpRequest, token: str) -> HttpResponse:
    """GET /api/public/payments/saved/<token>: look, and lead on to the company's page. Safe to repeat."""
    try:
        company, id = signing.loads(token, salt=SAVED)
    except (signing.BadSignature, ValueError, TypeError):
        return not_found(request)
    with company_scope(company):
        setup = MethodSetup.objects.filter(pk=id).first()
        if setup is None:
            return not_found(request)
        try:
            refresh_setup(setup)
        except (GatewayRefused, Misconfigured, AmbiguousOutcome) as error:
            log.warning("set-up %s could not be looked at: %s", id, error)
    answer = HttpResponseRedirect(f"/c/{company}/settings/plan/methods")
    answer.status_code = 303
    answer["Cache-Control"] = "no-store"
    answer["Referrer-Policy"] = "no-referrer"
    return answer


urlpatterns = [path("api/public/payments/saved/<str:token>", return_from_gateway, name="method-saved")]
