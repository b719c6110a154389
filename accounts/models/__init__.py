from accounts.models.access import ApiKey, RefreshToken
from accounts.models.company import Company, Member, Role
from accounts.models.user import User

__all__ = ["ApiKey", "Company", "Member", "RefreshToken", "Role", "User"]
