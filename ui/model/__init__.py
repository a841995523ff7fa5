"""The model at hand: which it is, and what it computes."""
