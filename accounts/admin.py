"""Back office pages of accounts; each domain has its own. Panels appear on a page in the order of these imports."""

# isort: off
from accounts.users import admin as users
from accounts.auth import admin as auth
from accounts.companies import admin as companies
from accounts.roles import admin as roles
from accounts.members import admin as members
from accounts.settings import admin as settings
from accounts.api_keys import admin as api_keys
from accounts.request_log import admin as request_log
from accounts.login_log import admin as login_log
from accounts.members import invite_admin as invites
from accounts.staff_visits import admin as staff_visits
from accounts.mails import admin as mails
from accounts.notifications import admin as notifications
from accounts.programs import admin as programs

__all__ = [
    "api_keys",
    "auth",
    "companies",
    "invites",
    "login_log",
    "mails",
    "members",
    "notifications",
    "programs",
    "request_log",
    "roles",
    "settings",
    "staff_visits",
    "users",
]
