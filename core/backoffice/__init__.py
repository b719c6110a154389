"""What the back office pages of all apps share: the site, the base ModelAdmin, panels, progress bars."""
