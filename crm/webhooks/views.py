"""Endpoints of webhooks."""

from __future__ import annotations

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing, ListRequest, list_action
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError
from core.events import feed
from core.types import JsonObject
from crm.webhooks import services
from crm.webhooks.filters import DELIVERY_FIELDS, WEBHOOK_FIELDS
from crm.webhooks.models import Webhook, WebhookDelivery
from crm.webhooks.outcomes import SHOWN
from crm.webhooks.sending import Request as Sent
from crm.webhooks.serializers import (
    DeliveryDetail,
    DeliveryOut,
    WebhookCreate,
    WebhookDelete,
    WebhookMade,
    WebhookOut,
    WebhookReplay,
    WebhookReplayOut,
    WebhookTestOut,
    WebhookUpdate,
)

CHANGE_ERRORS = ("InvalidRequest_400", "InvalidInput_400")
NOT_FOUND = ("WebhookNotFound_404",)
ABOUT = "Events are told by POST, signed as Standard Webhooks has it (docs/webhooks.md)."
RETRIED = (
    "12 attempts over 72 hours; the answer has 10 seconds, needs a status of 2xx, and no redirect is followed. 410"
    " disables the webhook."
)


def _deliveries(list_request: ListRequest) -> QuerySet[WebhookDelivery]:
    """Return the deliveries of the webhook at the path. Raises WebhookNotFound_404."""
    deliveries: QuerySet[WebhookDelivery] = WebhookDelivery.objects.filter(
        webhook=services.get_webhook(list_request.path["id"]).pk
    )
    return deliveries


class WebhookViewSet(ResourceViewSet):
    module = "api"
    listing = Listing("List webhooks", Webhook.objects.all, WEBHOOK_FIELDS, WebhookOut)
    deliveries = list_action(
        Listing("List a webhook's deliveries", _deliveries, DELIVERY_FIELDS, DeliveryOut, errors=NOT_FOUND),
        url_path="deliveries",
        detail=True,
    )

    @endpoint(
        "Create a webhook",
        input=WebhookCreate,
        output=WebhookMade,
        success="WebhookCreated_201",
        errors=CHANGE_ERRORS,
        description=f"{ABOUT} The answer alone has the secret. {RETRIED}",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        webhook, secret = services.create_webhook(actor=self.actor, values=data)
        return {**self._webhook_data(webhook.pk), "secret": secret}

    @endpoint(
        "Delete webhooks",
        input=WebhookDelete,
        output=Deleted,
        bulk=True,
        success="WebhooksDeleted_200",
        errors=NOT_FOUND,
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": services.delete_webhooks(selection=self.selection())}

    @endpoint("Read a webhook", output=WebhookOut, errors=NOT_FOUND)
    def retrieve(self, request: Request, id: str) -> object:
        return self._webhook_data(id)

    @endpoint(
        "Update a webhook",
        input=WebhookUpdate,
        output=WebhookOut,
        success="WebhookUpdated_200",
        errors=(*NOT_FOUND, *CHANGE_ERRORS),
        description="What is not given stays. Enabling it forgets its failures; what it has missed is had by replay.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        services.update_webhook(id=id, actor=self.actor, values=data)
        return self._webhook_data(id)

    @action(detail=True, methods=["post"])
    @endpoint(
        "Give a webhook a new secret",
        output=WebhookMade,
        success="WebhookRotated_200",
        errors=NOT_FOUND,
        description="For 24 hours the former secret signs as well.",
    )
    def rotate(self, request: Request, id: str) -> object:
        webhook, secret = services.rotate_secret(id=id, member_id=self.actor.member_id)
        return {**self._webhook_data(webhook.pk), "secret": secret}

    @action(detail=True, methods=["post"])
    @endpoint(
        "Test a webhook",
        output=WebhookTestOut,
        success="WebhookTested_200",
        errors=NOT_FOUND,
        limited=True,
        description="Sends a made-up event of the kind webhook.test, whatever the status of the webhook is.",
    )
    def test(self, request: Request, id: str) -> object:
        result, sent = services.test_webhook(id=id)
        status = None if result.answer is None else result.answer.status
        ok = status is not None and 200 <= status < 300
        text = "" if result.answer is None else result.answer.body[: SHOWN * 4].decode(errors="replace")[:SHOWN]
        return {
            "ok": ok,
            "status": status,
            "milliseconds": result.milliseconds,
            "answer": text.replace("\0", ""),
            "detail": result.error or ("" if ok else f"The answer was {status}; any of 200 to 299 is wanted."),
            "body": sent.body.decode() if isinstance(sent, Sent) else "",
        }

    @action(detail=True, methods=["post"])
    @endpoint(
        "Deliver events again",
        input=WebhookReplay,
        output=WebhookReplayOut,
        success="WebhookReplayed_200",
        errors=(*NOT_FOUND, *CHANGE_ERRORS),
        description="Those of the last 30 days that the webhook wants and that are not on their way;"
        f" {services.REPLAYED:,} are looked at in one request. They keep their webhook-id.",
    )
    def replay(self, request: Request, id: str, data: JsonObject) -> object:
        replayed = services.replay(id=id, begin=data["begin"], end=data.get("end"), kinds=data.get("kinds"))
        following = None if replayed.next is None else replayed.next.encode(feed.cursor_epoch())
        return {"replayedCount": replayed.count, "nextCursor": following}

    def _webhook_data(self, id: str) -> JsonObject:
        webhook = WebhookOut.one(Webhook.objects.filter(pk=id))
        if webhook is None:
            raise services.not_found()
        return webhook


class WebhookDeliveryViewSet(ResourceViewSet):
    module = "api"
    listing = Listing("List deliveries of all webhooks", WebhookDelivery.objects.all, DELIVERY_FIELDS, DeliveryOut)

    @endpoint("Read a delivery", output=DeliveryDetail, errors=("WebhookDeliveryNotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        delivery = DeliveryDetail.one(WebhookDelivery.objects.filter(pk=id))
        if delivery is None:
            raise NamedError("WebhookDeliveryNotFound_404", "there is no such delivery in this company", field="id")
        return delivery

    @action(detail=True, methods=["post"])
    @endpoint(
        "Deliver once more",
        output=DeliveryDetail,
        success="WebhookRedelivered_200",
        errors=("WebhookDeliveryNotFound_404", "InvalidRequest_400"),
        description="At once, whether it was delivered or not, with the same webhook-id. It counts as no attempt.",
    )
    def redeliver(self, request: Request, id: str) -> object:
        return self.retrieve.__wrapped__(self, request, services.redeliver(id=id).pk)  # type: ignore[attr-defined]
