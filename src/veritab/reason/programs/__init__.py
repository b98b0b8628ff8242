"""A small, total language over tables: programs, the machine that runs them, and their English."""
