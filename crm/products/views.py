"""Endpoints of products and services (contract 4.4)."""

from __future__ import annotations

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.types import JsonObject
from crm.bulk_jobs.serializers import bulk_response, undoable_response
from crm.products.filters import PRODUCT_FIELDS
from crm.products.kind import PRODUCT_SERVICE
from crm.products.selectors import live_products
from crm.products.serializers import ProductBulkUpdate, ProductCreate, ProductDelete, ProductOut, ProductUpdate
from crm.products.services import create_product, delete_products, update_product, update_products
from crm.records.serializers import BulkDeleted, BulkUpdated, drops_invalid
from crm.records.views import VALUE_ERRORS, RecordViewSet

CHANGE_ERRORS = ("ProductServiceDataRequired_400", "ProductServiceNameAlreadyExists_400", *VALUE_ERRORS)


class ProductViewSet(RecordViewSet):
    module = "product-service"
    kind = PRODUCT_SERVICE
    listing = Listing(
        "List products and services",
        live_products,
        PRODUCT_FIELDS,
        ProductOut,
        description="Custom fields are filtered, searched and sorted by under their uniqueFieldID or _id.",
    )

    @endpoint(
        "Create a product or service",
        input=ProductCreate,
        output=ProductOut,
        quota_module="product-service",
        success="ProductServiceCreated_201",
        errors=(*CHANGE_ERRORS, "ProductServiceNotFound_404", "PlanLimitExceeded_403"),
        description="name is required, and unique in the company whatever its case. Values that dropInvalidValues left"
        " out are named in `warning`. Emits product-service.created.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        saved = create_product(
            actor_id=self.actor.member_id,
            form_data=data["form_data"],
            drop_invalid=drops_invalid(data, one=True),
            automation=data["automation"] != "skip",
        )
        return self.created(saved, lost="ProductServiceNotFound_404", noun="it")

    @endpoint(
        "Update many products and services",
        input=ProductBulkUpdate,
        output=BulkUpdated,
        undoable=True,
        bulk=True,
        success="ProductServicesUpdated_200",
        errors=("CannotUpdateUniqueKey_400", "InvalidPayload_400", "ProductServiceNotFound_400", *VALUE_ERRORS),
        description="Applies one change set to the selected ones, all or none; names are changed one at a time. Emits"
        " product-service.updated for each that is different then.",
    )
    def bulk_update(self, request: Request, data: JsonObject) -> object:
        outcome = update_products(
            actor_id=self.actor.member_id,
            selection=self.selection(),
            form_data=data["form_data"],
            update_type=data["update_type"],
            automation=data["automation"] != "skip",
        )
        return bulk_response(self, outcome, {"matchedCount": outcome.matched, "updatedCount": outcome.changed})

    @endpoint(
        "Delete products and services",
        input=ProductDelete,
        output=BulkDeleted,
        undoable=True,
        bulk=True,
        success="ProductServicesDeleted_200",
        errors=("ProductServiceNotFound_400",),
        description="They are flagged isDeleted and no longer found; leads that are about them keep them. Emits"
        " product-service.deleted for each.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        outcome = delete_products(
            actor_id=self.actor.member_id, selection=self.selection(), automation=data["automation"] != "skip"
        )
        return bulk_response(self, outcome, {"deletedCount": outcome.matched})

    @endpoint("Read a product or service", output=ProductOut, errors=("ProductServiceNotFound_400",))
    def retrieve(self, request: Request, id: str) -> object:
        return self.read(id)

    @endpoint(
        "Update a product or service",
        input=ProductUpdate,
        output=ProductOut,
        success="ProductServiceUpdated_200",
        undoable=True,
        errors=("ProductServiceNotFound_400", *CHANGE_ERRORS),
        description="What is not given stays; null or empty text empties a value. Emits product-service.updated, with"
        " what changed in its payload.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        job = update_product(
            id=id, actor_id=self.actor.member_id, form_data=data["form_data"], automation=data["automation"] != "skip"
        )
        return undoable_response(self, self.read(id), job)
