"""Texts of pages: problems and their cures, filters, kinds of events, and the texts of scripts."""
