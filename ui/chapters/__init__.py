"""What the chapters are made of: a folder each, with its settings and a file per section."""
