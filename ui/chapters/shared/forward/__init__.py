"""The forward pass, stop by stop: what is computed at each, its board and its formulas."""
