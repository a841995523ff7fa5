"""Why attention: beside recurrence and convolution."""
