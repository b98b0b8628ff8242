"""What a claim says about quantities is computed over the cells of tables."""
