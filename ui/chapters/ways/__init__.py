"""Ways to decode: drawing the next token, and searching with a beam."""
