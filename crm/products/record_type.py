"""The record type of products and services, which the app registers when it is ready."""

from __future__ import annotations

from crm.products.filters import PRODUCT_FIELDS
from crm.products.kind import PRODUCT_SERVICE
from crm.products.schema import ProductSchema
from crm.products.serializers import ProductOut
from crm.products.services import prepare_change
from crm.records.types import RecordType

PRODUCT_TYPE = RecordType(
    kind=PRODUCT_SERVICE, schema=ProductSchema, fields=PRODUCT_FIELDS, output=ProductOut, prepare=prepare_change
)
