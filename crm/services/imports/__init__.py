"""Imports: the rows of a stored file become contacts, batch by batch (worker), as people steer them (control)."""
