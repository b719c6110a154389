"""Pictures, documents and sounds. Received files are fetched from the vendor, and files of members are sent to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from mimetypes import guess_extension

from core.types import Values
from outreach.connections.chat_apps.client import ChatClient, ChatFailed, download
from outreach.connections.chat_apps.messenger import MessengerClient
from outreach.connections.chat_apps.models import ChatApp
from outreach.connections.chat_apps.social_b import SocialBClient
from outreach.connections.smtp.outcome import SmtpError

MAX_FILE_BYTES = 25 * 1024 * 1024
"""Maximum size of a file that a person sends."""
MAX_SENT_BYTES = 10 * 1024 * 1024
"""Maximum size of a file that a member sends."""


class FileTrouble(Exception):
    """A file is unavailable. `code` is short and stable, people read `detail`, and a chatbot sends `says`."""

    def __init__(self, code: str, detail: str, *, temporary: bool = False, says: str = "") -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.temporary = temporary
        self.says = says


@dataclass(frozen=True)
class FileAnswer:
    """A file as it came."""

    name: str
    content: bytes


def media_kind(mime: str) -> str:
    """Return the vendor's kind of a file: image, video, audio, or else a document."""
    if mime in ("image/jpeg", "image/png"):
        return "image"
    if mime in ("video/mp4", "video/3gpp"):
        return "video"
    if mime in ("audio/aac", "audio/mp4", "audio/mpeg", "audio/amr", "audio/ogg"):
        return "audio"
    return "document"


def file_name(media: Values, kind: str = "file") -> str:
    """Return the name of a file. A file without a name gets one from its kind and type."""
    named = str(media.get("name") or "")
    if named:
        return named
    mime = str(media.get("mime") or "").partition(";")[0].strip()
    return f"{kind}{guess_extension(mime) or ''}"


def fetch_from_messenger(app: ChatApp | None, media: Values, check: Callable[[int | None], None]) -> FileAnswer:
    """Fetch a file that a person has sent to a bot. Raises FileTrouble."""

    def fetch_file(app: ChatApp, id: str) -> FileAnswer:
        client = MessengerClient.for_app(app)
        path, size = client.file(id)
        check(size)
        name = str(media.get("name") or "") or path.rpartition("/")[2]
        return FileAnswer(name, client.download(path, MAX_FILE_BYTES))

    return _fetch(app, media, fetch_file)


def fetch_from_social_b(app: ChatApp | None, media: Values, check: Callable[[int | None], None]) -> FileAnswer:
    """Fetch the file that a person has sent to an account, from the platform's address. Raises FileTrouble."""

    def fetch_file(app: ChatApp, id: str) -> FileAnswer:
        url = str(media.get("url") or "")
        if not url.startswith(("https://", f"{SocialBClient.for_app(app).base.rpartition('/')[0]}/")):
            raise FileTrouble("gone", "Nobody says where it is")
        return FileAnswer(file_name(media, str(media.get("kind") or "file")), download(url, MAX_FILE_BYTES))

    return _fetch(app, media, fetch_file)


def fetch_media(app: ChatApp | None, media: Values, check: Callable[[int | None], None]) -> FileAnswer:
    """Fetch a file that a person has sent to a number. Raises FileTrouble."""

    def fetch_file(app: ChatApp, id: str) -> FileAnswer:
        client = ChatClient.for_app(app)
        place = client.media(id)
        # Before the download, by the size that the vendor announces.
        check(place.size)
        return FileAnswer(file_name({"mime": place.mime, **media}), client.download(place, MAX_FILE_BYTES))

    return _fetch(app, media, fetch_file)


def _fetch(app: ChatApp | None, media: Values, fetch: Callable[[ChatApp, str], FileAnswer]) -> FileAnswer:
    """Return the result of `fetch` for the file with the id. Raises FileTrouble for any error."""
    id = str(media.get("id") or "")
    if app is None or not id:
        raise FileTrouble("gone", "Nobody says where it is")
    try:
        return fetch(app, id)
    except SmtpError as error:
        raise FileTrouble("vendor", error.detail, temporary=True) from None
    except ChatFailed as failed:
        if failed.code == "large":
            raise FileTrouble("large", f"It has more than {MAX_FILE_BYTES // 1024 // 1024} MB") from None
        # A refused token may be renewed; any other refusal means that the file is gone.
        waits = failed.temporary or failed.refused
        raise FileTrouble("vendor" if waits else "gone", failed.detail, temporary=waits) from None
