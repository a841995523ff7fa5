"""Models with one thing wrong, to be found by a reader with the app's own instruments."""
