"""The forms a claim may have: each module makes the programs of one family from a reading of the claim's phrases."""
