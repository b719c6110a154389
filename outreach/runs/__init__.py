"""Outreach runs: genie and campaigns."""
