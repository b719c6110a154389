"""Products and services as a record type, to be registered when the app is ready."""

from __future__ import annotations

from crm.api.product_fields import PRODUCT_FIELDS
from crm.api.product_serializers import ProductOut
from crm.services.product_kind import PRODUCT_SERVICE
from crm.services.product_schema import ProductSchema
from crm.services.products import prepare_change
from crm.services.record_types import RecordType

PRODUCT_TYPE = RecordType(kind=PRODUCT_SERVICE, schema=ProductSchema, fields=PRODUCT_FIELDS, output=ProductOut, prepare=prepare_change)
