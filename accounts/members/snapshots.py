"""The former place of nested references and of Deleted."""

from accounts.snapshots.serializers import CompanySnapshot, MemberSnapshot, RoleSnapshot, UserSnapshot
from core.api.output import Deleted

__all__ = ["CompanySnapshot", "Deleted", "MemberSnapshot", "RoleSnapshot", "UserSnapshot"]
