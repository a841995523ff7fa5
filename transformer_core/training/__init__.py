"""A training run: its settings, steps, history and file, and the command."""
