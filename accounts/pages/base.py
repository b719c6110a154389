"""The base of the pages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.generic import FormView

from accounts.auth.links import InvalidLink
from accounts.settings.branding import Brand, brand_of
from core.access.attempts import TooManyAttempts
from core.errors import ApiError, ValidationFailed
from core.text.labels.counts import SPANS
from core.types import JsonObject
from core.web.words.problems import problem_text, to_sentence

HEADERS = {
    "Cache-Control": "no-store",
    # Not no-referrer: browsers would then send "Origin: null" with the form, which the CSRF check refuses. Other
    # sites get nothing.
    "Referrer-Policy": "same-origin",
    "X-Robots-Tag": "noindex",
}


class Page(FormView, ABC):  # type: ignore[type-arg]
    """A page with one form, which `act` passes to a service.

    Opening it changes nothing, since mail scanners open every link.
    """

    done_template = ""
    """The template after a successful submit."""
    way_on: tuple[str, str] | None = None
    """For an expired link: the name of the page to go to instead, and the label of the link."""

    def brand(self) -> Brand:
        """Return the branding of the page."""
        return brand_of(None)

    @abstractmethod
    def act(self, form: Any) -> JsonObject | HttpResponse:
        """Call the service with the form's values. Returns context for `done_template`, or an answer in its place."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            response = super().dispatch(request, *args, **kwargs)
        except InvalidLink as error:
            response = self.page("pages/dead_link.html", {"detail": error.detail, "way_on": self.way_on}, status=400)
        for name, value in HEADERS.items():
            response.headers[name] = value
        return response  # type: ignore[return-value]

    def form_valid(self, form: Any) -> HttpResponse:
        try:
            done = self.act(form)
        except InvalidLink:
            raise
        except TooManyAttempts as error:
            form.add_error(
                None,
                _("Too many attempts. Try again in %(duration_text)s.")
                % {"duration_text": duration_text(error.retry_after or 0)},
            )
            response = self.page(self.template_name, {"form": form}, status=429)
            response.headers["Retry-After"] = str(error.retry_after)
            return response
        except ApiError as error:
            add_error(form, error)
            return self.form_invalid(form)
        return done if isinstance(done, HttpResponse) else self.page(self.done_template, done)

    def form_invalid(self, form: Any) -> HttpResponse:
        return self.page(self.template_name, {"form": form}, status=400)

    def page(self, template: str | None, context: JsonObject, *, status: int = 200) -> HttpResponse:
        """Render a page."""
        return render(self.request, template or "", {"brand": self.brand(), **context}, status=status)

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self.page(self.template_name, {"form": self.get_form()})


def add_error(form: forms.Form, error: ApiError) -> None:
    """Show a service's error at the field that it names, or above the form."""
    field_error = error.errors[0] if isinstance(error, ValidationFailed) and error.errors else None
    if field_error is not None and field_error["field"] in form.fields:
        form.add_error(field_error["field"], problem_text(field_error))
    else:
        form.add_error(None, to_sentence(error.detail or error.message))


def duration_text(seconds: int) -> str:
    """Return a waiting time as text."""
    minutes = -(-seconds // 60)
    return SPANS["seconds"].of(seconds) if seconds < 90 else SPANS["minutes"].of(minutes)
