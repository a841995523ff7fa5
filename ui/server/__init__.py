"""What all readers share: the worker that trains, its runs and memory, and each reader's seat."""
