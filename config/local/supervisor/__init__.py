"""`make run`: embedded servers, migrations, the demo company, then web, workers and beat in the foreground."""
