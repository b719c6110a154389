"""The work of each domain of outreach."""
