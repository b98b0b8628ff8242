"""How good rankings and answers are."""
