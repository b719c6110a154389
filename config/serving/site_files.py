"""Files that browsers and search engines request from every site, and the licences of files served to browsers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, distribution

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.templatetags.static import static
from django.views.decorators.http import require_safe

SERVED = (
    ("htmx", "django-htmx", ""),
    ("Lucide icons", "lucide", ""),
    ("Inter, the typeface", "django-unfold", "fonts/inter/"),
    ("Unfold, the back office", "django-unfold", ""),
    ("Swagger UI, the page of the API", "drf-spectacular-sidecar", "swagger-ui-dist/"),
    ("Countries, states and cities", "countrystatecity-countries", ""),
)
"""Title, the package that contains it, and the folder of its own licence in the package."""
ROBOTS = "User-agent: *\nAllow: /login$\nAllow: /register$\nAllow: /licences$\nAllow: /static/\nDisallow: /\n"


@dataclass(frozen=True)
class Licence:
    """A third-party work that browsers receive, with the text of its licence."""

    name: str
    package: str
    kind: str
    text: str


@cache
def licences() -> list[Licence]:
    """Return the works with their licences, from the packages' metadata."""
    works = []
    for name, package, folder in SERVED:
        installed = distribution(package)
        text = _text(installed, folder or ".dist-info/licenses/")
        kind = "SIL Open Font License 1.1" if "SIL Open Font License" in text else _kind(installed)
        works.append(Licence(name, f"{package} {installed.version}", kind, text))
    return works


def _kind(installed: Distribution) -> str:
    metadata = installed.metadata.json
    return str(metadata.get("license_expression") or metadata.get("license") or "see below").strip().splitlines()[0]


def _text(installed: Distribution, folder: str) -> str:
    files = [file for file in installed.files or () if file.name.startswith("LICENSE") and folder in file.as_posix()]
    return "\n\n".join(file.read_text() for file in files)


@require_safe
def licences_page(request: HttpRequest) -> HttpResponse:
    """Show the licences of the files that are served to browsers."""
    return render(request, "pages/licences.html", {"licences": licences()})


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Leave search engines the pages that are for everybody, and none of a company's, of mails' links or of the API."""
    return HttpResponse(ROBOTS, content_type="text/plain")


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """Redirect to the icon that pages name, for clients that request it without reading a page."""
    return HttpResponsePermanentRedirect(static("backoffice/icon.svg"))
