"""Draw, then run: what a reader draws is held to the model's own numbers."""
