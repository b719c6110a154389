"""Endpoints of one's own notifications."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter
from rest_framework.decorators import action
from rest_framework.request import Request

from accounts.notifications.filters import NOTIFICATION_FIELDS
from accounts.notifications.selectors import count_unread, own_notifications, preferences
from accounts.notifications.serializers import (
    NotificationOut,
    NotificationsRead,
    NotificationUpdate,
    PreferencesOut,
    ReadOut,
    UnreadOut,
)
from accounts.notifications.services import OWN, mark, mark_all, not_found
from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.viewsets import ResourceViewSet
from core.errors import InvalidFormat
from core.ids import is_id
from core.tenancy import unscoped
from core.types import JsonObject

COMPANY = OpenApiParameter("company", str, description="only those of this company")


class NotificationViewSet(ResourceViewSet):
    private = True
    listing = Listing(
        "List one's notifications",
        lambda asked: own_notifications(asked.actor.user_id),
        NOTIFICATION_FIELDS,
        NotificationOut,
        unscoped=OWN,
        description="Of all companies that one works in, newest first; they are kept for 90 days.",
    )

    @endpoint(
        "Mark all notifications as read",
        description="With a company, only those of that company.",
        input=NotificationsRead,
        output=ReadOut,
        success="NotificationsRead_200",
    )
    def bulk_update(self, request: Request, data: JsonObject) -> object:
        return {"updatedCount": mark_all(user_id=self.actor.user_id, company_id=data.get("company"))}

    @endpoint("Read a notification", output=NotificationOut, errors=("NotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        with unscoped(reason=OWN):
            notification = NotificationOut.one(own_notifications(self.actor.user_id).filter(pk=id))
        if notification is None:
            raise not_found()
        return notification

    @endpoint(
        "Mark a notification as read or unread",
        input=NotificationUpdate,
        output=NotificationOut,
        success="NotificationsRead_200",
        errors=("NotFound_404",),
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        mark(user_id=self.actor.user_id, id=id, is_read=data["is_read"])
        return self.retrieve.__wrapped__(self, request, id=id)  # type: ignore[attr-defined]

    @action(detail=False)
    @endpoint(
        "Count unread notifications",
        description="With a company, only those of that company.",
        output=UnreadOut,
        parameters=(COMPANY,),
    )
    def unread(self, request: Request) -> object:
        company = request.query_params.get("company")
        if company is not None and not is_id(company):
            raise InvalidFormat("company", company, "an id is 24 hex characters")
        with unscoped(reason=OWN):
            return {"count": count_unread(self.actor.user_id, company)}


class PreferencesViewSet(ResourceViewSet):
    private = True
    singleton = True

    @endpoint(
        "Read which notifications one gets",
        output=PreferencesOut,
        description="PUT /profile changes it, by `mutedNotices`. Mails are the company's choice.",
    )
    def retrieve(self, request: Request) -> object:
        return {"notices": preferences(self.actor.user_id)}
