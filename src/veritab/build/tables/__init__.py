"""Claims over tables: of questions and answers about them, and of the tables of a corpus."""
