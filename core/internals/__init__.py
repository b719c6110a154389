"""Private parts of libraries that the product uses, a module for each library. Nothing else may name them.

Each module says which version was read; tests/guards/test_private_parts.py asks to read again after an upgrade.
Libraries whose private parts only one module needs are named in that module's docstring instead.
"""
