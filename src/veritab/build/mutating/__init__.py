"""Claims made of claims: what they say is changed by rule, and the label follows where it can."""
