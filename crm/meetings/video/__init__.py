"""Links of video calls, by providers: each is a file and a line in `registry.py`, or registers itself from above."""
