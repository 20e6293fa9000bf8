"""Making runs: one process per run, finished runs on disk, progress on the screen."""
