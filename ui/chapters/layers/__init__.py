"""Layers: residual sums, normalisation, feed-forward networks, dropout."""
