"""What a reader types: read, or refused in words."""
