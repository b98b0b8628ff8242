"""People make and check claims: the log of what they do, projects, tasks, quality. No HTTP here; needs an extra."""
