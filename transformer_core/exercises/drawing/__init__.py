"""What a reader draws before it is computed: a row of attention, a wave, a learning rate, a loss; judged by causes."""
