"""What can be chosen: the kinds of settings, read from and written to the link, and those of every page."""
