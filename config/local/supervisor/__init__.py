"""`make run`: the embedded servers, migrations, the demo company, then web, workers and beat in the foreground with one log."""
