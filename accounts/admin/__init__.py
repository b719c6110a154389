"""Back office pages of accounts, a file for each group of records."""

from accounts.admin import access, companies, company_panels, logs, mails, members, programs, settings, user_panels, users, visits

__all__ = ["access", "companies", "company_panels", "logs", "mails", "members", "programs", "settings", "user_panels", "users", "visits"]
