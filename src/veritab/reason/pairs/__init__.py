"""Claims that set two values against each other, wherever these stand: in tables, lists or sentences."""
