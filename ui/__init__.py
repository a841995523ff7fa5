"""What the chapters share: colours, words, settings, figures and the frame around them."""
