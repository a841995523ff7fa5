"""What several chapters show or need."""
