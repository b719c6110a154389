"""The ways by which messages go: one of each connected app that sends."""

from __future__ import annotations

from django.db import models


class Channels(models.TextChoices):
    SMTP = "smtp"
    MAILVENDOR_A = "mailvendor-a"
    MAILVENDOR_B = "mailvendor-b"
    MAILVENDOR_C = "mailvendor-c"
    MAILVENDOR_D = "mailvendor-d"
    MAILVENDOR_E = "mailvendor-e"
    MAILVENDOR_F = "mailvendor-f"
    MAILVENDOR_G = "mailvendor-g"
    MAILVENDOR_H = "mailvendor-h"
    CHATAPP = "chatapp"
    MESSENGER = "messenger"
    SOCIAL_B = "social-b"
