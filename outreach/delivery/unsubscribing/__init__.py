"""The link by which recipients leave, and come back, and the page behind it."""
