"""The base of all API views: it knows the actor, runs inside the actor's company and checks permissions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import cached_property
from typing import Any, ClassVar, NoReturn

from rest_framework.exceptions import MethodNotAllowed, Throttled
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.access import (
    EXPIRED,
    Actor,
    AuthPath,
    Entitlement,
    Pace,
    granted_entitlement,
    headers_of,
    limited_creation,
    rate_limit_error,
)
from core.api.endpoint import Endpoint
from core.api.envelope import respond
from core.api.json import Parser, Renderer
from core.api.schema import Schema
from core.errors import NamedError
from core.internals.rest_framework import http_request
from core.tenancy import company_scope
from core.types import Values


class ApiView(APIView):
    """Base of all API views. The settings name its permission and throttle classes.

    A subclass names its permission `module`, or is `public` or `private`; @endpoint declares its handlers.
    ResourceViewSet refuses classes without.
    """

    module: ClassVar[str | None] = None
    alternate_modules: ClassVar[tuple[str, ...]] = ()
    """Other modules whose permission allows the view. It shows each actor only the data of the actor's modules."""
    public: ClassVar[bool] = False
    page_notes: Values = {}
    """Parts of an answer for pages alone, such as codes of its problems. Pages ask in process; bodies lack them."""
    blocked_when_unpaid: ClassVar[bool] = True
    """Companies with unpaid bills may not POST here, since it begins something new (core.access.check_phase)."""
    enforce_key_expiry: ClassVar[bool] = False
    """The view refuses temporary keys whose duration is over, even if the settings accept expired keys elsewhere."""
    private: ClassVar[bool] = False
    """The view needs a session only: the person acts for themselves, in no company."""
    renderer_classes = (Renderer,)
    parser_classes = (Parser,)
    schema = Schema()

    actor: Actor
    declared: Endpoint
    """The declaration of the endpoint that answers (set by @endpoint)."""
    action: str
    """The name of the method that answers (set by ViewSetMixin)."""
    paces: Sequence[Pace] = ()
    """The state of the caller's rate limits, once the request is counted."""

    @classmethod
    def modules_of(cls, declared: Endpoint) -> tuple[str, ...]:
        """Return the permission modules that allow an operation, its own first."""
        if declared.module is not None:
            return (declared.module, *(declared.alternate_modules or ()))
        return (
            cls.module or "",
            *(cls.alternate_modules if declared.alternate_modules is None else declared.alternate_modules),
        )

    def declaration(self) -> Endpoint | None:
        """Return the declaration of the action that answers."""
        return getattr(getattr(self, self.action or "", None), "endpoint", None)

    @property
    def declares_access(self) -> bool:
        """Return whether the view says who may use what answers (DeclaredPermission refuses others)."""
        declared = self.declaration()
        return self.public or self.private or declared is None or bool(self.modules_of(declared)[0])

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        with ExitStack() as self._scope:
            response = super().dispatch(request, *args, **kwargs)
            if isinstance(response, Response) and hasattr(response, "accepted_renderer"):
                # Rendered inside the scope, since outputs may still read records.
                response.render()
            return response

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Choose JSON and ignore the Accept header."""
        renderer = self.renderer_classes[0]()
        # A 406 would be an answer without the envelope that all callers expect.
        return renderer, renderer.media_type

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Authenticate the request, then check limits and permissions.

        Limits come before permissions, unlike in DRF: requests that are refused count too.
        """
        self.format_kwarg = None
        renderer, media_type = self.perform_content_negotiation(request)
        request.accepted_renderer = renderer
        request.accepted_media_type = media_type
        self.perform_authentication(request)
        self.check_throttles(request)
        self.check_permissions(request)
        if request.method == "POST" and self._is_limited_by_plan():
            self._scope.enter_context(limited_creation(self.entitlement or Entitlement()))

    def perform_authentication(self, request: Request) -> None:
        """Set the actor and open its company's scope. Raises a 401 without an actor, unless the view is public."""
        super().perform_authentication(request)
        if not isinstance(request.auth, Actor):
            if not self.public:
                raise NamedError("Unauthorized_401", "log in, or send an API key")
            return
        self.actor = request.auth
        http_request(request).leadwright_actor = self.actor  # type: ignore[attr-defined]  # for the request log, which has no view
        if self.actor.auth_path is AuthPath.PRIVATE or self.declaration() is None:
            return
        # Left with the request, in dispatch(): rendering needs it as well.
        self._scope.enter_context(company_scope(self.actor.company_id, self.actor.own_records))
        if self.enforce_key_expiry and self.actor.expired:
            raise NamedError("ExpiredSession_401", EXPIRED)

    def permission_denied(self, request: Request, message: str | None = None, code: str | None = None) -> NoReturn:
        raise NamedError(code or "UnauthorizedAction_403", message or "")

    def throttled(self, request: Request, wait: float | None) -> NoReturn:
        raise rate_limit_error(self.paces) or Throttled(wait)

    @cached_property
    def entitlement(self) -> Entitlement | None:
        """The entitlement of the actor's company, or None without an active subscription."""
        if self.actor.auth_path is AuthPath.KEY:
            return self.actor.entitlement
        return granted_entitlement(self.actor.company_id)

    def needed_permission(self, declared: Endpoint) -> str:
        """Return the permission that a role needs for the operation: GET, POST, PUT or DELETE."""
        return declared.permission or self.request.method or "GET"

    def _is_limited_by_plan(self) -> bool:
        """Return whether the plan limits the records that the request creates. It doesn't limit API keys."""
        actor = getattr(self, "actor", None)
        if actor is None or self.declaration() is None:
            return False
        return actor.auth_path not in (AuthPath.KEY, AuthPath.PRIVATE) and not actor.visiting

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        answer = super().finalize_response(request, response, *args, **kwargs)
        if self.paces:
            for name, value in headers_of(self.paces).items():
                answer[name] = value
        return answer

    def success(self, data: Any = None, **extra: Any) -> Response:
        """Return the endpoint's success response, for handlers that add members next to data."""
        return respond(self.declared.success, data, **extra)

    def http_method_not_allowed(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        methods = ", ".join(name for name in self.allowed_methods if name not in ("HEAD", "OPTIONS"))
        raise MethodNotAllowed(request.method or "", f"this path takes {methods}, not {request.method}")
