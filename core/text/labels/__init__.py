"""Names of things that people read: modules, features, lists, columns, days and counts."""
