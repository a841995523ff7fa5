"""What can be chosen: one frozen settings class per chapter, read from and written to the link."""
