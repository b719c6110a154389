from accounts.models.access import ApiKey, RefreshToken
from accounts.models.company import Company, CompanySettings
from accounts.models.logs import LoginLog, ServerLog
from accounts.models.mail import Mail
from accounts.models.members import InviteLog, Member, Role
from accounts.models.programs import PartnerProgram, ReferProgram, Referral, Reward, RewardTransition
from accounts.models.user import User
from accounts.models.visits import StaffVisit, StaffVisitPage

__all__ = [
    "ApiKey",
    "Company",
    "CompanySettings",
    "InviteLog",
    "LoginLog",
    "Mail",
    "Member",
    "PartnerProgram",
    "ReferProgram",
    "Referral",
    "RefreshToken",
    "Reward",
    "RewardTransition",
    "Role",
    "ServerLog",
    "StaffVisit",
    "StaffVisitPage",
    "User",
]
