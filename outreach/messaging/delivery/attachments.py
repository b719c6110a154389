"""A company's files attached to its mails: the allowed ones, their copies in messages, and their contents.

A message stores name, type, size and SHA-256 of each file, so that other content is never sent under an approval. A
deleted file, also one in the recycle bin, keeps the message from being sent.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from threading import Lock

from core.errors import NamedError, shorten
from core.types import JsonObject, Values
from crm.files.models import File
from crm.files.stores import open_content
from outreach.connections.smtp.parts import Attachment

MAX_FILES = 10
MAX_BYTES = 10 * 1024 * 1024
"""Maximum size of all files of a mail; encoded they take a third more, and many servers refuse more than 20 MB."""
KEPT_BYTES = 4 * MAX_BYTES
"""Cached size of files in a sending process. Their encoded parts take as much again, and a third."""
# Types that can run script in a mail program, and a mail within a mail, which hides its content from filters.
REFUSED_TYPES = frozenset({"text/html", "image/svg+xml", "message/rfc822"})
REFUSED_ENDINGS = frozenset((
    "ade", "adp", "apk", "appx", "bat", "cab", "chm", "cmd", "com", "cpl", "dll", "dmg", "exe", "hta", "htm", "html",
    "ins", "iso", "isp", "jar", "js", "jse", "lib", "lnk", "mde", "msc", "msi", "msp", "mst", "nsh", "ps1", "reg",
    "scr", "sct", "shb", "svg", "sys", "vb", "vbe", "vbs", "vxd", "wsc", "wsf", "wsh",
))  # fmt: skip
"""File extensions that large mail services refuse regardless of content, or that open as a page."""
UNFIT = "InvalidEmailTemplate_400"
GONE = "FileNotFound_400"


class AttachmentMissing(Exception):
    """A file that has to go with a message is not there any more; people read the text."""


class AttachmentUnavailable(Exception):
    """A file's content cannot be read at present; people read the text."""


def _live(ids: Iterable[str]) -> dict[str, File]:
    files = File.objects.filter(pk__in=list(ids), is_deleted=False, trashed_at=None).select_related("bucket")
    return {file.pk: file for file in files}


def describe_files(ids: Sequence[str], where: str = "attachments", unfit: str = UNFIT) -> list[JsonObject]:
    """Return the form in which messages store the files, in their order.

    Raises FileNotFound_400 for one that is missing, or in the recycle bin. Raises `unfit` for too many, too large ones
    and those that mail servers refuse.
    """
    if not ids:
        return []
    # A file that is named twice goes once.
    ids = list(dict.fromkeys(ids))
    if len(ids) > MAX_FILES:
        raise NamedError(unfit, f"choose at most {MAX_FILES} files", field=where)
    files = _live(ids)
    for id in ids:
        if id not in files:
            # The name is read in the error case alone, and of deleted files too, so that people know which
            # one is meant.
            name = File.objects.filter(pk=id).values_list("name", flat=True).first()
            detail = f"{shorten(name)} was deleted, or is in the recycle bin" if name else "there is no such file"
            raise NamedError(GONE, detail, field=where)
        _check_type(files[id], where, unfit)
    total = sum(file.size for file in files.values())
    if total > MAX_BYTES:
        raise NamedError(
            unfit,
            f"the files have {_megabytes(total)} together; at most {_megabytes(MAX_BYTES)} go with a mail",
            field=where,
        )
    return [
        {"id": id, "name": file.name, "mime": file.mime, "size": file.size, "sha256": file.hashes.get("sha256", "")}
        for id in ids
        for file in (files[id],)
    ]


def list_files(ids: Sequence[str]) -> list[JsonObject]:
    """Return the files for people before a mail is sent; deleted ones are marked as missing."""
    live = _live(ids) if ids else {}
    names = dict(File.objects.filter(pk__in=set(ids) - live.keys()).values_list("pk", "name"))
    return [
        {
            "_id": id,
            "name": file.name if file else names.get(id, ""),
            "size": file.size if file else 0,
            "mime": file.mime if file else "",
            "missing": file is None,
        }
        for id in ids
        for file in (live.get(id),)
    ]


def _check_type(file: File, where: str, unfit: str) -> None:
    ending = file.name.rpartition(".")[2].lower()
    if file.mime in REFUSED_TYPES or ending in REFUSED_ENDINGS:
        raise NamedError(unfit, f"remove {shorten(file.name)}; mail servers refuse its type", field=where)


def _megabytes(size: int) -> str:
    return f"{size / 1024 / 1024:.1f} MB".replace(".0 MB", " MB")


_kept: OrderedDict[tuple[str, ...], Attachment] = OrderedDict()
_keeping = Lock()


class AttachmentReader:
    """Gives the files of a sender's messages. Each is read once for many messages, of all senders of the process."""

    def __init__(self) -> None:
        self._files: dict[str, File] = {}

    def prepare(self, file_lists: Iterable[Sequence[Values]]) -> None:
        """Look up the files of a batch of messages, by one statement."""
        ids = {file["id"] for files in file_lists for file in files}
        live = _live(ids) if ids else {}
        # Replaced and not only added: a file may have been deleted since the former batch of the same turn.
        self._files.update(live)
        for id in ids - live.keys():
            self._files.pop(id, None)

    def read(self, attachments: Sequence[Values]) -> tuple[Attachment, ...]:
        """Return the files of a message, for any thread. Raises AttachmentMissing and AttachmentUnavailable."""
        return tuple(self._read_attachment(file) for file in attachments)

    def _read_attachment(self, entry: Values) -> Attachment:
        file = self._files.get(entry["id"])
        if file is None:
            raise AttachmentMissing(f"{entry['name']} was deleted, or is in the recycle bin.")
        # Name and type belong to the key, since they are written into the encoded part.
        key = (file.pk, entry["sha256"], entry["name"], entry["mime"])
        with _keeping:
            if key in _kept:
                _kept.move_to_end(key)
                return _kept[key]
        # Read outside of the lock: a slow bucket must not hold up connections whose files are in the cache.
        attachment = Attachment(entry["name"], entry["mime"], _read(file, entry))
        with _keeping:
            _kept[key] = attachment
            # The last one stays even if it is too large alone, or each message with it would read it again.
            while len(_kept) > 1 and sum(len(kept.content) for kept in _kept.values()) > KEPT_BYTES:
                _kept.popitem(last=False)
        return attachment


def _read(file: File, entry: Values) -> bytes:
    try:
        with open_content(file) as content:
            # One byte more than allowed shows a file that has grown, without reading all of it.
            body: bytes = content.read(MAX_BYTES + 1)
    except (NamedError, OSError) as error:
        detail = error.detail if isinstance(error, NamedError) else "the storage does not give its content"
        raise AttachmentUnavailable(f"{entry['name']}: {detail}") from error
    # What was approved is what goes: other content under the same id fails the message.
    if hashlib.sha256(body).hexdigest() != entry["sha256"]:
        raise AttachmentMissing(f"{entry['name']} is another file than the one that was chosen.")
    return body
