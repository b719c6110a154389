"""Back office pages of accounts; each domain has its own."""

from accounts.api_keys import admin as api_keys
from accounts.auth import admin as auth
from accounts.auth import admin_panels as auth_panels
from accounts.auth import token_admin
from accounts.companies import admin as companies
from accounts.companies import admin_panels as company_panels
from accounts.mails import admin as mails
from accounts.members import admin as members
from accounts.programs import admin as programs
from accounts.request_log import admin as request_log
from accounts.settings import admin as settings
from accounts.staff_visits import admin as staff_visits

__all__ = [
    "api_keys",
    "auth",
    "auth_panels",
    "companies",
    "company_panels",
    "mails",
    "members",
    "programs",
    "request_log",
    "settings",
    "staff_visits",
    "token_admin",
]
