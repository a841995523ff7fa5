"""A figure on the page: its picture, its caption, its large view."""
