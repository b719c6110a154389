from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from core.fields import CompanyForeignKey
from core.models import CompanyModel
from core.search import SearchColumn
from core.text.translation import gettext_lazy as _
from crm.records.models import CustomValues, FieldValue, sorted_texts


class ProductService(CompanyModel):
    """A product or service that a company sells."""

    class Kind(models.TextChoices):
        PRODUCT = "product"
        SERVICE = "service"

    name = models.CharField(max_length=300)
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.PRODUCT)
    description = models.TextField(blank=True)
    category = models.CharField(max_length=200, blank=True)
    sku = models.CharField(max_length=100, blank=True, help_text="The company's own article number.")
    price = models.DecimalField(max_digits=18, decimal_places=4, null=True, blank=True)
    currency = models.CharField(max_length=3, blank=True, help_text="ISO 4217 code; empty: the company's.")
    unit = models.CharField(max_length=40, blank=True, help_text="What the price is for, such as hour or piece.")
    is_active = models.BooleanField(default=True)
    custom = CustomValues(default=dict, blank=True)
    is_deleted = models.BooleanField(default=False, editable=False)
    deleted_at = models.DateTimeField(null=True, editable=False)
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    updated_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    search = SearchColumn()

    class Meta(CompanyModel.Meta):
        verbose_name = _("product or service")
        verbose_name_plural = _("products and services")
        constraints = [
            models.UniqueConstraint(
                "company", Lower("name"), condition=Q(is_deleted=False), name="productservice_name_unique"
            )
        ]
        indexes = [
            models.Index(
                fields=("company", "created_at", "name", "id"),
                condition=Q(is_deleted=False),
                name="productservice_newest",
            )
        ]


class ProductServiceValue(FieldValue):
    """The values of products and services."""

    pk = models.CompositePrimaryKey("product_service_id", "field_id", "position")
    product_service = CompanyForeignKey(
        "crm.ProductService", on_delete=models.CASCADE, related_name="values", db_index=False
    )

    class Meta(FieldValue.Meta):
        indexes = [
            sorted_texts("product_service", "productvalue"),
            models.Index(
                fields=("field", "text", "product_service"), condition=Q(text__isnull=False), name="productvalue_text"
            ),
            models.Index(
                fields=("field", "number", "product_service"),
                condition=Q(number__isnull=False),
                name="productvalue_number",
            ),
            models.Index(
                fields=("field", "time", "product_service"), condition=Q(time__isnull=False), name="productvalue_time"
            ),
        ]
