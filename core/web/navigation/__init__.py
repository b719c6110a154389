"""Navigation: places of the side bar, their tabs, the list of settings, the command palette and recent records."""
