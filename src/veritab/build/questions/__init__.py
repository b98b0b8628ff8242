"""A question and its answer become a claim: the readings are listed by rule, then ranked."""
