"""The admin site of the staff, who see the records of all companies."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.admin.utils import unquote
from django.core.exceptions import SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.templatetags.static import static
from unfold.sites import UnfoldAdminSite

from core.backoffice.reading import use_request
from core.backoffice.search import find
from core.hooks import Hook
from core.tenancy import unscoped
from core.text.translation import gettext_lazy as _
from core.types import JsonObject


def style(request: HttpRequest) -> str:
    """Return the address of our style sheet, which the theme loads after its own."""
    return static("backoffice/backoffice.css")


def times(request: HttpRequest) -> str:
    """Return the address of the script that writes times in the reader's zone."""
    return static("backoffice/times.js")


def icon(request: HttpRequest) -> str:
    """Return the address of the favicon."""
    return static("backoffice/icon.svg")


page_requested: Hook[[HttpRequest], HttpResponse | None] = Hook(
    __name__,
    "page_requested",
    "Before a member of staff gets a page of the back office. Returns a response in place of the page, or None.",
)


def refuse_nul(request: HttpRequest) -> None:
    """Raise Http404 for a path with a NUL, 400 for a query or form with one: PostgreSQL knows no such text.

    The admin writes special characters of ids as `_5F` and the like, so that `_00` is a NUL too.
    """
    if "\0" in unquote(request.path_info):
        raise Http404("no record has such an id")
    parameters = [request.GET, request.POST] if request.method == "POST" else [request.GET]
    if any("\0" in text for values in parameters for name, texts in values.lists() for text in (name, *texts)):
        raise SuspiciousOperation("a NUL is part of no value")


class BackOfficeSite(UnfoldAdminSite):
    """The admin site. Its pages run and render unscoped, for staff only."""

    index_template = "admin/dashboard.html"
    index_title = _("Overview")

    def __init__(self, name: str = "admin") -> None:
        super().__init__(name)
        # Records are deleted one at a time: a list may span companies, and a cascade may be long.
        self.disable_action("delete_selected")

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[JsonObject]:
        """Return the apps and models that the user may see; a page asks several times, and they are found once."""
        cache: dict[str | None, list[JsonObject]] = request.__dict__.setdefault("_app_lists", {})
        if app_label not in cache:
            cache[app_label] = super().get_app_list(request, app_label)
        return cache[app_label]

    def search(self, request: HttpRequest, extra_context: JsonObject | None = None) -> TemplateResponse:
        """Return the results of the menu's search. Nothing is cached: deleted records do not appear."""
        results = find(request, self.get_app_list(request), self.get_model_admin)
        context = {"results": results, "term": request.GET.get("s", "").strip()}
        return TemplateResponse(request, "admin/search_results.html", context)

    def admin_view(self, view: Callable[..., HttpResponse], cacheable: bool = False) -> Callable[..., HttpResponse]:
        guarded: Callable[..., HttpResponse] = super().admin_view(view, cacheable)

        @wraps(guarded)
        def scoped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not self.has_permission(request):
                return guarded(request, *args, **kwargs)
            refuse_nul(request)
            with unscoped(reason="back office: staff work on the records of all companies"), use_request(request):
                stopped = page_requested.first(request)
                response = guarded(request, *args, **kwargs) if stopped is None else stopped
                # A template response would render after the view has returned, outside of the scope.
                render = getattr(response, "render", None)
                rendered: HttpResponse = render() if callable(render) else response
                return rendered

        return scoped
