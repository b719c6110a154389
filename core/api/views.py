"""The base of all API views: it knows the actor, runs inside the actor's company and checks permissions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.access import (
    EXPIRED,
    Actor,
    AuthPath,
    Entitlement,
    check_key,
    check_phase,
    check_session,
    count_request,
    entitlement,
    headers_of,
    limited,
    refusal,
    subscribed,
)
from core.api.endpoint import Endpoint
from core.api.envelope import envelope, respond
from core.api.fields import FIELDS, choose_fields
from core.api.json import Parser, Renderer
from core.api.output import Output
from core.api.schema import Schema
from core.errors import NamedError
from core.lists import FieldSet, ListQuery, Page, list_page, stream_json
from core.lists.parameters import refuse_unknown
from core.lists.query import PARAMETERS, read_parameters
from core.tenancy import company_scope, reopen
from core.types import Values


class ApiView(APIView):
    """Base of all API views.

    A subclass names its permission `module`, or is `public` or `private`; @endpoint declares its handlers.
    ResourceViewSet refuses classes without.
    """

    module: ClassVar[str | None] = None
    also: ClassVar[tuple[str, ...]] = ()
    """Other modules whose permission allows the view. It shows each actor only the data of the actor's modules."""
    public: ClassVar[bool] = False
    begins: ClassVar[bool] = True
    """Its POST begins something new, which a company does not that has not paid (core.access.check_phase)."""
    keeps_term: ClassVar[bool] = False
    """The view refuses temporary keys whose duration is over, even if the settings accept expired keys elsewhere."""
    private: ClassVar[bool] = False
    """The view needs a session only: the person acts for themselves, in no company."""
    renderer_classes = (Renderer,)
    parser_classes = (Parser,)
    permission_classes = ()
    throttle_classes = ()
    schema = Schema()

    actor: Actor
    declared: Endpoint
    """The declaration of the endpoint that answers (set by @endpoint)."""
    action: str
    """The name of the method that answers (set by ViewSetMixin)."""
    pace: Mapping[str, str] = {}
    """The headers with the caller's rate limit."""

    @classmethod
    def modules_of(cls, declared: Endpoint) -> tuple[str, ...]:
        """Return the permission modules that allow an operation, its own first."""
        if declared.module is not None:
            return (declared.module, *(declared.also or ()))
        return (cls.module or "", *(cls.also if declared.also is None else declared.also))

    def declaration(self) -> Endpoint | None:
        """Return the declaration of the action that answers."""
        return getattr(getattr(self, self.action or "", None), "endpoint", None)

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
        self.format_kwarg = None
        renderer, media_type = self.perform_content_negotiation(request)
        request.accepted_renderer = renderer
        request.accepted_media_type = media_type
        declared = self.declaration()
        self.perform_authentication(request)
        if not isinstance(request.auth, Actor):
            if not self.public:
                raise NamedError("Unauthorized_401", "log in, or send an API key")
            return
        self.actor = request.auth
        request._request.leadwright_actor = self.actor  # type: ignore[attr-defined]  # for the request log, which has no view
        if self.actor.auth_path is AuthPath.PRIVATE or declared is None:
            return
        # Left with the request, in dispatch(): rendering needs it as well.
        self._scope.enter_context(company_scope(self.actor.company_id))
        self._check_access(request, declared)

    def _check_access(self, request: Request, declared: Endpoint) -> None:
        modules = self.modules_of(declared)
        if self.actor.visiting:
            # A visit needs no subscription: support is most needed where it has lapsed.
            if not self.actor.may(modules[0], request.method or ""):
                raise NamedError("UnauthorizedAction_403", "a visit is for looking only")
            return
        needed = declared.permission or request.method or "GET"
        if self.actor.auth_path is AuthPath.KEY:
            if self.keeps_term and self.actor.expired:
                raise NamedError("ExpiredSession_401", EXPIRED)
            # Counted before permissions, so that refused requests are limited too.
            self._count(request, self.actor.entitlement)
            if declared.needs_subscription:
                self._check_phase(subscribed(self.actor.entitlement), declared, modules[0])
            if not declared.own:
                check_key(self.actor, modules, needed)
            return
        try:
            allowed = entitlement(self.actor.company_id)
        except NamedError:
            if declared.needs_subscription:
                self._count(request, None)
                raise
            allowed = Entitlement()
        self._count(request, allowed)
        # A module must be in the plan and in the role, not one of each.
        in_plan = [module for module in modules if allowed.modules is None or module in allowed.modules]
        module = next((module for module in in_plan if self.actor.may(module, needed)), modules[0])
        check_session(self.actor, allowed, module, needed, own=declared.own)
        if declared.needs_subscription:
            self._check_phase(allowed, declared, module)
        if request.method == "POST":
            self._scope.enter_context(limited(allowed))

    def _check_phase(self, allowed: Entitlement, declared: Endpoint, module: str) -> None:
        needed = declared.permission or self.request.method or "GET"
        if allowed.phase and not declared.own:
            check_phase(allowed, module if self.begins else "", needed)

    def _count(self, request: Request, allowed: Entitlement | None) -> None:
        """Count the request against the limits of its caller and company. A page's own questions are not counted."""
        if hasattr(request._request, "acting"):
            return
        paces = count_request(self.actor.company_id, self.actor.key_id or self.actor.member_id, allowed)
        self.pace = headers_of(paces)
        if error := refusal(paces):
            raise error

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        answer = super().finalize_response(request, response, *args, **kwargs)
        for name, value in self.pace.items():
            answer[name] = value
        return answer

    def list_response(
        self,
        queryset: QuerySet[Any],
        fields: FieldSet,
        output: type[Output],
        *,
        extra: Iterable[str] = (),
        within: tuple[Values, str] | None = None,
    ) -> Any:
        """Answer with a page of the list (the standard list contract), or with the whole set as a stream.

        The stream is read later, in the scope that is active now. `within` is the record that contains the list and the
        name of its field (the endpoint's `list_in`).
        """
        params = self.request.query_params.copy()
        refuse_unknown(read_parameters(params), {*PARAMETERS, *extra, FIELDS.name})
        names = params.pop("fields", None)
        query = ListQuery.parse(params, fields, extra=extra)
        page = list_page(queryset, query, output, None if names is None else choose_fields(names, output))
        if isinstance(page, Page):
            data = page.rows if within is None else {**within[0], within[1]: page.rows}
            return self.success(data, **page.members)
        status, head = envelope(self.declared.success)
        # The answer is sent when this scope has been left.
        content = stream_json(head, page, reopen(), within)
        return StreamingHttpResponse(content, status=status, content_type="application/json")

    def success(self, data: Any = None, **extra: Any) -> Response:
        """Return the endpoint's success response, for handlers that add members next to data."""
        return respond(self.declared.success, data, **extra)

    def http_method_not_allowed(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        allowed = ", ".join(name for name in self.allowed_methods if name not in ("HEAD", "OPTIONS"))
        raise MethodNotAllowed(request.method or "", f"this path takes {allowed}, not {request.method}")
