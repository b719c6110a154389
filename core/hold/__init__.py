"""The hold: as long as its row is there, the service does nothing that reaches others (docs/operations.md).

A restored copy begins held, since the service that it was copied from may live on, or has sent what the copy still
takes for due. Workers do only the work that says `while_held` (core.jobs.tasks), and requests open no connection to
hosts of others (core.outbound), but to the buckets that files are in.
"""
