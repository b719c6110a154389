"""The parts that all back office pages share: the site, the base ModelAdmin, dialogs and panels."""
