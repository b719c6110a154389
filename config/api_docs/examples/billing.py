"""Examples of orders, payments and the subscription."""

from __future__ import annotations

from core.types import JsonObject

ORDER = {"planID": "PLAN_ID", "interval": "month", "seats": 3}
BODIES: JsonObject = {
    "POST subscription": ORDER,
    "POST subscription/preview": ORDER,
    "PUT subscription/{id}": {"billingDetails": {"name": "Example Ltd", "country": "GB"}},
    "DELETE subscription/{id}": {"when": "now"},
    "PUT subscription/billing-details": {"name": "Example Ltd", "address": "1 High Street\nLeeds", "country": "GB"},
    "POST subscription/payment-methods/setup": {"gateway": "gateway-a"},
    "POST subscription/seats": {"seats": 3},
    "POST subscription/seats/preview": {"seats": 3},
    "POST coupons": {"code": "SPRING", "planID": "PLAN_ID", "interval": "month"},
    "POST manual-payment": {**ORDER, "reference": "TRANSFER-4711"},
    "PUT manual-payment/{id}": {"reference": "TRANSFER-4712"},
    **{
        f"POST gateway-{letter}": {"manualPaymentID": "PAYMENT_ID", "subscriptionID": "SUBSCRIPTION_ID"}
        for letter in "bcde"
    },
    "POST gateway-a": {
        "manualPaymentID": "PAYMENT_ID",
        "subscriptionID": "SUBSCRIPTION_ID",
        "proof": "PROOF-OF-THE-GATEWAY",
    },
    **{f"POST gateway-{letter}/capture": {"paymentID": "PAYMENT_ID"} for letter in "abcde"},
}
