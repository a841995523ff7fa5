"""Positions: the sinusoidal code, and what it gives away about order."""
