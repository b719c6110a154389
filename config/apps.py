from django.apps import AppConfig
from django.conf import settings


class WiringConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        # Makes the configured Celery app the current one in every process; the checks register themselves.
        from config import celery, checks  # noqa: F401
        from config.staff_visits.visitors import Visitors
        from core.web.readers import set_source, source

        set_source(Visitors(source()))
        if settings.DEMO:
            from config.local import mail_catcher
            from outreach.connections.senders.test_server import set_test_server

            set_test_server(lambda: mail_catcher.address(settings.LEADWRIGHT_DATA))
