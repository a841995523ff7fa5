"""All that must be known to build a model of one stack: its sizes, and which part it has where there is a choice.

The defaults are the parts of 2017, as `make_model` has them; each switch names what replaces one of them.
"""

from dataclasses import dataclass

from transformer_core.after_2017.experts import check_experts
from transformer_core.positions import BASE
from transformer_core.tasks.vocabulary import PAD

NORMS = ("layer", "torch", "rms")  # LayerNorm of the Annotated Transformer; of PyTorch; RMSNorm
POSITIONS = ("sinusoids", "learned", "rotary", "none")
FEED_FORWARDS = ("relu", "gelu", "gelu_tanh", "swiglu")
KINDS = ("decoder", "encoder")


class Misfit(ValueError):
    """Switches that do not fit each other: by `reason` and `values` the same can be said in another language."""

    def __init__(self, reason: str, message: str, **values: int) -> None:
        super().__init__(message)
        self.reason = reason
        self.values = values


@dataclass(frozen=True)
class OneStackShape:
    """A decoder-only or an encoder-only model. ValueError, with the name of the switch, if the switches do not fit."""

    kind: str  # one of KINDS: with the look-ahead mask, or without
    vocab: int  # tokens, padding included
    N: int = 6
    d_model: int = 512
    d_ff: int = 2048
    h: int = 8
    dropout: float = 0.1
    norm_first: bool = True
    norm: str = ""  # one of NORMS; "": "layer" in the pre-norm form and "torch" in the post-norm form
    scale: bool = True  # divide the scores by √d_k
    positions: str = "sinusoids"  # one of POSITIONS
    feed_forward: str = "relu"  # one of FEED_FORWARDS
    tied: bool = False  # the generator's matrix is the table of the embeddings
    groups: int | None = None  # heads of keys and values; None: h
    window: int | None = None  # positions that each attends to, on either side; None: all
    experts: int | None = None  # networks in the place of each feed-forward network; None: one, without a router
    top_k: int = 1  # experts that each word is sent to
    scale_embeddings: bool = True  # multiply the rows by √d_model
    bias: bool = True  # of the four matrices of an attention
    generator_bias: bool = True
    embedding_norm: bool = False  # normalise the sum of embedding and position, as BERT does
    transformed: bool = False  # one more layer with GELU before the generator, as BERT has
    norm_eps: float | None = None  # None: the norm's own
    rotary_base: float = BASE
    max_len: int = 5000  # positions
    pad: int | None = PAD  # the token that nothing attends to; None: there is none

    def __post_init__(self) -> None:
        choices = {"kind": KINDS, "norm": ("", *NORMS), "positions": POSITIONS, "feed_forward": FEED_FORWARDS}
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                listed = ", ".join(filter(None, allowed))
                raise ValueError(f"{name} must be one of {listed}, not {getattr(self, name)!r:.40}")
        for name in ("vocab", "N", "d_model", "d_ff", "h", "groups", "window", "max_len"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, not {value}")
        self._check_together()

    def _check_together(self) -> None:
        d_model, h, groups, d_k = self.d_model, self.h, self.key_heads, self.d_k
        if self.experts is not None:
            try:
                check_experts(self.experts, self.top_k)
            except ValueError as problem:
                raise Misfit("experts", str(problem), experts=self.experts, top_k=self.top_k) from None
        elif self.top_k != 1:
            raise Misfit("experts", f"top_k = {self.top_k} needs experts to choose from", experts=0, top_k=self.top_k)
        if d_model % h:
            message = f"d_model = {d_model} cannot be cut into {h} heads of equal size"
            raise Misfit("heads", message, d_model=d_model, h=h)
        if h % groups:
            raise Misfit("groups", f"{h} heads cannot be cut into {groups} groups of equal size", h=h, groups=groups)
        if self.positions == "rotary" and d_k % 2:
            message = f"a vector of {d_k} numbers has no pairs to rotate: d_model / h must be even"
            raise Misfit("rotary", message, d_k=d_k)
        if self.positions == "sinusoids" and d_model % 2:
            message = f"d_model must be even, for sines and cosines come in pairs; got {d_model}"
            raise Misfit("odd", message, d_model=d_model)

    @property
    def d_k(self) -> int:
        return self.d_model // self.h

    @property
    def key_heads(self) -> int:
        """Heads of keys and values."""
        return self.h if self.groups is None else self.groups

    @property
    def plain_attention(self) -> bool:
        """Whether the attention is that of 2017."""
        return self.groups is None and self.bias and self.positions != "rotary"

    @property
    def cached_numbers(self) -> int:
        """How many numbers of keys and values a cache keeps for each position that it keeps."""
        return 2 * self.N * self.key_heads * self.d_k
