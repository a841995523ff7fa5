"""Training: a run, live."""
