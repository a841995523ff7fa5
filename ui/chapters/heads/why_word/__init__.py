"""Why the model writes this word and not that one, part by part."""
