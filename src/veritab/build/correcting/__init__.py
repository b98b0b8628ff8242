"""Corrections of refuted claims: the smallest edit that the evidence supports, or none rather than a guess."""
