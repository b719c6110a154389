from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_delete, post_migrate, post_save


class CoreConfig(AppConfig):
    name = "core"
    verbose_name = "Kernel"

    def ready(self) -> None:
        from core import checks, events, periodic  # noqa: F401  (register the system checks and the kernel's own work)
        from core.db.walls import build_walls
        from core.messages.services import forget, seed
        from core.models import ResponseMessage

        post_migrate.connect(build_walls, dispatch_uid="core.walls")
        post_migrate.connect(seed, dispatch_uid="core.messages.seed")
        for changed in (post_save, post_delete):
            changed.connect(lambda **_: forget(), sender=ResponseMessage, weak=False, dispatch_uid="core.messages")
