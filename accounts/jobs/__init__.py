"""The work of each domain of accounts."""
