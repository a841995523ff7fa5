"""A lab sheet: what a reader has answered, in a file that says it twice, to be read and to be worked out again."""
