"""The work of each domain of billing."""
