"""What became of the model after 2017: one stack instead of two, and the parts that replaced the paper's."""
