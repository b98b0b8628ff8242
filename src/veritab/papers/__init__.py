"""The papers' own systems, for comparison only: their retrievers, their baselines and the tables they printed.

Nothing of the product imports this room.
"""
