"""Passwords, log-ins of members and staff, and the lifetimes of tokens and links."""

from __future__ import annotations

from datetime import timedelta

from config.env import env, read_choice
from config.settings.base import BASE_URL

AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("email", "name")},
    },
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
EVEN_ANSWERS = True
"""Responses that must not reveal accounts take the same time in each case (accounts.auth.timing)."""
ACCESS_TOKEN_LIFETIME = timedelta(hours=1)
REFRESH_TOKEN_LIFETIME = timedelta(days=30)
VERIFY_LINK_LIFETIME = timedelta(days=3)
RESET_LINK_LIFETIME = timedelta(hours=1)
INVITE_LIFETIME = timedelta(days=7)
REGISTER_URL = env("REGISTER_URL", default=f"{BASE_URL}/register")
"""The page where people register. Links of partner and referral programs lead there with referralCode=..."""
STAFF_SECOND_FACTOR = read_choice("STAFF_SECOND_FACTOR", ("off", "optional", "required"), default="optional")
"""Second factor in the back office: off; optional, for staff who have set one up; required, for everybody."""
