"""For teachers: ready lessons."""
