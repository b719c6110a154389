"""Actors, and the entitlements and quotas of their companies (contract section 5)."""

from core.access.actor import OWNERS_ONLY, Actor, AuthPath, permission_of
from core.access.entitlements import (
    Entitlement,
    check_key,
    check_session,
    entitlement,
    entitlements_kept,
    set_entitlements,
)
from core.access.quota import (
    OWN_LIMIT,
    PLAN_LIMIT,
    USAGE,
    Usage,
    count_usage,
    is_limited,
    limit_errors,
    limited,
    quota_exceeded,
    refuse_over_quota,
    remaining_quota,
    reserve_quota,
    used_quota,
)

__all__ = [
    "OWNERS_ONLY",
    "OWN_LIMIT",
    "PLAN_LIMIT",
    "USAGE",
    "Actor",
    "AuthPath",
    "Entitlement",
    "Usage",
    "check_key",
    "check_session",
    "count_usage",
    "entitlement",
    "entitlements_kept",
    "is_limited",
    "limit_errors",
    "limited",
    "permission_of",
    "quota_exceeded",
    "refuse_over_quota",
    "remaining_quota",
    "reserve_quota",
    "set_entitlements",
    "used_quota",
]
