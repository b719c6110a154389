"""Billing details, and the rates of tax of countries."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from stdnum import get_cc_module

from accounts.models import Company
from accounts.places.data import find_country
from billing.taxes.models import BillingDetails, TaxRate
from billing.taxes.vies import note_change
from core.errors import NamedError, renamed_fields
from core.tenancy import company_id
from core.types import JsonObject


def billing_details() -> BillingDetails:
    """Return the active company's billing details, or unsaved ones from the company's own data."""
    details: BillingDetails | None = BillingDetails.objects.first()
    if details is not None:
        return details
    company = Company.objects.get(pk=company_id())
    return BillingDetails(company_id=company.pk, name=company.name, email=company.email or "")


@transaction.atomic
def change_billing_details(values: JsonObject) -> BillingDetails:
    """Save the given ones of the billing details. Raises CountryNotFound_400, and InvalidInput_400 for a VAT id."""
    details = billing_details()
    before = (details.vat_id, details.country)
    for name, value in values.items():
        setattr(details, name, value.strip())
    if details.country:
        with renamed_fields({"country": "billingDetails.country"}):
            details.country = find_country(details.country).iso2
    if details.vat_id:
        # The form and the check digits of a VAT id differ by country, so that it means nothing without one.
        if not details.country:
            raise NamedError("InvalidInput_400", "choose the country of the VAT number", field="billingDetails.country")
        details.vat_id = checked_vat_id(details.vat_id, details.country)
    names = ["name", "address", "country", "vat_id", "email"]
    # Old evidence must not stand next to a new id.
    if before != (details.vat_id, details.country):
        note_change(details)
        names += ["vat_look_at", "vat_evidence"]
    row, _ = BillingDetails.objects.update_or_create(
        company_id=details.company_id, defaults={name: getattr(details, name) for name in names}
    )
    saved: BillingDetails = row
    return saved


def checked_vat_id(text: str, country: str) -> str:
    """Return a VAT id without blanks. Its check digits are verified where the country is given and has any."""
    plain = "".join(text.split()).upper()
    module = get_cc_module(country.lower(), "vat") if country else None
    if module is None:
        return plain
    # Some people write the country before the number, and some do not.
    bare = plain.removeprefix(country)
    if not (module.is_valid(plain) or module.is_valid(bare)):
        raise NamedError(
            "InvalidInput_400", "check the VAT number: it does not fit the country", field="billingDetails.vatId"
        )
    return plain


def tax_rate(country: str) -> TaxRate | None:
    """Return today's rate for buyers of a country."""
    today = timezone.now().date()
    # Rates change on a day, and an order counts the rate of its own day, also for a period that begins later.
    open_end = Q(valid_until__isnull=True) | Q(valid_until__gte=today)
    return TaxRate.objects.filter(open_end, country=country, valid_from__lte=today).order_by("-valid_from").first()
