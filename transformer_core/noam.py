"""The learning rate of the paper (section 5.3, equation 3), known as Noam's."""


def noam_rate(step: int, d_model: int, factor: float = 1.0, warmup: int = 4000) -> float:
    """factor · d_model^-0.5 · min(step^-0.5, step · warmup^-1.5): up in a line, then down with 1/√step. 0 at step 0.

    ValueError if d_model or the number of warm-up steps is not positive.
    """
    if d_model < 1 or warmup <= 0:
        raise ValueError(f"d_model and the number of warm-up steps must be positive, not {d_model} and {warmup}")
    if step <= 0:
        return 0.0
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
