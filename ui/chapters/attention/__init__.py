"""Attention: one head, stage by stage."""
