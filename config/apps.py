from django.apps import AppConfig


class WiringConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        # The configured Celery app becomes the current one in every process, the web's too; the checks register themselves.
        from config import celery, checks  # noqa: F401
