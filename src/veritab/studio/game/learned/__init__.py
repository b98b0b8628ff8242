"""What a game teaches: how hard its claims are, how good its players, what hints do, and how the checker compares.

Each matter has a module of pure functions over plain rows; `reading` takes the rows out of the database.
"""
