"""Visitors of widgets: their data, their tokens, and their rate limits."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256

from django.core import signing
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from core.access import entitlement
from core.access.attempts import Limit
from core.errors import ApiError, NamedError, ValidationFailed
from core.ids import is_id, new_id
from core.tenancy import company_scope, unscoped
from core.text.addresses import BadAddress, read_phone
from core.types import JsonObject
from outreach.chat.conversations.channels import VISITORS_KEPT
from outreach.chat.conversations.models import Conversation
from outreach.chat.widgets.models import TOKEN_LENGTH, ChatWidget, WidgetVisitor
from outreach.chat.widgets.services import MODULE
from outreach.chat.widgets.texts import KNOWN

CONVERSATIONS = 1000
"""Conversations that are deleted in one transaction."""
KEPT = VISITORS_KEPT
"""A visitor is known for so long after their last message: no answer is read later."""
HOUR = timedelta(hours=1)
STARTS = Limit("widget-starts", 10, 600)
"""New visitors of a network."""
STARTS_IN_ALL = Limit("widget-starts-all", 500, 3600)
"""New visitors of a widget: each may become a contact and a lead."""
MESSAGES = Limit("widget-messages", 30, 60)
"""Messages of a visitor."""
NETWORK_MESSAGES = Limit("widget-network-messages", 200, 60)
POLLS = Limit("widget-polls", 90, 60)
"""Polls of a visitor for new messages."""
NOT_FOUND = "WidgetNotFound_404"
UNKNOWN = "NotFound_404"
_SALT = "outreach.widgets.visitor"
_ENTITLED_FOR = 60


def unknown_visitor() -> NamedError:
    """Return the error for an id that belongs to no visitor of the widget."""
    return NamedError(UNKNOWN, "this chat has ended; start a new one", field="visitor")


def open_widget(token: str) -> ChatWidget:
    """Return the active widget with this token, whose company's plan has widgets. Raises WidgetNotFound_404."""
    widget = None
    if len(token) == TOKEN_LENGTH and token.isascii() and token.isalnum():
        with unscoped(reason="a website's visitor: the token names the widget"):
            widget = ChatWidget.objects.filter(token=token, is_active=True).first()
    # Cached: each poll of each visitor would otherwise ask for the subscription.
    if widget is None or not _is_entitled(widget.company_id):
        raise NamedError(NOT_FOUND, "there is no such widget, or it is switched off", field="token")
    return widget


def _is_entitled(company: str) -> bool:
    def is_allowed() -> bool:
        try:
            with company_scope(company):
                modules = entitlement(company).modules
        except ApiError:
            return False
        return modules is None or MODULE in modules

    return bool(cache.get_or_set(f"widget-entitled:{company}", is_allowed, _ENTITLED_FOR))


def begin(
    widget: ChatWidget,
    network: str,
    *,
    answers: Mapping[str, str],
    page: str,
    needed: tuple[str, ...] = (),
    key: str = "",
) -> WidgetVisitor:
    """Store a new visitor. With a `key` of theirs, a repetition returns the same visitor if the email address is the
    same.

    Raises TooManyAttempts, and ValidationFailed for missing or wrong answers, also of the `needed` ones.
    """
    values = read_answers(widget, answers, needed=needed)
    # After the answers were read: a mistyped address uses up nothing.
    STARTS.count(network)
    STARTS_IN_ALL.count(widget.pk)
    # The id follows from the key, so that a repeated request finds the visitor. The address is part of it: a
    # key alone must not open another person's chat.
    theirs = sha256("\n".join((widget.pk, key, values["email"].lower())).encode()).hexdigest()[:24] if key else new_id()
    noted = {"widget": widget, "page": page[:500], "seen_at": timezone.now(), **values}
    visitor: WidgetVisitor = WidgetVisitor.objects.get_or_create(pk=theirs, defaults=noted)[0]
    return visitor


