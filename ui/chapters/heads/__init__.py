"""Heads: all of them side by side, and how they become one vector again."""
