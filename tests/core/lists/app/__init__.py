"""Tables for the list engine's own tests, so that it stands without any app of the product."""
