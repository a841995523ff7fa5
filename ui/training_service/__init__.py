"""What all readers share: the workers that train, their runs and memory, and who is next."""
