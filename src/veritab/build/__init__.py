"""Claims made by rule: of sentences, of tables and of other claims, with what they are and why."""
