from accounts.api_keys.models import ApiKey
from accounts.auth.models import RefreshToken, SecondFactor
from accounts.companies.models import Company
from accounts.login_log.models import LoginLog
from accounts.mails.models import Mail
from accounts.members.models import InviteLog, Member
from accounts.notifications.models import Notification
from accounts.programs.models import PartnerProgram, ReferProgram, Referral, Reward, RewardTransition
from accounts.request_log.models import ServerLog
from accounts.roles.models import Role
from accounts.settings.models import CompanySettings
from accounts.staff_visits.models import StaffVisit, StaffVisitPage
from accounts.users.models import User

__all__ = [
    "ApiKey",
    "Company",
    "CompanySettings",
    "InviteLog",
    "LoginLog",
    "Mail",
    "Member",
    "Notification",
    "PartnerProgram",
    "ReferProgram",
    "Referral",
    "RefreshToken",
    "Reward",
    "RewardTransition",
    "Role",
    "SecondFactor",
    "ServerLog",
    "StaffVisit",
    "StaffVisitPage",
    "User",
]
