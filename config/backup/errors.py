"""Errors of a backup that cannot be created, checked or restored, with text for people."""


class BackupError(Exception):
    """An error of a backup. The text describes the error and its remedy."""
