"""The files of caught mails: written atomically, listed newest first, and limited in number."""

import datetime as dt
import email
import functools
import os
import re
import secrets
import time
from dataclasses import dataclass
from email import policy
from email.message import EmailMessage
from pathlib import Path

LIMIT = 5_000
_PRUNE_EVERY = 100
_HEAD = 64 * 1024  # bytes to read for a line of the list
_ID = re.compile(r"\d{20}-[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class Summary:
    """A mail's line in the list."""

    id: str
    caught_at: dt.datetime
    sender: str
    recipient: str
    subject: str


@dataclass(frozen=True, slots=True)
class CaughtMail:
    """A parsed mail."""

    summary: Summary
    headers: list[tuple[str, str]]
    text: str
    html: str
    raw: bytes


class MailStore:
    """The folder of caught mails. Several processes may read while one writes."""

    def __init__(self, folder: Path, limit: int = LIMIT) -> None:
        self._folder = folder
        self._limit = limit
        self._until_prune = 0

    def save(self, data: bytes, *, sender: str, recipients: list[str]) -> str:
        """Store a mail unchanged, after headers with its envelope. Returns its id once it is on disk."""
        self._folder.mkdir(parents=True, exist_ok=True)
        mail_id = f"{time.time_ns():020d}-{secrets.token_hex(4)}"
        envelope = f"Return-Path: <{sender}>\r\n" + "".join(
            f"Delivered-To: {recipient}\r\n" for recipient in recipients
        )
        unfinished = self._folder / f".{mail_id}.tmp"
        with unfinished.open("xb") as file:
            file.write(envelope.encode("utf-8", "replace") + data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(self._path(mail_id))
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        self._prune()
        return mail_id

    def ids(self) -> list[str]:
        """Return the ids of all mails, newest first."""
        try:
            names = os.listdir(self._folder)
        except FileNotFoundError:
            return []
        return sorted((name[:-4] for name in names if name.endswith(".eml") and _ID.fullmatch(name[:-4])), reverse=True)

    def page(self, *, search: str = "", start: int = 0, size: int = 50) -> tuple[list[Summary], int]:
        """Return a page of the list, newest first, and the total. The search covers sender, recipient and subject."""
        ids = self.ids()
        terms = search.casefold().split()
        if not terms:
            summaries = (self._summary(mail_id) for mail_id in ids[start : start + size])
            return [summary for summary in summaries if summary], len(ids)
        matches = []
        for mail_id in ids:
            summary = self._summary(mail_id)
            if summary is None:
                continue
            text = f"{summary.sender} {summary.recipient} {summary.subject}".casefold()
            if all(word in text for word in terms):
                matches.append(summary)
        return matches[start : start + size], len(matches)

    def read(self, mail_id: str) -> CaughtMail | None:
        """Return a mail by its id, or None if there is none."""
        if not _ID.fullmatch(mail_id):
            return None
        try:
            raw = self._path(mail_id).read_bytes()
        except FileNotFoundError:
            return None
        message = _parse(raw)
        return CaughtMail(
            summary=_summarise(mail_id, message),
            headers=[(name, str(value)) for name, value in message.items()],
            text=_part(message, "plain"),
            html=_part(message, "html"),
            raw=raw,
        )

    def _path(self, mail_id: str) -> Path:
        return self._folder / f"{mail_id}.eml"

    def _summary(self, mail_id: str) -> Summary | None:
        try:
            return _summary_of(str(self._path(mail_id)), mail_id)
        except FileNotFoundError:
            return None  # removed since the listing

    def _prune(self) -> None:
        self._until_prune -= 1
        if self._until_prune > 0:
            return
        self._until_prune = min(_PRUNE_EVERY, max(1, self._limit // 10))
        for mail_id in self.ids()[self._limit :]:
            self._path(mail_id).unlink(missing_ok=True)


@functools.lru_cache(maxsize=LIMIT + _PRUNE_EVERY)
def _summary_of(path: str, mail_id: str) -> Summary:
    """Return a mail's line of the list. Cached, since a caught mail never changes."""
    with open(path, "rb") as file:
        head = file.read(_HEAD)
    message = _parse(head.partition(b"\r\n\r\n")[0])
    return _summarise(mail_id, message)


def _parse(raw: bytes) -> EmailMessage:
    return email.message_from_bytes(raw, policy=policy.default)


def _summarise(mail_id: str, message: EmailMessage) -> Summary:
    caught_at = dt.datetime.fromtimestamp(int(mail_id[:20]) / 1e9, dt.UTC)
    recipients = message.get_all("Delivered-To") or []
    return Summary(
        mail_id, caught_at, str(message["From"] or ""), ", ".join(map(str, recipients)), str(message["Subject"] or "")
    )


def _part(message: EmailMessage, kind: str) -> str:
    part = message.get_body((kind,))
    if part is None:
        return ""
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    try:
        return payload.decode(part.get_content_charset("utf-8"), "replace")
    except LookupError:  # unknown character set
        return payload.decode("utf-8", "replace")
