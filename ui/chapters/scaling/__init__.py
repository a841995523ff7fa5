"""Scaling: softmax, its slope, and the root under the scores."""
