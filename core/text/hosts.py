"""Names and addresses of servers."""

from __future__ import annotations

import re
from ipaddress import ip_address

# Labels may be of any script, and hold underscores, as names of containers do.
NAME = re.compile(r"(?=.{1,253}\.?\Z)(?!-)[\w-]{1,63}(?<!-)(\.(?!-)[\w-]{1,63}(?<!-))*\.?")


def is_host(text: str) -> bool:
    """Return whether the text is the name or the IP address of a server, and nothing else."""
    try:
        ip_address(text)
    except ValueError:
        # A name that ends in digits is an address with a mistake, such as 10.0.0.300.
        return NAME.fullmatch(text) is not None and not text.rstrip(".").rpartition(".")[2].isdecimal()
    return True
