"""Downloads of contents; nothing in a content may run in our origin."""

from __future__ import annotations

from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import path
from django.views.decorators.http import require_safe

from core.errors import NamedError
from crm.files.mime import is_inline_safe
from crm.files.models import File
from crm.files.services import linked_file
from crm.files.stores import open_content, signed_address


def content_response(file: File, *, head: bool = False) -> HttpResponseBase:
    """Return the content as a stream, inline if that is harmless and as an attachment otherwise.

    A content in a bucket is a redirect to an address that is valid for minutes. Raises FileNotFound_404 if it is
    missing.
    """
    elsewhere = signed_address(file, head=head)
    if elsewhere is not None:
        redirect = HttpResponseRedirect(elsewhere)
        # The address in it expires within minutes, and would be served from the cache after that.
        redirect["Cache-Control"] = "no-store"
        # Links of files carry a signature, which the bucket's operator has no need to see.
        redirect["Referrer-Policy"] = "no-referrer"
        return redirect
    response = FileResponse(
        open_content(file), content_type=file.mime, as_attachment=not is_inline_safe(file.mime), filename=file.name
    )
    response["Content-Length"] = str(file.size)
    # Browsers otherwise guess types by content, and may run a text as a page.
    response["X-Content-Type-Options"] = "nosniff"
    # An uploaded SVG or page would run scripts with the reader's session without a sandbox.
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    # A content never changes under its id. Private, since a shared cache would serve it to anybody.
    response["Cache-Control"] = "private, max-age=3600"
    return response


@require_safe
def signed_download(request: HttpRequest, id: str, signature: str, name: str) -> HttpResponseBase:
    """Return the content to the holder of the link. The name in the link is only for people and for saved files."""
    file = linked_file(file_id=id, signature=signature)
    if file is None:
        # One answer for forged, expired and deleted alike, which tells nobody whether a file exists.
        raise Http404("The link is not valid, or no longer.")
    try:
        return content_response(file, head=request.method == "HEAD")
    except NamedError as error:
        raise Http404(error.detail) from error


web = [path("files/<str:id>/<str:signature>/<str:name>", signed_download, name="file-link")]
