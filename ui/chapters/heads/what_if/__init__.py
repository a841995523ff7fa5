"""What if a part of the model did something else: one change, before and after side by side."""
