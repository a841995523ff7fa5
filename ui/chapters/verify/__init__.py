"""Every claim about the code and the model at hand, measured."""
