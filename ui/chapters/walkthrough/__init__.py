"""Walkthrough: the whole forward pass, stop by stop."""
