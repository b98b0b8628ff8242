"""What a claim means over a table: its words, their links to cells, the programs that fit, and which is likeliest."""
