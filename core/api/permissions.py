"""Permission classes: access of API keys, members and visiting staff (contract section 5).

The settings name them as defaults (config.settings.api), so that no view is open by accident. Each class checks one
kind of actors, and passes requests of the others. The checks themselves are in core.access; they raise the named error
of what is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from core.access import Actor, AuthPath, Entitlement, check_key, check_phase, check_session, require_entitlement

if TYPE_CHECKING:
    # rest_framework.views itself imports the classes that the settings name.
    from rest_framework.views import APIView

    from core.api.endpoint import Endpoint
    from core.api.views import ApiView


class DeclaredPermission(BasePermission):
    """Refuses views that are not ApiViews or do not declare who may use them, and their methods without @endpoint."""

    message = "the view declares no permission module"

    def has_permission(self, request: Request, view: APIView) -> bool:
        return bool(getattr(view, "declares_access", False))


class AccessPermission(BasePermission):
    """Base of the classes. It checks actors in a company, and operations that are declared by @endpoint."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        api_view = cast("ApiView", view)
        declared = api_view.declaration()
        actor = request.auth
        if declared is None or not isinstance(actor, Actor) or actor.auth_path is AuthPath.PRIVATE:
            return True
        return not self.applies_to(actor) or self.allows(api_view, actor, declared)

    def applies_to(self, actor: Actor) -> bool:
        """Return whether the class checks such actors."""
        raise NotImplementedError

    def allows(self, view: ApiView, actor: Actor, declared: Endpoint) -> bool:
        """Return whether the actor may use the operation, or raise a more specific error."""
        raise NotImplementedError

    @staticmethod
    def check_phase(view: ApiView, allowed: Entitlement, declared: Endpoint, module: str) -> None:
        """Check that a paused or unpaid subscription allows the operation."""
        if allowed.phase and not declared.any_member:
            check_phase(allowed, module if view.blocked_when_unpaid else "", view.needed_permission(declared))


class VisitPermission(AccessPermission):
    """Staff who visit a company only read. A visit needs no subscription: support is needed most where it lapsed."""

    message = "a visit is for looking only"

    def applies_to(self, actor: Actor) -> bool:
        return actor.visiting

    def allows(self, view: ApiView, actor: Actor, declared: Endpoint) -> bool:
        return actor.may(view.modules_of(declared)[0], view.request.method or "")


class ApiKeyPermission(AccessPermission):
    """API keys need a subscription, and a maker whose role has the permission."""

    def applies_to(self, actor: Actor) -> bool:
        return actor.auth_path is AuthPath.KEY and not actor.visiting

    def allows(self, view: ApiView, actor: Actor, declared: Endpoint) -> bool:
        modules = view.modules_of(declared)
        if declared.needs_subscription:
            self.check_phase(view, require_entitlement(view.entitlement), declared, modules[0])
        if not declared.any_member:
            check_key(actor, modules, view.needed_permission(declared))
        return True


class MemberPermission(AccessPermission):
    """Members need a subscription, an accepted membership, a role with the permission, and a plan with the module."""

    def applies_to(self, actor: Actor) -> bool:
        return actor.auth_path is not AuthPath.KEY and not actor.visiting

    def allows(self, view: ApiView, actor: Actor, declared: Endpoint) -> bool:
        entitlement = (
            require_entitlement(view.entitlement) if declared.needs_subscription else view.entitlement or Entitlement()
        )
        modules = view.modules_of(declared)
        permission = view.needed_permission(declared)
        in_plan = [module for module in modules if entitlement.modules is None or module in entitlement.modules]
        module = next((module for module in in_plan if actor.may(module, permission)), modules[0])
        check_session(actor, entitlement, module, permission, any_member=declared.any_member)
        if declared.needs_subscription:
            self.check_phase(view, entitlement, declared, module)
        return True
