"""The claim game: write a claim that fools people, spot the false one of two before time runs out."""
