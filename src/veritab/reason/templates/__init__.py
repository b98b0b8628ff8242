"""Templates: each module generates the candidate programs of one family from a grounding of the claim's phrases."""
