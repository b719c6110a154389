"""Backups: a folder with a dump of the database, the files of the data folder and the secrets, and what they are.

A backup is one of a moment: the dump's snapshot. Files come after it, and none is removed meanwhile (core.removals), so
that each row of the dump finds its content; files that came later do no harm. `manifest.json` is written last, with the
checksums of the parts, and the folder gets its name with it: a backup that was cut off is never taken for a whole one.
"""
