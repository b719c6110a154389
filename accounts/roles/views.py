"""Endpoints of roles (contract 4.12)."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from accounts.roles.filters import ROLE_FIELDS
from accounts.roles.models import Role
from accounts.roles.serializers import RoleCreate, RoleOut, RoleUpdate
from accounts.roles.services import SavedRole, create_role, delete_roles, update_role
from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.selection import SelectionInput
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError, shorten
from core.types import JsonObject

NO_MORE_THAN_ONES_OWN = (
    "Who is no owner can neither permit what they may not do themselves nor change a role that permits more."
)

MOVES = "isDefault true moves the default here, and `warning` names the role that was it."


def _get_role(id: str) -> JsonObject:
    role = RoleOut.one(Role.objects.filter(pk=id))
    if role is None:
        raise NamedError("RoleNotFound_404", "there is no such role in this company", field="id")
    return role


class RoleViewSet(ResourceViewSet):
    module = "role"
    listing = Listing("List roles", Role.objects.all, ROLE_FIELDS, RoleOut)

    @endpoint(
        "Create a role",
        input=RoleCreate,
        output=RoleOut,
        success="RoleCreated_201",
        quota_module="role",
        errors=("RoleOrPermissionRequired_400", "RoleNameAlreadyExists_400"),
        description=f"Name and permission are needed. {MOVES} {NO_MORE_THAN_ONES_OWN}",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self._saved_response(create_role(actor=self.actor, values=data))

    @endpoint(
        "Delete roles",
        input=SelectionInput,
        output=Deleted,
        bulk=True,
        success="RolesDeleted_200",
        errors=("RoleNotFound_404", "BadRequest_400"),
        description="All of the selected ones or none: the default role and roles in use stay, and the answer names"
        " who holds them.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": delete_roles(actor=self.actor, selection=self.selection())}

    @endpoint("Read a role", output=RoleOut, errors=("RoleNotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        return _get_role(id)

    @endpoint(
        "Update a role",
        input=RoleUpdate,
        output=RoleOut,
        success="RoleUpdated_200",
        errors=("RoleNotFound_404", "RoleOrPermissionRequired_400", "RoleNameAlreadyExists_400", "BadRequest_400"),
        description="Changes what is given. A permission replaces the one before: flags that it leaves out are not"
        f" allowed. {MOVES} {NO_MORE_THAN_ONES_OWN} Nobody but an owner changes the permission and the recordScope of"
        " the role that they hold.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        return self._saved_response(update_role(actor=self.actor, id=id, values=data))

    def _saved_response(self, saved: SavedRole) -> Any:
        """Answer with the role, and a warning if it has become the default in place of another."""
        warning = f"isDefault: the default was {shorten(saved.former_default, 60)!r} and is this role now"
        return self.success(_get_role(saved.role.pk), **({"warning": warning} if saved.former_default else {}))
