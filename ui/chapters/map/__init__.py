"""The map: the paper's figure 1, and what the model at hand is made of."""
