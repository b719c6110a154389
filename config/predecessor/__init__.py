"""The data of the service that this one replaces, read from MongoDB's exports (docs/predecessor.md)."""
