"""Models that others have written with `torch.nn`, seen under the names of our own recording."""
