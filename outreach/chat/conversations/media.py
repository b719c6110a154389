"""Files that people send: fetched from their channel into the company's files, once each.

A message with a file has the time of its fetch (`file_due_at`). A worker claims it by advancing that time, fetches
outside of any transaction, and links the file in the transaction that completes it. If the worker dies, nothing is
linked, and its upload is removed as an incomplete one.

If the channel is unavailable, it is retried at growing intervals. A file that is too large, or of a type that may not
be stored, is not fetched, and the message states the reason. The same applies to any file that cannot be stored, and to
one that repeatedly kills its worker. Otherwise it would block the files of all companies.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from core.errors import ApiError, NamedError
from core.hooks import Hook
from core.jobs.registry import Moment
from core.jobs.sweeper import MAX_DEATHS
from core.tenancy import company_scope, unscoped
from crm.files.models import File
from crm.files.services import store_uploads
from crm.files.storage import Received
from outreach.chat.conversations.channels import channel_of
from outreach.chat.conversations.models import Conversation, ConversationMessage
from outreach.chat.conversations.outgoing import send
from outreach.chat.conversations.people import acting_member
from outreach.chat.conversations.states import BOT
from outreach.connections.chat_apps.media import MAX_FILE_BYTES, FileAnswer, FileTrouble

log = logging.getLogger(__name__)

LEASE = timedelta(minutes=5)
MAX_RETRY_DELAY = timedelta(hours=6)
MEDIA_LIFE = timedelta(days=29)
"""Approximate time for which channels keep people's files."""
FINAL = {"UnsupportedFileType_400": "type", "EmptyFile_400": "type"}
"""Reason why the store permanently refuses a file -> `file_error`."""
MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Limit:
    """A chatbot's maximum size of files, and its reply to a larger one."""

    megabytes: float
    refusal: str


chatbot_file_limit: Hook[[Conversation], Limit | None] = Hook(
    __name__,
    "chatbot_file_limit",
    "When a person sends a file to a chatbot; the first limit counts. Returns the limit of the conversation's chatbot,"
    " or None without one.",
)


def due_messages(now: Moment) -> list[QuerySet[ConversationMessage]]:
    """Return the messages whose file is to be fetched."""
    return [ConversationMessage.objects.filter(file_due_at__lte=now)]


def fetch_due(deadline: float) -> None:
    """Fetch files until none is due or monotonic() passes the deadline."""
    while monotonic() < deadline:
        with unscoped(reason="worker: files that people have sent to all companies"):
            due = ConversationMessage.objects.filter(file_due_at__lte=timezone.now()).order_by("file_due_at", "pk")
            row = due.values_list("pk", "company_id").first()
        if row is None:
            return
        with company_scope(row[1]):
            fetch_one(row[0])


def fetch_one(id: str) -> None:
    """Fetch the file of a message, unless another worker does."""
    now = timezone.now()
    lease = now + LEASE
    # The claim is the moved time itself: no second column, and a dead worker's claim ends with it.
    due = ConversationMessage.objects.filter(pk=id, file_due_at__lte=now)
    if not due.update(file_due_at=lease, file_deaths=F("file_deaths") + 1):
        return
    message = ConversationMessage.objects.select_related("conversation__chat_app").get(pk=id)
    # Counted before the work, since a killed worker cannot count afterwards.
    if message.file_deaths > MAX_DEATHS:
        log.error("%s workers in a row died while they fetched the file of message %s", MAX_DEATHS, id)
        _put_off(message, lease, FileTrouble("failed", "workers die over it"))
        return
    try:
        # No transaction is open: the vendor may take a minute.
        answer = _fetch(message)
        _store(message, answer, lease)
    except FileTrouble as error:
        _put_off(message, lease, error)
    except NamedError as error:  # the plan, or the storage
        final = FINAL.get(error.name)
        _put_off(message, lease, FileTrouble(final or "storage", error.detail or error.message, temporary=not final))
    except ApiError as error:
        _put_off(message, lease, FileTrouble("storage", error.message, temporary=True))
    except (OperationalError, InterfaceError):
        raise  # the database is away, which is no fault of the file
    except Exception as error:  # noqa: BLE001  the edge of a file: it is given up, the others are fetched
        log.error("the file of message %s cannot be taken in", id, exc_info=error)
        _put_off(message, lease, FileTrouble("failed", type(error).__name__))


def _fetch(message: ConversationMessage) -> FileAnswer:
    channel, conversation = channel_of(message.conversation), message.conversation

    def check(size: int | None) -> None:
        """Raise FileTrouble for a size that is not taken."""
        if size is None:
            return
        if size > MAX_FILE_BYTES:
            raise FileTrouble("large", f"It has {size / MEGABYTE:.1f} MB")
        limit = chatbot_file_limit.first(conversation) if conversation.state == BOT else None
        if limit is not None and size > limit.megabytes * MEGABYTE:
            raise FileTrouble("chatbot", f"The chatbot takes at most {limit.megabytes:g} MB", says=limit.refusal)

    answer = channel.fetch(conversation, message.media or {}, check)
    # The announced size may be missing or wrong.
    check(len(answer.content))
    return answer


def _store(message: ConversationMessage, answer: FileAnswer, lease: datetime) -> None:
    with Received(answer.name) as upload:
        upload.append(answer.content)
        upload.complete()

        def link(files: list[File]) -> None:
            # The lease is the exact time that this worker wrote.
            rows = ConversationMessage.objects.filter(pk=message.pk, file_due_at=lease)
            if not rows.update(
                file=files[0], file_due_at=None, file_deaths=0, file_error="", updated_at=timezone.now()
            ):
                raise FileTrouble("lost", "another worker has fetched it", temporary=True)

        module = channel_of(message.conversation).module
        member = acting_member(None)
        store_uploads(uploads=[upload], member_id=member, read_module=module, and_then=link)


@transaction.atomic
def _put_off(message: ConversationMessage, lease: datetime, error: FileTrouble) -> None:
    """Schedule another fetch of the file, or give it up with a reason."""
    now = timezone.now()
    attempts = message.file_attempts + 1
    # Bounded, or the power would overflow a timedelta.
    due_at = now + min(MAX_RETRY_DELAY, timedelta(minutes=2 ** min(attempts, 12)))
    # The channel has deleted it by then.
    ends = not error.temporary or due_at > message.happened_at + MEDIA_LIFE
    rows = ConversationMessage.objects.filter(pk=message.pk, file_due_at=lease)
    changed = rows.update(
        file_due_at=None if ends else due_at,
        file_attempts=attempts,
        file_deaths=0,
        file_error=(error.code if ends else "waits"),
        updated_at=now,
    )
    if changed and error.says:
        _send_text(message.conversation_id, error.says)


def _send_text(conversation_id: str, text: str) -> None:
    """Send the chatbot's reply about a file that is too large, while it handles the conversation."""
    conversation = Conversation.objects.select_for_update(of=("self",)).get(pk=conversation_id)
    channel = channel_of(conversation)
    # A member may have taken over while the file was fetched.
    if conversation.state != BOT or not channel.is_open(conversation.last_inbound_at, timezone.now()):
        return
    send(conversation, content=channel.content(conversation, text), text=text, author=ConversationMessage.Author.BOT)
    conversation.save(update_fields=["last_text", "last_message_at", "updated_at"])
