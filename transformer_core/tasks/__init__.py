"""What a model can learn here: each task with its vocabularies, random pairs, held-out pairs and alignment."""
