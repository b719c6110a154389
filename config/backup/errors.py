"""Errors of a backup that cannot be created, checked or restored, with text for people."""


class BackupError(Exception):
    """The text says what is wrong and what to do."""
