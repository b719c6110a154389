"""Writes of leads: new ones, changes, and who gets them."""
