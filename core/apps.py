from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_delete, post_migrate, post_save


class CoreConfig(AppConfig):
    name = "core"
    verbose_name = "System"

    def ready(self) -> None:
        from core import checks, events, jobs  # noqa: F401  (they register checks and work)
        from core.messages.services import forget, seed
        from core.models import ResponseMessage
        from core.registrations import load
        from core.tenancy.row_security import apply_row_security

        load(self)
        post_migrate.connect(apply_row_security, dispatch_uid="core.row_security")
        post_migrate.connect(seed, dispatch_uid="core.messages.seed")
        for changed in (post_save, post_delete):
            changed.connect(lambda **_: forget(), sender=ResponseMessage, weak=False, dispatch_uid="core.messages")
