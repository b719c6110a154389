"""What of the back office must know every route: the pages of staff visits."""
