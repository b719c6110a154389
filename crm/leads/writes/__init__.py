"""Writes of leads: new ones, changes, who gets them, and what repeats."""
