"""Loss: smoothed targets, divergence, the learning rate."""