def read_answers(widget: ChatWidget, answers: Mapping[str, str], *, needed: tuple[str, ...] = ()) -> JsonObject:
    """Return a visitor's columns from their answers. `needed` are required in addition to the widget's questions.

    Raises ValidationFailed, which names the field.
    """
    questions = {question["key"]: question for question in widget.pre_chat}
    for key in (*needed, *KNOWN):
        questions.setdefault(key, {"key": key, "label": "", "required": False})
    values: JsonObject = {"answers": []}
    if unknown := sorted(answers.keys() - questions.keys()):
        raise ValidationFailed(f"answers.{unknown[0]} is not asked", "is not asked", field=f"answers.{unknown[0]}")
    for key, question in questions.items():
        text = " ".join(answers.get(key, "").split())
        if not text and (question["required"] or key in needed):
            raise ValidationFailed(f"answers.{key} is required", "enter a value", field=f"answers.{key}")
        if key in KNOWN:
            values[key] = _read(key, text) if text else ""
        elif text:
            values["answers"].append({"label": question["label"], "value": text[:500]})
    return values


def _read(key: str, text: str) -> str:
    if key == "email":
        try:
            validate_email(text)
        except ValidationError:
            raise ValidationFailed(
                "answers.email is no address", "enter an email address, such as name@example.com", field="answers.email"
            ) from None
        return text[:254]
    if key == "phone":
        try:
            return read_phone(None, text).e164
        except BadAddress:
            detail = "write it with the code of the country, such as +49 30 123456"
            raise ValidationFailed("answers.phone is no number", detail, field="answers.phone") from None
    return text[:200]


def sign(visitor: WidgetVisitor) -> str:
    """Return the token by which a visitor is known again; no cookie has it."""
    # The widget is in the salt: a token of one website is worth nothing on another.
    return signing.TimestampSigner(salt=f"{_SALT}:{visitor.widget_id}").sign(visitor.pk)


def get_visitor(widget: ChatWidget, token: str) -> WidgetVisitor:
    """Return the visitor with a token, of this widget alone. Raises NotFound_404 for one that is forged or too old."""
    try:
        id = signing.TimestampSigner(salt=f"{_SALT}:{widget.pk}").unsign(token[:200], max_age=KEPT)
    except signing.BadSignature:
        raise unknown_visitor() from None
    visitor = WidgetVisitor.objects.filter(pk=id, widget=widget).first() if is_id(id) else None
    if visitor is None:
        raise unknown_visitor()
    now = timezone.now()
    # Written once an hour; each poll would be a write otherwise.
    if visitor.seen_at < now - HOUR:
        WidgetVisitor.objects.filter(pk=visitor.pk).update(seen_at=now)
    return visitor


def forget_old() -> bool:
    """Delete expired visitors of all companies (a periodic task). Returns whether more may wait.

    A conversation with a contact stays, with its messages. One without is deleted: no access request could find it.
    """
    with unscoped(reason="tick: visitors of websites who were away for long"):
        # An hour more, as seen_at may be that old.
        old = WidgetVisitor.objects.filter(seen_at__lt=timezone.now() - KEPT - HOUR).values("pk")[:5000]
        deleted, _ = WidgetVisitor.objects.filter(pk__in=list(old.values_list("pk", flat=True))).delete()
        forgotten = _forget_conversations()
    return deleted >= 5000 or forgotten >= CONVERSATIONS


@transaction.atomic
def _forget_conversations() -> int:
    """Delete conversations without contact whose visitor is gone, also with the widget. Return how many."""
    visitor = WidgetVisitor.objects.filter(pk=OuterRef("address"))
    rows = Conversation.objects.filter(~Exists(visitor), channel=Conversation.Channel.WIDGET, contact=None)
    # Locked: a member may say at the same moment who it is.
    locked = rows.select_for_update(of=("self",), skip_locked=True).order_by("pk")[:CONVERSATIONS]
    ids = [conversation.pk for conversation in locked]
    Conversation.objects.filter(pk__in=ids).delete()
    return len(ids)
