"""Providers of links to video calls: each is a module and a line in `registry.py`, or registers itself from above."""
