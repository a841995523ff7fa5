"""A class: its rooms and votes, who is in one, and what teacher and students see of it."""
