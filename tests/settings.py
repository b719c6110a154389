"""Settings of the test suite: the production settings on embedded servers of its own, with cheap password hashing.

The first process starts the servers; the workers of pytest-xdist find their addresses in the environment and make
databases of their own.
"""

import atexit
import os
from contextlib import ExitStack

from config.local.embedded import temporary_servers

if "LEADWRIGHT_TEST_SERVERS" not in os.environ:
    servers = ExitStack()
    os.environ.update(servers.enter_context(temporary_servers()).environment, LEADWRIGHT_TEST_SERVERS="1")
    atexit.register(servers.close)
os.environ["STATIC_ROOT"] = "/nowhere"
os.environ.setdefault("SECRET_KEY", "tests-only-secret-key-that-is-long-enough-for-hs256")
os.environ.setdefault("FIELD_ENCRYPTION_KEY", "cd5Fl2vZVkjkfT1nSmZgTVnEKLX7SgDuxmNeGMUlLpA=")

from config.settings import *  # noqa: E402, F403

INSTALLED_APPS = [*INSTALLED_APPS, "tests.core.lists.app"]  # noqa: F405
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ALLOWED_HOSTS = ["*"]
OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8", "::1/128"]
DNS_RESOLVERS = [("127.0.0.1", 9)]  # nobody answers there; tests/kit/dns_server.py does elsewhere
DEMO = True
EVEN_ANSWERS = False
SENDS_MAIL = True
