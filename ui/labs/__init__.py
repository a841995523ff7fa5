"""Sections of chapters that would make a page too long: one idea per file."""
