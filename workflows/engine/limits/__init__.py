"""How many runs begin, and when: rates, quotas, windows and places."""
