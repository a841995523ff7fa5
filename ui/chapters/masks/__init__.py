"""Masks: who may look at whom."""
