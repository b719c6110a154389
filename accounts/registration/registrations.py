"""The registrations of signing up."""

from __future__ import annotations

from accounts.registration.views import NewCompanyViewSet, RegistrationViewSet
from core.api.routes import private, public

private.register("company", NewCompanyViewSet)
public.register("register", RegistrationViewSet)
