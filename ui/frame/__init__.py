"""What stands around every chapter: title, menu, language, the model at hand, the way on."""
