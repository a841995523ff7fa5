"""What all readers share: the workers that train, their runs and memory, and each reader's seat."""
