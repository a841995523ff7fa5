"""What is measured on the model and its parts, and what it is compared with."""
