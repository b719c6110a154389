"""Actors and their authentication paths (contract section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from django.conf import settings

from core.tenancy import OwnRecords
from core.types import Values

if TYPE_CHECKING:
    from core.access.entitlements import Entitlement

OWNERS_ONLY = frozenset({"api", "member", "role"})
"""Modules that only keys of owners open: a key that changes members or roles, or reads keys, could give its maker more
rights than they have."""


EXPIRED = "the temporary key has expired; create a new one"
"""Error detail for a temporary key whose duration is over."""


class AuthPath(StrEnum):
    """The authentication path of a request."""

    KEY = "key"
    SESSION = "session"
    PRIVATE = "private"
    PUBLIC = "public"


def permission_of(method: str) -> str:
    """Return the permission that an HTTP method needs. Roles know four of them: PATCH counts as PUT, HEAD as GET."""
    return {"PATCH": "PUT", "HEAD": "GET"}.get(method, method)


def own_modules(record_scope: Values) -> frozenset[str]:
    """Return the modules that a role's stored scope limits to own records. An unknown value limits too."""
    return frozenset(module for module, scope in record_scope.items() if scope != "all")


@dataclass(frozen=True)
class Actor:
    """The member of a company on whose behalf a request runs; on the private path, a user without a company."""

    auth_path: AuthPath
    user_id: str
    company_id: str = ""
    member_id: str = ""
    is_owner: bool = False
    is_accepted: bool = False
    visiting: bool = False
    """The actor is one of the service's staff, who may read the company's records and change nothing."""
    permissions: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    own_modules: frozenset[str] = frozenset()
    """The modules (contact, lead) of whose records the actor meets their own alone."""
    session_id: str = ""
    """The session, on the private path."""
    key_id: str = ""
    """The id of the API key, on the key path."""
    expired: bool = False
    """On the key path, whether the duration of a temporary key is over. Where keys do not expire otherwise, some views
    refuse it all the same (ApiView.enforce_key_expiry)."""
    entitlement: Entitlement | None = None
    """On the key path, the company's entitlement as read with the key; None without an open subscription."""

    @property
    def is_unbounded(self) -> bool:
        """Return whether no role limits the actor: an owner, or an API key unless keys are strict (contract section 5).

        It does not cover members, roles and keys; `may` does.
        """
        return self.is_owner or (self.auth_path is AuthPath.KEY and not settings.STRICT_KEYS)

    @property
    def own_records(self) -> OwnRecords | None:
        """The own records that the role limits the actor to; None for whom no role limits, and for staff."""
        if not self.own_modules or self.is_unbounded or self.visiting:
            return None
        return OwnRecords(self.member_id, self.own_modules)

    def may(self, module: str, method: str) -> bool:
        """Return whether the actor may use the method on the module. PATCH counts as PUT."""
        flag = permission_of(method)
        if self.visiting:
            return flag == "GET"
        if self.auth_path is AuthPath.KEY and module in OWNERS_ONLY:
            return self.is_owner
        return self.is_unbounded or bool(self.permissions.get(module, {}).get(flag))

    def may_on_all(self, module: str, method: str) -> bool:
        """Return whether the actor may use the method, and is not limited to own records.

        For what acts on its own later, on records that others own by then.
        """
        return self.own_records is None and self.may(module, method)
