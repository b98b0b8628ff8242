"""Claims that training examples are made of: of the introductions of pages, and of the rows of tables."""
