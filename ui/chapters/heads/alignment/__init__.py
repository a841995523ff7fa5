"""Where cross-attention looks, beside the words that each word was made of."""
