"""Symptoms of people's own models, made here: each symptom has three causes, and each cause a line that tells it."""
