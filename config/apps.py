import gc

from django.apps import AppConfig
from django.conf import settings
from django.utils.module_loading import import_string


class WiringConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        # Makes the configured Celery app the current one in every process; the checks register themselves.
        from config import celery, checks  # noqa: F401
        from config.backoffice import places  # noqa: F401
        from config.staff_visits.visitors import Visitors
        from core.web.readers import reader_source, set_source

        set_source(Visitors(reader_source()))
        if settings.TEST_MAIL_SERVER:
            from core.samples import set_test_server

            set_test_server(import_string(settings.TEST_MAIL_SERVER))
        gc.enable()  # config.settings has disabled it while the apps load
