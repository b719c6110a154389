import gc

from django.apps import AppConfig


class WiringConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        # Makes the configured Celery app the current one in every process; the checks register themselves.
        from config import celery, checks  # noqa: F401
        from config.staff_visits.visitors import Visitors
        from core.web.readers import set_source, source

        set_source(Visitors(source()))
        gc.enable()  # config.settings has disabled it while the apps load
