"""Use cases of widgets, for members."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from core.access import reserve_quota
from core.errors import NamedError
from core.lists import BulkSelection, in_batches
from core.types import JsonObject, Values
from crm.records.writes.unique_names import save_unique_name
from outreach.chat.chatbots.models import ManualChatbot
from outreach.chat.widgets.models import ChatWidget
from outreach.chat.widgets.origins import read_origins
from outreach.chat.widgets.texts import TEXTS

MODULE = "chat-widget"
TAKEN = "ChatWidgetNameAlreadyExists_400"
NOT_FOUND = "ChatWidgetNotFound_400"
NONE_SELECTED = "NoChatWidgetSelected_400"
NO_CHATBOT = "NotFound_404"


def get_widget(id: str, *, lock: bool = False) -> ChatWidget:
    """Return the company's widget with this id. Raises ChatWidgetNotFound_400."""
    rows = ChatWidget.objects.select_for_update(of=("self",)) if lock else ChatWidget.objects.all()
    widget: ChatWidget | None = rows.filter(pk=id).first()
    if widget is None:
        raise NamedError(NOT_FOUND, "there is no such chat widget in this company", field="id")
    return widget


@transaction.atomic
def create_widget(*, member_id: str, **values: Any) -> ChatWidget:
    """Create a widget.

    Raises ChatWidgetNameAlreadyExists_400, ValidationFailed for an invalid origin, NotFound_404 for a missing chatbot,
    PlanLimitExceeded_403.
    """
    reserve_quota(MODULE)
    widget = ChatWidget(created_by_id=member_id, updated_by_id=member_id)
    _set(widget, values)
    save_unique_name(widget, TAKEN)
    return widget


@transaction.atomic
def update_widget(*, id: str, member_id: str, **values: Any) -> ChatWidget:
    """Change a widget. Raises ChatWidgetNotFound_400 and the errors of `create_widget`."""
    widget = get_widget(id, lock=True)
    _set(widget, values)
    widget.updated_by_id = member_id
    save_unique_name(widget, TAKEN)
    return widget


def preview_widget(**values: Any) -> JsonObject:
    """Return the configuration that visitors' browsers would get of a widget with these values. Changes nothing.

    Raises ValidationFailed and NotFound_404 as `create_widget` does.
    """
    widget = ChatWidget()
    _set(widget, values)
    return config_of(widget, offline=False)


def config_of(widget: ChatWidget, *, offline: bool) -> JsonObject:
    """Return the configuration that the script needs to show a widget."""
    return {
        "color": widget.color,
        "position": widget.position,
        "greeting": widget.greeting,
        "texts": {**TEXTS, **widget.texts},
        "preChat": widget.pre_chat,
        "offline": offline,
    }


@transaction.atomic
def delete_widgets(*, selection: BulkSelection) -> int:
    """Delete widgets. Their messages remain. Returns how many. Raises ChatWidgetNotFound_400 if ids name none."""
    deleted = 0
    for ids in in_batches(selection.apply(ChatWidget.objects.all()), lock=True):
        ChatWidget.objects.filter(pk__in=ids).delete()
        deleted += len(ids)
    if not deleted and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them is a chat widget of this company", field="ids")
    return deleted


def _set(widget: ChatWidget, values: Values) -> None:
    cleaned = dict(values)
    if "allowed_origins" in cleaned:
        cleaned["allowed_origins"] = read_origins(cleaned["allowed_origins"])
    if "business_hours" in cleaned:
        cleaned["business_hours"] = cleaned["business_hours"] or {}
    chatbot = cleaned.pop("chatbot", widget.chatbot_id)
    if chatbot != widget.chatbot_id:
        if chatbot is not None and not ManualChatbot.objects.filter(pk=chatbot).exists():
            raise NamedError(NO_CHATBOT, "there is no such chatbot in this company", field="chatbot")
        widget.chatbot_id = chatbot
    for name, value in cleaned.items():
        setattr(widget, name, value)
