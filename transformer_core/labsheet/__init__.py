"""A lab sheet: a reader's answers in one HTML file, as a page and as data that can be worked out again."""
