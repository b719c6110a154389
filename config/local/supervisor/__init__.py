"""`make run`: embedded servers, migrations, the demo company, then web and workers in the foreground."""
