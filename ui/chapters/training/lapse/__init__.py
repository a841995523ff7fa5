"""A run as a time-lapse: all that it has recorded on one canvas, with a slider that the client follows by itself."""
