"""The work of each domain of the CRM."""
