"""What people read when a backup cannot be made, checked or restored."""


class BackupError(Exception):
    """The text says what is wrong and what to do."""
