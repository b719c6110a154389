"""Backups: a folder with a dump of the database, the files of the data folder and the secrets, and a manifest.

A backup shows one point in time: the dump's snapshot. Files are copied after it, and none is removed during that time
(core.removals). Each row of the dump therefore has its content; later files do no harm.

`manifest.json` is written last, with the checksums of the parts, and the folder gets its name then. An interrupted
backup is therefore never mistaken for a complete one.
"""
