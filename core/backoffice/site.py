"""The admin site of the staff, who see the records of all companies."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from unfold.sites import UnfoldAdminSite

from core.tenancy import unscoped


def style(request: HttpRequest) -> str:
    """Return the address of our style sheet, which the theme loads after its own."""
    return static("backoffice/backoffice.css")


def icon(request: HttpRequest) -> str:
    """Return the address of the favicon."""
    return static("backoffice/icon.svg")


class BackOfficeSite(UnfoldAdminSite):
    """The admin site. Its pages run and render unscoped, for staff only."""

    index_template = "admin/dashboard.html"
    index_title = "Overview"

    def __init__(self, name: str = "admin") -> None:
        super().__init__(name)
        # Records are deleted one at a time: a list may span companies, and a cascade may be long.
        self.disable_action("delete_selected")

    def admin_view(self, view: Callable[..., HttpResponse], cacheable: bool = False) -> Callable[..., HttpResponse]:
        guarded: Callable[..., HttpResponse] = super().admin_view(view, cacheable)

        @wraps(guarded)
        def scoped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not self.has_permission(request):
                return guarded(request, *args, **kwargs)
            with unscoped(reason="back office: staff work on the records of all companies"):
                response = guarded(request, *args, **kwargs)
                # A template response would render after the view has returned, outside of the scope.
                render = getattr(response, "render", None)
                rendered: HttpResponse = render() if callable(render) else response
                return rendered

        return scoped
