"""Endpoints of API keys (contract 4.2)."""

from __future__ import annotations

from rest_framework.request import Request

from accounts.api_keys.filters import API_KEY_FIELDS
from accounts.api_keys.models import ApiKey
from accounts.api_keys.serializers import ApiKeyCreate, ApiKeyDelete, ApiKeyFull, ApiKeyOut
from accounts.api_keys.services import create_key, delete_keys
from core.access.callers import address_of
from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError
from core.types import JsonObject


class ApiKeyViewSet(ResourceViewSet):
    module = "api"
    listing = Listing(
        "List API keys",
        ApiKey.objects.all,
        API_KEY_FIELDS,
        ApiKeyOut,
        description="The keys themselves are left out; maskedKey shows their end.",
    )

    @endpoint(
        "Create an API key",
        input=ApiKeyCreate,
        output=ApiKeyFull,
        success="ApiKeyCreated_201",
        errors=("DurationRequired_400",),
        quota_module="api",
        description="A temporary key works for durationMinutes, a restricted one from the addresses in allowedIps,"
        " unless the operator has switched STRICT_KEYS off.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        key = create_key(member_id=self.actor.member_id, made_from=address_of(request), **data)
        return ApiKeyFull.one(ApiKey.objects.filter(pk=key.pk))

    @endpoint(
        "Delete API keys", input=ApiKeyDelete, output=Deleted, success="ApiKeysDeleted_200", errors=("ApiNotFound_400",)
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": delete_keys(ids=data["ids"])}

    @endpoint(
        "Read an API key in full",
        output=ApiKeyFull,
        errors=("ApiNotFound_400",),
        description="Who is no owner gets their own keys in full, and null in place of the others.",
    )
    def retrieve(self, request: Request, id: str) -> object:
        api_key = ApiKeyFull.one(ApiKey.objects.filter(pk=id))
        if api_key is None:
            raise NamedError("ApiNotFound_400", "there is no such key in this company", field="id")
        if not (self.actor.is_owner or api_key["createdBy"]["_id"] == self.actor.member_id):
            api_key["key"] = None
        return api_key
