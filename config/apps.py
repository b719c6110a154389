from django.apps import AppConfig


class WiringConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        # Makes the configured Celery app the current one in every process; the checks register themselves.
        from config import celery, checks  # noqa: F401
