"""GET and POST /f/<token>: the public page of an own form. It works without script, and inside other sites' frames.

A visitor has no session: no action depends on a log-in, so there is no token against forgery. Bots are stopped by a
hidden field, by the time that they take, and by a limit for each network.
"""

from __future__ import annotations

from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from accounts.settings.branding import brand_of
from core.access.attempts import TooManyAttempts
from core.access.callers import caller_of
from core.tenancy import company_scope
from core.text.translation import gettext_lazy
from core.types import JsonObject
from outreach.site.forms.kinds import MULTI
from outreach.site.forms.models import COLOUR, Form
from outreach.site.forms.services import origin_of
from outreach.site.forms.styles import style
from outreach.site.forms.submissions import (
    MAX_BYTES,
    SENT,
    SUBMISSIONS,
    TOO_FAST,
    TRAP,
    UTM,
    PublicPage,
    find_published,
    fits_origin,
    page_id_for,
    read_origin,
    read_page_id,
    read_submission,
    store_submission,
)

NO_FORM = gettext_lazy("This form is closed")
AGAIN = gettext_lazy("Check your answers and try again.")
TOO_OFTEN = gettext_lazy("Too many attempts. Try again in a minute.")
OLD = gettext_lazy("This page has expired. Send the form again.")
TOO_LONG = gettext_lazy("Your answers are too long. Shorten your answers and try again.")


@csrf_exempt
def form_page(request: HttpRequest, token: str) -> HttpResponse:
    """Show a form, or accept its input."""
    form = find_published(token)
    if form is None:
        return _page(request, None, {"title": NO_FORM}, 404)
    if request.method == "POST":
        return _submit(request, form)
    if request.method not in ("GET", "HEAD"):
        return HttpResponse(status=405, headers={"Allow": "GET, HEAD, POST"})
    if SENT in request.GET:
        return _page(request, form, {"sent": True}, 200)
    preset = {field["key"]: request.GET[field["key"]][:2000] for field in form.fields if field["key"] in request.GET}
    return _form(request, form, preset)


def form_style(request: HttpRequest, digest: str) -> HttpResponse:
    """Return the style sheet with the colours of a form, since pages may not have inline styles."""
    colour = f"#{digest}"
    answer = HttpResponse(style(colour if len(digest) == 6 else COLOUR), content_type="text/css; charset=utf-8")
    answer["Cache-Control"] = "public, max-age=86400"
    return answer


def _submit(request: HttpRequest, form: Form) -> HttpResponse:
    length = request.headers.get("Content-Length") or "0"
    if not length.isdigit() or int(length) > MAX_BYTES:
        return _page(request, form, {"title": TOO_LONG}, 413)
    own = {origin_of(settings.BASE_URL), f"{request.scheme}://{request.get_host()}"}
    if not fits_origin(form, request.headers.get("Origin"), own):
        return _page(request, form, {"title": gettext_lazy("This website can't send the form")}, 403)
    sent = request.POST
    inputs: JsonObject = {
        field["key"]: sent.getlist(field["key"]) if field["type"] == MULTI else sent.get(field["key"])
        for field in form.fields
    }
    try:
        SUBMISSIONS.count(f"{form.pk} {caller_of(request).network}")
    except TooManyAttempts as error:
        answer = _form(request, form, inputs, problem=TOO_OFTEN, status=429)
        answer["Retry-After"] = str(error.retry_after)
        return answer
    if sent.get(TRAP):
        return _thank(form)  # a program believes that it was taken
    page = read_page_id(form, sent.get("page", ""))
    if page is None:
        return _form(request, form, inputs, problem=OLD, status=422)
    read = read_submission(form, inputs)
    if read.errors:
        return _form(request, form, inputs, errors=read.errors, status=422)
    if page[1] < TOO_FAST:
        return _form(request, form, inputs, problem=AGAIN, status=422)
    origin = read_origin(sent, sent.get("url", ""), sent.get("referrer", ""))
    with company_scope(form.company_id):
        store_submission(form, page[0], read.answers, origin)
    return _thank(form)


def _thank(form: Form) -> HttpResponse:
    """Lead on, so that a page that is loaded again sends nothing."""
    answer = HttpResponseRedirect(form.redirect_url or f"/f/{form.token}?{urlencode({SENT: 1})}")
    answer.status_code = 303
    return _allow_framing(answer, form)


def _form(
    request: HttpRequest,
    form: Form,
    inputs: JsonObject,
    *,
    errors: dict[str, str] | None = None,
    problem: str = "",
    status: int = 200,
) -> HttpResponse:
    wrong = errors or {}
    params = request.POST if request.method == "POST" else request.GET
    referrer = params.get("referrer") or request.headers.get("Referer", "")
    context = {
        "fields": shown_fields(form, inputs, wrong),
        "wrong": [
            (field["key"], field["label"], wrong[field["key"]]) for field in form.fields if field["key"] in wrong
        ],
        "trouble": problem,
        "trap": TRAP,
        "kept": [
            ("page", page_id_for(form, request.POST.get("page", ""))),
            ("url", params.get("url") or request.build_absolute_uri(request.path)),
            ("referrer", referrer[:1000]),
            *((name, params[name][:200]) for name in UTM if name in params),
        ],
    }
    return _page(request, form, context, status)


def shown_fields(form: PublicPage, inputs: JsonObject, errors: dict[str, str]) -> list[JsonObject]:
    """Return the fields in the form of the template, each with its input and its error."""
    return [
        {
            **field,
            "given": (inputs.get(field["key"]) or field["value"] or "") if field["type"] != MULTI else "",
            "chosen": inputs.get(field["key"])
            if isinstance(inputs.get(field["key"]), list)
            else [inputs.get(field["key"])],
            "error": errors.get(field["key"], ""),
        }
        for field in form.fields
    ]


def _page(request: HttpRequest, form: Form | None, context: JsonObject, status: int) -> HttpResponse:
    shared: JsonObject = {"form": form, "brand": brand_of(form.company_id if form else None)}
    if form is not None:
        shared |= {"title": form.title or form.name, "style": f"/f/style/{form.colour[1:]}.css"}
    answer = render(request, "pages/public_form.html", {**shared, **context}, status=status)
    return _allow_framing(answer, form)


def _allow_framing(answer: HttpResponse, form: Form | None) -> HttpResponse:
    """Allow the permitted sites to show the response in a frame, and the form to open its redirect."""
    allowed = " ".join(form.allowed_origins) if form else ""
    leads_to = origin_of(form.redirect_url) if form else ""
    answer["Content-Security-Policy"] = (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none';"
        f" form-action 'self' {leads_to}; frame-ancestors 'self' {allowed}"
    )
    answer.xframe_options_exempt = True  # frame-ancestors says it
    answer["Cache-Control"] = "no-store"
    answer["X-Robots-Tag"] = "noindex"
    return answer


urlpatterns = [
    path("f/style/<str:digest>.css", form_style, name="form-style"),
    path("f/<str:token>", form_page, name="public-form"),
]
