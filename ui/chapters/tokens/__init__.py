"""Tokens: ids, padding, embeddings."""
