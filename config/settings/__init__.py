"""Settings, a module for each concern. The environment sets what differs between deployments (docs/settings.md)."""

import gc

from config.settings.accounts import *
from config.settings.api import *
from config.settings.backoffice import *
from config.settings.base import *
from config.settings.billing import *
from config.settings.connections import *
from config.settings.database import *
from config.settings.logging import *
from config.settings.mail import *
from config.settings.security import *
from config.settings.storage import *
from config.settings.work import *

# Nothing that is loaded becomes garbage, and looking for some takes a quarter of the loading time. The collector is on
# again when all apps are ready (config.apps).
gc.disable()
