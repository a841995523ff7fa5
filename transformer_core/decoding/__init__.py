"""How an output is written with a trained model, token by token: greedy, by beam search, by sampling, with a cache."""
