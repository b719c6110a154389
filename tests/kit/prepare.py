"""Make the schema of the test database ahead, where `make check` has a processor to spare: otherwise the suite's first
process makes it while the others wait."""

from __future__ import annotations

import django

if __name__ == "__main__":
    django.setup()
    from tests.kit.database import own_database

    with own_database("ahead"):
        pass
