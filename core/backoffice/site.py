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
    """The address of the style sheet beside the theme's."""
    return static("backoffice/backoffice.css")


def icon(request: HttpRequest) -> str:
    """The address of the browser tab's icon."""
    return static("backoffice/icon.svg")


class BackOfficeSite(UnfoldAdminSite):
    """Each of its pages runs and renders unscoped, for staff only; nothing outside of it does."""

    index_template = "admin/dashboard.html"
    index_title = "Overview"

    def __init__(self, name: str = "admin") -> None:
        super().__init__(name)
        self.disable_action(
            "delete_selected"
        )  # deletions are one at a time: a list may span companies, and a cascade may be long

    def admin_view(self, view: Callable[..., HttpResponse], cacheable: bool = False) -> Callable[..., HttpResponse]:
        guarded = super().admin_view(view, cacheable)

        @wraps(guarded)
        def scoped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not self.has_permission(request):
                return guarded(request, *args, **kwargs)
            with unscoped(reason="back office: staff work on the records of all companies"):
                response = guarded(request, *args, **kwargs)
                # A template response renders after the view has returned, which would be outside of the scope.
                render = getattr(response, "render", None)
                return render() if callable(render) else response

        return scoped
