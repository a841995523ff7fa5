"""Settings of the chapter `layers`."""

from dataclasses import dataclass

from ui.settings.compared import Compared, subject
from ui.settings.fields import Folding, cell, choice, flag, number_reply, real, reply, text, whole

FORMULAS = ("notes", "torch", "difference")
STACKS = ("encoder", "decoder")
ORDERS = ("typed", "reversed", "rotated")
NONLINEARITIES = ("linear", "relu", "leaky_relu", "tanh", "sigmoid", "selu")
INITS = ("xavier", "default")


@dataclass(frozen=True)
class Layers(Compared, Folding):
    delta: str = subject("encoder.layers.0.sublayer.0.sum")
    # LayerNorm
    place: int = whole(1, 0, 99)  # which sub-layer, in the order of the forward pass
    formula: str = choice("notes", *FORMULAS)
    norm_from: int = whole(0, 0, 9999)  # the first dimension shown
    norm_cell: tuple[str, int, int] | None = cell()
    ask_norm: str = number_reply()
    # residual sum
    sum_place: int = whole(1, 0, 99)
    sum_from: int = whole(0, 0, 9999)
    sum_cell: tuple[str, int, int] | None = cell()
    stream: str = choice("encoder", *STACKS)
    stream_cell: tuple[str, int, int] | None = cell()
    # feed-forward
    network: int = whole(0, 0, 99)
    network_from: int = whole(0, 0, 9999)
    neuron: int = whole(0, 0, 9999)  # the first neuron shown
    order: str = choice("typed", *ORDERS)
    position: int = whole(1, 0, 99)
    network_cell: tuple[str, int, int] | None = cell()
    ask_order: str | None = reply()
    # dropout
    p: float = real(0.1, 0.0, 0.9)
    seed: int = whole(0, 0, 9999)
    drop_from: int = whole(0, 0, 9999)
    drop_cell: tuple[str, int, int] | None = cell()
    ask_drop: str = number_reply()
    # pre- against post-norm
    depth: int = whole(12, 1, 12)
    side: str = choice("decoder", *STACKS)
    init: str = choice("xavier", *INITS)
    depth_seed: int = whole(0, 0, 9999)
    table: bool = flag(False)
    depth_cell: tuple[str, int, int] | None = cell()
    ask_depth: str | None = reply()
    N: int = whole(4, 1, 4)  # of both trained: with fewer the two hardly differ
    warmup: bool = flag(False)
    train_seed: int = whole(0, 0, 9999)
    trained: str = text("", 20)  # "N.warmup.seed" of the pair that was trained
    # first values of a matrix
    matrix: str = choice("query", "query", "w_1", "w_2")
    first_seed: int = whole(0, 0, 9999)
    gain_of: str = choice("relu", *NONLINEARITIES)
    gain_seed: int = whole(0, 0, 9999)
    gain_cell: tuple[str, int, int] | None = cell()
    # one linear layer
    linear_from: int = whole(0, 0, 120)  # the first row of the batch that is shown
    linear_seed: int = whole(0, 0, 9999)
    linear_cell: tuple[str, int, int] | None = cell()
