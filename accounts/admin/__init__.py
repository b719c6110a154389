"""Back office pages of accounts, a file for each group of records."""

from accounts.admin import access, companies, members, users

__all__ = ["access", "companies", "members", "users"]
