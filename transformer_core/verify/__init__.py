"""Checks of what stands above, each with a measured error and a tolerance; the tests and the page call the same."""
