"""Pictures of mails: a file's public address, which stays the same and holds until the file is deleted.

Mail programs fetch pictures years after a mail was sent, so that the address has no end. It is signed: nobody can guess
the address of another file.
"""

from __future__ import annotations

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import path
from django.views.decorators.http import require_safe

from core.errors import NamedError
from core.tenancy import unscoped
from crm.files.downloads import content_response
from crm.files.models import File

PICTURE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""Types that mail programs show."""
_signer = Signer(salt="crm.files.pictures", sep=".")


def picture_address(file_id: str) -> str:
    """Return the public address of a picture."""
    _, _, signature = _signer.sign(file_id).partition(".")
    return f"{settings.BASE_URL}/pictures/{file_id}/{signature}"


@require_safe
def picture(request: HttpRequest, id: str, signature: str) -> HttpResponseBase:
    """Answer with a picture."""
    try:
        _signer.unsign(f"{id}.{signature}")
    except BadSignature:
        raise Http404("there is no such picture") from None
    # Recipients have no session; the signature is what lets them in.
    with unscoped(reason="a picture of a mail, whose signature was checked"):
        files = File.objects.select_related("bucket").filter(pk=id, is_deleted=False, trashed_at=None)
        file = files.filter(mime__in=PICTURE_TYPES).first()
    if file is None:
        raise Http404("there is no such picture")
    try:
        response = content_response(file, head=request.method == "HEAD")
    except NamedError as error:
        raise Http404(error.detail) from error
    if response.status_code == 200:
        # A day: a deleted picture disappears from caches soon enough.
        response["Cache-Control"] = "public, max-age=86400"
    # Webmail shows pictures inside of its own pages.
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


web = [path("pictures/<str:id>/<str:signature>", picture, name="mail-picture")]
